import type { Problem } from '#base/errors.js';
import type { Sample } from './calibration.js';
import type { ClientFigure } from './client-totals.js';
import type { EntryKind, LargeEntry, MessageCounts, Repeat } from './document.js';
import type { MeasuredContext } from './path-tally.js';
import type { TokenBreakdown } from './token-breakdown.js';
import type { ToolUsage } from './tool-tally.js';
import type { UsageCounts, UsageSums } from './usage-sums.js';

/** The facts of a session that are known without the contents of its entries. */
export interface SessionUsage extends UsageCounts {
  readonly file: string;
  readonly id: string;
  readonly cwd: string | null;
  /** Milliseconds since 1970 of the first and the last entry that has a time. */
  readonly first: number | null;
  readonly last: number | null;
  readonly entries: number;
  readonly messages: Pick<MessageCounts, 'user' | 'assistant'>;
  /** The number of damaged places. */
  readonly problems: number;
  /** Whether the output tokens of some answers are those at their beginning, so that there were more. */
  readonly isUsagePartial: boolean;
  /** The figure of the client itself; null if it records none. */
  readonly client: ClientFigure | null;
  /** Omitted, since another session that was counted before has the same entries. */
  readonly shared: { readonly entries: number; readonly usage: UsageSums };
}

/** The counts of one session or several: plain data, small for files of any size. */
export interface SessionCounts extends UsageCounts {
  readonly entries: number;
  readonly messages: MessageCounts;
  /** The tokens of all branches, each entry counted once. */
  readonly ledger: TokenBreakdown;
  readonly entryTypes: readonly EntryKind[];
  readonly tools: readonly ToolUsage[];
  /** The largest first. */
  readonly largest: readonly LargeEntry[];
  readonly repeats: readonly Repeat[];
  /** The samples of requests on active paths. */
  readonly samples: readonly Sample[];
  /** Omitted, since another session that was counted before has the same entries. */
  readonly shared: { readonly entries: number; readonly tokens: number; readonly usage: UsageSums };
}

export interface SessionStats extends SessionCounts, Omit<SessionUsage, 'messages' | 'shared'> {
  /** The usage of subagents, as results of tools record it. */
  readonly runs: UsageSums;
  readonly title: string;
  /** Whether the system prompt and tools are known: recorded, or supplied. */
  readonly preambleKnown: boolean;
  readonly tokenizer: string;
  /** The context at the leaf. */
  readonly context: MeasuredContext;
  /** The diagnostics of replaying the active path. */
  readonly diagnostics: readonly Problem[];
}
