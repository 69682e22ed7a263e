// The information and services that a host gives an engine beside the messages.

import type { AgentMessage } from './hooks/api.js';

export type { AgentMessage };

export interface TranscriptRewriteReplacement {
  /** An entry of the active branch that holds a message. */
  readonly entryId: string;
  readonly message: AgentMessage;
}

export interface TranscriptRewriteRequest {
  /** Done in one pass, all or none. */
  readonly replacements: readonly TranscriptRewriteReplacement[];
}

export interface TranscriptRewriteResult {
  /** Whether the active branch is another one now. */
  readonly changed: boolean;
  /** Bytes by which the messages of the active branch have become shorter, as JSON. */
  readonly bytesFreed: number;
  readonly rewrittenEntries: number;
  /** The reason why nothing was done. */
  readonly reason?: string;
}

export type PromptCacheRetention = 'none' | 'short' | 'long' | 'in_memory' | '24h';

/** Tokens as the provider has counted them. */
export interface PromptCacheUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly total?: number;
}

export interface PromptCacheChange {
  readonly code: 'cacheRetention' | 'model' | 'streamStrategy' | 'systemPrompt' | 'tools' | 'transport';
  readonly detail: string;
}

export interface PromptCacheObservation {
  /** Less was read from the cache than the request before had sent. */
  readonly broke: boolean;
  readonly previousCacheRead?: number;
  readonly cacheRead?: number;
  /** Differences to the request before, which may be the cause. */
  readonly changes?: readonly PromptCacheChange[];
}

/** The state of the provider's cache. */
export interface PromptCacheInfo {
  /**
   * The lifetime of the provider's cache: `long` is an hour, `short` five minutes. Left out where the session does
   * not record it. Where a call wrote for an hour and for less, it is that of the hour.
   */
  readonly retention?: PromptCacheRetention;
  /** The usage of the newest call alone. */
  readonly lastCallUsage?: PromptCacheUsage;
  readonly observation?: PromptCacheObservation;
  /** Milliseconds since 1970. */
  readonly lastCacheTouchAt?: number;
  /** Milliseconds since 1970; left out where the retention is not known. */
  readonly expiresAt?: number;
}

/** One entry of the active branch, as the engine's own compactions and rewrites have left it. */
export interface TranscriptEntry {
  /** The id for `firstKeptEntryId` and `rewriteTranscriptEntries`. */
  readonly entryId: string;
  /** null: it has none, as a change of the model. */
  readonly message: AgentMessage | null;
}

/** The facts and functions of the host. Hosts may add fields. */
export interface ContextEngineRuntimeContext {
  readonly [field: string]: unknown;
  /** Whether this run of `maintain` may do compactions that were put off. */
  readonly allowDeferredCompactionExecution?: boolean;
  /** Tokens that the model can take. */
  readonly tokenBudget?: number;
  /** Tokens of the context now, as well as that is known. */
  readonly currentTokenCount?: number;
  readonly promptCache?: PromptCacheInfo;
  /** Replaces messages of the transcript: the engine chooses them, and the host writes them. */
  readonly rewriteTranscriptEntries?: (request: TranscriptRewriteRequest) => Promise<TranscriptRewriteResult>;
  /** Added by this host: the active branch, oldest first. */
  readonly transcript?: readonly TranscriptEntry[];
}
