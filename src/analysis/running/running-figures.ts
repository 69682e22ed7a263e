import type { ClientTotals } from '#session/agents/define.js';
import type { RunningAnswer, RunningTurn } from '#session/agents/running-events.js';
import type { EarlierPrompt } from '../cache/earlier-prompt.js';
import type { UsageCounts } from '../stats/usage-sums.js';

/** The newest context of a session, as the provider counted it. Tokens are whole numbers. */
export interface RunningContext {
  /** The prompt and the answer of the last request; null after a compaction, until the next request. */
  readonly tokens: number | null;
  /** The context window in tokens, as the agent records it; null if it does not. */
  readonly window: number | null;
  /** The size at which the agent compacted last by itself; null if it has not. */
  readonly compactedAt: number | null;
}

/** A cache miss: recorded tokens of the previous prompt that were not read from the cache. */
interface RunningMiss {
  readonly tokens: number;
  /** Milliseconds since 1970; NaN if it is not recorded. */
  readonly time: number;
}

/** The use of a session so far, from its lines in the order of the file. Plain data, which can be stored. */
export interface RunningFigures {
  readonly context: RunningContext;
  /** Tokens of all prompts, and those of them that were read from the cache. */
  readonly cache: { readonly read: number; readonly sent: number; readonly lastMiss: RunningMiss | null };
  /** The usage of the file as `ctx stats` counts it, without what was copied from another session. */
  readonly usage: UsageCounts;
  /** The client's own sums, and the usage before them. */
  readonly client: { readonly totals: ClientTotals; readonly covered: UsageCounts } | null;
  /** The calls by the name of the tool. */
  readonly calls: ReadonlyMap<string, number>;
  /** The equal calls since the last prompt of the user, by name and input. */
  readonly repeats: ReadonlyMap<string, number>;
  /** The keys of the newest calls among them, by their ids. */
  readonly recentCalls: ReadonlyMap<string, string>;
}

/** The state of a tally between two readings. */
export interface RunningState extends Omit<RunningFigures, 'usage'> {
  readonly settled: UsageCounts;
  readonly pending: readonly RunningAnswer[];
  readonly recentIds: readonly string[];
  readonly earlier: EarlierPrompt | null;
  readonly turn: RunningTurn | null;
  readonly hasExact: boolean;
}
