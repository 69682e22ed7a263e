// The contract of context engines: what an engine is asked, when, and what it answers.

import type { AgentMessage, ContextEngineRuntimeContext, TranscriptRewriteResult } from './runtime-context.js';

export type * from './runtime-context.js';

/** The result of `assemble`. */
export interface AssembleResult {
  /** The messages for the model, in order. */
  readonly messages: readonly AgentMessage[];
  /** Estimated tokens of the assembled context. */
  readonly estimatedTokens: number;
  /**
   * The estimate that the check before a request uses. `assembled` (the default): that of the assembled request.
   * `preassembly_may_overflow`: the larger of that and of the transcript before assembly, for engines whose view can hide
   * that the transcript itself has become too long. Either way, `messages` are sent.
   */
  readonly promptAuthority?: 'assembled' | 'preassembly_may_overflow';
  /** Text that precedes the system prompt. */
  readonly systemPromptAddition?: string;
}

/** The result of `compact`. */
export interface CompactResult {
  /** false: it could not be done. */
  readonly ok: boolean;
  /** false: it was not necessary, or not possible. */
  readonly compacted: boolean;
  readonly reason?: string;
  readonly result?: Compacted;
}

export interface Compacted {
  /** The summary. It replaces everything before `firstKeptEntryId` in the transcript. */
  readonly summary?: string;
  readonly firstKeptEntryId?: string;
  readonly tokensBefore: number;
  readonly tokensAfter?: number;
  readonly details?: unknown;
  /** The id and the file of the new transcript that the engine began. */
  readonly sessionId?: string;
  readonly sessionFile?: string;
}

export interface IngestResult {
  /** false: it is known already, or does not count. */
  readonly ingested: boolean;
}

export interface IngestBatchResult {
  readonly ingestedCount: number;
}

export interface BootstrapResult {
  readonly bootstrapped: boolean;
  /** Messages of the past that were taken over. */
  readonly importedMessages?: number;
  /** The reason why nothing had to be done. */
  readonly reason?: string;
}

export interface ContextEngineInfo {
  readonly id: string;
  readonly name: string;
  readonly version?: string;
  /** The engine decides itself when to compact: the host only asks for it when a request would be too long. */
  readonly ownsCompaction?: boolean;
  /**
   * Whether `maintain` runs as part of a turn (the default), or after it and beside what comes next. Only then, and only
   * where the host agrees, may it do compactions that were put off.
   */
  readonly turnMaintenanceMode?: 'foreground' | 'background';
}

export interface SubagentSpawnPreparation {
  /** Undoes the preparation; called when the subagent cannot be started. */
  readonly rollback: () => void | Promise<void>;
}

export type SubagentEndReason = 'deleted' | 'completed' | 'swept' | 'released';

/** The result of `maintain`. */
export type ContextEngineMaintenanceResult = TranscriptRewriteResult;

/** The parameters of most methods. */
export interface SessionParams {
  readonly sessionId: string;
  readonly sessionKey?: string;
}

export interface BootstrapParams extends SessionParams {
  readonly sessionFile: string;
}

export interface MaintainParams extends SessionParams {
  readonly sessionFile: string;
  readonly runtimeContext?: ContextEngineRuntimeContext;
}

export interface IngestParams extends SessionParams {
  readonly message: AgentMessage;
  /** Whether it belongs to a scheduled run, which no user started. */
  readonly isHeartbeat?: boolean;
}

export interface IngestBatchParams extends SessionParams {
  readonly messages: readonly AgentMessage[];
  readonly isHeartbeat?: boolean;
}

export interface AfterTurnParams extends SessionParams {
  readonly sessionFile: string;
  readonly messages: readonly AgentMessage[];
  /** The number of messages before the prompt of the turn. */
  readonly prePromptMessageCount: number;
  /** The summary of a compaction that the host has asked for during the turn. */
  readonly autoCompactionSummary?: string;
  readonly isHeartbeat?: boolean;
  readonly tokenBudget?: number;
  readonly runtimeContext?: ContextEngineRuntimeContext;
}

export interface AssembleParams extends SessionParams {
  /** The transcript, with the prompt of the turn and the messages that followed it so far. */
  readonly messages: readonly AgentMessage[];
  readonly tokenBudget?: number;
  /** Names of the tools that the model can call. */
  readonly availableTools?: ReadonlySet<string>;
  /** The way to cite a memory. */
  readonly citationsMode?: 'auto' | 'on' | 'off';
  readonly model?: string;
  /** The prompt of the user in this turn. */
  readonly prompt?: string;
}

export interface CompactParams extends SessionParams {
  readonly sessionFile: string;
  readonly tokenBudget?: number;
  /** true: compact even below the threshold. */
  readonly force?: boolean;
  readonly currentTokenCount?: number;
  /** The goal: a request that fits into the budget (the default), or one below the threshold. */
  readonly compactionTarget?: 'budget' | 'threshold';
  readonly customInstructions?: string;
  readonly runtimeContext?: ContextEngineRuntimeContext;
}

export interface SpawnParams {
  readonly parentSessionKey: string;
  readonly childSessionKey: string;
  readonly contextMode?: 'isolated' | 'fork';
  readonly parentSessionId?: string;
  readonly parentSessionFile?: string;
  readonly childSessionId?: string;
  readonly childSessionFile?: string;
  /** Milliseconds that what was prepared may stay. */
  readonly ttlMs?: number;
}

export interface SubagentEnded {
  readonly childSessionKey: string;
  readonly reason: SubagentEndReason;
}

/** A call of a tool that the engine has added to a request. */
export interface CallToolParams extends SessionParams {
  readonly toolName: string;
  /** The arguments of the call. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The content of the tool result. */
export interface CallToolResult {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly isError?: boolean;
}

/**
 * A context engine: it decides what the model sees. `ingest`, `assemble` and `compact` are required, all other methods
 * optional.
 */
export interface ContextEngine {
  readonly info: ContextEngineInfo;
  /** Comes first: gets ready for a session, and takes over its past. */
  bootstrap?(params: BootstrapParams): Promise<BootstrapResult>;
  /** Tidies up: after `bootstrap`, after each turn and after each compaction. */
  maintain?(params: MaintainParams): Promise<ContextEngineMaintenanceResult>;
  /** Takes in one message. */
  ingest(params: IngestParams): Promise<IngestResult>;
  /** Takes in the messages of a turn that has ended, as one unit; `ingest` is not called for them then. */
  ingestBatch?(params: IngestBatchParams): Promise<IngestBatchResult>;
  /** A turn has ended, and its messages were taken in. */
  afterTurn?(params: AfterTurnParams): Promise<void>;
  /** The messages for the next request. */
  assemble(params: AssembleParams): Promise<AssembleResult>;
  /** Makes the context smaller. */
  compact(params: CompactParams): Promise<CompactResult>;
  /** A subagent is about to be started. */
  prepareSubagentSpawn?(params: SpawnParams): Promise<SubagentSpawnPreparation | undefined>;
  onSubagentEnded?(params: SubagentEnded): Promise<void>;
  /** Answers a call of a tool that the engine has added to a request: an extension of ctx. */
  callTool?(params: CallToolParams): Promise<CallToolResult>;
  /** Comes last, whatever has happened. */
  dispose?(): Promise<void>;
}
