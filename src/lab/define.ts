import type { ConversationFacts } from '#analysis/facts/facts.js';
import type { Preparation } from '#change/compact/prepare.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import type { Policy } from '#change/prune/policy.js';
import type { EnvelopeContent, SystemPart, ToolDefinition } from '#context/replay/content.js';
import type { Session } from '#session/session.js';
import type { AgentMessage, AssembleResult, Compacted, ContextEngine } from './contract.js';
import type { TranscriptEntry } from './runtime-context.js';

/**
 * The setup of a built-in engine: facts, and functions of the host. It has no clock and no chance: the same session
 * always gives the same. Messages are frozen, and the message of an entry is the very same object each time.
 */
export interface EngineSetup {
  readonly session: Pick<Session, 'file' | 'header'>;
  /** The context window in tokens; null if it is unknown. */
  readonly tokenBudget: number | null;
  readonly settings: CompactionSettings;
  readonly policy: Policy;
  /**
   * The envelope that is recorded for the request that is being assembled, messages for this request alone included.
   */
  recorded(): EnvelopeContent;
  /** Prompt, tools and options of the request that is being assembled. */
  declared(): DeclaredContent;
  /** Milliseconds since 1970: when the newest entry was written. */
  now(): number;
  /** Estimated tokens of messages as they are sent. */
  count(messages: readonly AgentMessage[]): number;
  /** The active branch, as compactions and rewrites have left it. */
  transcript(): readonly TranscriptEntry[];
  /** The conversation on that branch, put in order. */
  facts(): ConversationFacts;
  /** Labels of entries, by their ids. */
  labels(): ReadonlyMap<unknown, string>;
  /** The compaction that Pi would make now; null: there is nothing to compact. */
  prepare(): Preparation | null;
  /** Compacts the transcript, as `compact` does by its result; for an engine that does so by itself. */
  compacted(result: Compacted): void;
  /** A summary, made without a model. */
  summarize(task: SummaryTask): string;
  /** Reports changes of the context, beside the result of `compact`. */
  note(deed: EngineDeed): void;
}

export type DeclaredContent = Pick<EnvelopeContent, 'system' | 'tools' | 'options'>;

/** A change that made the context smaller, as an engine reports it. */
export interface EngineDeed {
  readonly kind: 'compaction' | 'prune';
  /** The reason, in a few words. */
  readonly reason: string;
  /** Estimated, of the messages. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/**
 * An assembled request with extensions of ctx: a system prompt and tools that replace the recorded ones. Without them,
 * the recorded ones are sent.
 */
export interface WholeAssembleResult extends AssembleResult {
  readonly system?: readonly SystemPart[];
  readonly tools?: readonly ToolDefinition[];
}

/** An engine that is built in. */
export interface EngineDefinition {
  readonly name: string;
  /** A summary in one line. */
  readonly summary: string;
  create(setup: EngineSetup): ContextEngine;
}

export function defineBuiltinEngine(definition: EngineDefinition): EngineDefinition {
  return definition;
}
