import type { RequestFault } from '#analysis/check/request-faults.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import type { Head } from '#session/heads/head.js';
import type { CompactResult } from '../contract.js';
import type { EngineDeed } from '../define.js';
import type { TranscriptRewriteResult } from '../runtime-context.js';
import type { Breach } from './breaches/clauses.js';
import type { SummaryCall } from './summary-calls.js';

/** The content of one request. */
export interface AssembledContent extends Pick<EnvelopeContent, 'system' | 'tools' | 'options'> {
  readonly messages: readonly LlmMessage[];
  /** The entry that each message comes from; null: the engine has made it. */
  readonly sources: readonly (string | null)[];
  /** Estimated: of all that is sent. */
  readonly tokens: number;
  /** The statements of the engine. */
  readonly estimatedTokens: number;
  readonly promptAuthority: 'assembled' | 'preassembly_may_overflow';
}

/** A compaction by the engine, with its reason and its result. */
export interface EngineCompaction {
  /** overflow: a request would have been too long; threshold: little room was left; engine: it was not asked. */
  readonly why: 'overflow' | 'threshold' | 'engine';
  readonly result: CompactResult;
  /** The last entry above it; null: there is none. */
  readonly at: string | null;
}

/** Changes of the context between two requests. */
export interface DriveProgress {
  readonly compactions: readonly EngineCompaction[];
  readonly rewrites: readonly TranscriptRewriteResult[];
  /** The actions that a built-in engine reports. */
  readonly deeds: readonly EngineDeed[];
  /** The sentences of the contract that the engine broke. */
  readonly breaches: readonly Breach[];
  /** The calls of a model that its summaries take. */
  readonly summaries: readonly SummaryCall[];
  /** The calls of a model for recorded compactions. */
  readonly recordedSummaries: readonly SummaryCall[];
}

/** One request of the session, with the engine in charge. `DriveProgress` is what happened since the request before. */
export interface Driven extends DriveProgress {
  /** Counted from 1. */
  readonly request: number;
  /** The entry at which it is built; null: before the first one. */
  readonly at: Head | null;
  /** The recorded answer; null: there is none. */
  readonly answer: Head | null;
  readonly assembled: AssembledContent;
  /** Estimated as `promptAuthority` demands; compared with the budget. */
  readonly checkedTokens: number;
  /**
   * Whether the request was over the budget, and was assembled once more after a compaction: Pi's one retry after an
   * overflow.
   */
  readonly retried: boolean;
  /** Whether the request is still over the budget after a compaction. */
  readonly overflow: boolean;
  /** The reasons why a provider rejects it; none if it is accepted. */
  readonly faults: readonly RequestFault[];
}
