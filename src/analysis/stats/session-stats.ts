import type { Problem } from '#base/errors.js';
import type { TokensNow } from '#context/size/size.js';
import type { Sample } from './calibration.js';
import type { Ledger, Named } from './ledger.js';
import type { Repeat, ToolUse } from './tool-tally.js';
import type { Source, UsageSums } from './usage-sums.js';

/** Messages of all branches, as Pi counts them. */
export interface MessageCounts {
  readonly user: number;
  readonly assistant: number;
  readonly toolResults: number;
  /** Also those of other roles. */
  readonly total: number;
  readonly toolCalls: number;
}

/** The entries of one type, and of one role where they are messages. */
export interface EntryKind {
  readonly type: string;
  readonly role: string | null;
  readonly entries: number;
  /** Of their lines. */
  readonly bytes: number;
  readonly tokens: number;
}

export interface LargeEntry {
  readonly file: string;
  readonly entryId: string | null;
  readonly line: number;
  readonly type: string;
  readonly role: string | null;
  readonly tokens: number;
  readonly preview: string;
}

/** What was counted of one session, or of many: plain data, which is small whatever the size of the files. */
export interface Counts {
  readonly entries: number;
  readonly messages: MessageCounts;
  readonly usage: UsageSums;
  /** Some usage says what it cost. */
  readonly isCostRecorded: boolean;
  readonly bySource: ReadonlyMap<Source, UsageSums>;
  readonly byModel: ReadonlyMap<string, UsageSums>;
  /** By the UTC date of the entries; empty for those that have none. */
  readonly byDay: ReadonlyMap<string, UsageSums>;
  /** Of all branches, each entry once. */
  readonly ledger: Ledger;
  readonly kinds: readonly EntryKind[];
  readonly tools: readonly ToolUse[];
  /** The largest first. */
  readonly largest: readonly LargeEntry[];
  readonly repeats: readonly Repeat[];
  /** Of requests on active paths. */
  readonly samples: readonly Sample[];
  /** Left out, since another session that was counted before has the same entries. */
  readonly shared: { readonly entries: number; readonly tokens: number; readonly usage: UsageSums };
}

export interface SessionStats extends Counts {
  readonly file: string;
  readonly id: string;
  readonly cwd: string | null;
  readonly title: string;
  /** Milliseconds since 1970 of the first and the last entry that has a time. */
  readonly first: number | null;
  readonly last: number | null;
  /** The system prompt and tools are known: recorded, or supplied. */
  readonly isPreambleKnown: boolean;
  /** How estimated tokens were counted. */
  readonly method: string;
  /** What the model would be shown at the leaf. */
  readonly context: { readonly ledger: Ledger; readonly parts: readonly Named[]; readonly tools: readonly Named[] };
  /** The size of the context at the leaf. */
  readonly size: TokensNow;
  /** Damaged places. */
  readonly problems: number;
  /** What of the active path could not be replayed. */
  readonly diagnostics: readonly Problem[];
}

export const MOST_LARGE = 10;
