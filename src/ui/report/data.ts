import type { CacheBreak, CacheSummary } from '#analysis/cache/document.js';
import type { StatsDocument } from '#analysis/stats/document.js';
import type { ContextSize } from '#context/replay/envelope.js';
import type { ContextWindow } from '#context/size/window.js';
import type { IndexReport } from './index-data.js';

/**
 * What a report page holds, as JSON in the page: whatever there are many of is kept by column, and refers to others by
 * their number. The page program reads the same types.
 */
export type ReportData = SessionReport | IndexReport;

/** A text; or the beginning of one that was too long, with the length of all of it in UTF-16 code units. */
export type Text = string | readonly [start: string, length: number];

/** A piece of a message. A call has the name of its tool, an image its type. */
export type ReportBlock = readonly [kind: 'text' | 'thinking' | 'call' | 'image' | 'other', text: Text, name?: string];

/** A message as it is sent, once for all requests that hold it. */
export interface ReportMessage {
  /** The number of the entry that it comes from. */
  readonly entry: number;
  readonly origin: 'entry' | 'edit' | 'compaction' | 'transform' | 'ephemeral';
  readonly role: string;
  /** The tool that a result is of; empty for every other message. */
  readonly name: string;
  /** How it ended, where that was not well. */
  readonly failure: string;
  /** Estimated. */
  readonly tokens: number;
  readonly blocks: readonly ReportBlock[];
}

/** A system part or a tool definition. */
export interface ReportPiece {
  readonly name: string;
  readonly text: Text;
  /** Estimated. */
  readonly tokens: number;
}

/** What stands before the messages of a request; parts and tools by their numbers. */
export interface ReportPreamble {
  readonly parts: readonly number[];
  readonly tools: readonly number[];
  /** As JSON. */
  readonly options: string;
}

/** The entries of the file in its order, by column. */
export interface EntryColumns {
  readonly ids: readonly (string | null)[];
  readonly lines: readonly number[];
  /** Numbers of `words`. */
  readonly names: readonly number[];
  /** Milliseconds since 1970. */
  readonly times: readonly (number | null)[];
  /** Of the line, in bytes. */
  readonly sizes: readonly number[];
  /** Estimated: of what the entry itself brings in. */
  readonly tokens: readonly number[];
  /** The message that the entry adds, as it is stored; -1 for none. */
  readonly messages: readonly number[];
  /** Of an entry that adds no message: what it is about, and its JSON. */
  readonly others: readonly (readonly [entry: number, preview: string, json: Text])[];
  /** From the root to the entry that the report is about. */
  readonly path: readonly number[];
  /** Labels in force. */
  readonly labels: readonly (readonly [entry: number, label: string])[];
  /** The trees, parents before children; entries that a later one of the same id hides are left out. */
  readonly order: readonly number[];
  /** Of each entry of `order`, how many forks lie above it. */
  readonly forks: readonly number[];
}

/**
 * Requests by column, in the order of their paths: first those of the path that the report is about, with what would be
 * sent next as the last of them, then those of other branches. Messages that request and the one before it on its path
 * both begin with are not repeated: `keeps` says how many they are, `ranges` what follows them, as first number and count.
 */
export interface RequestColumns {
  /** The assistant's entry; -1 for what would be sent next. */
  readonly entries: readonly number[];
  /** The request before it on its path; -1 for none. */
  readonly before: readonly number[];
  readonly keeps: readonly number[];
  readonly ranges: readonly (readonly number[])[];
  readonly preambles: readonly number[];
  /** Numbers of `words`. */
  readonly models: readonly number[];
  readonly levels: readonly number[];
  /** Messages that were logged for this request alone. */
  readonly uncached: readonly (readonly [request: number, messages: readonly number[]])[];
  /** Estimated tokens, as many numbers a request as there are categories. */
  readonly ledgers: readonly number[];
  /** How many belong to the path that the report is about. */
  readonly onPath: number;
  /** Requests of other branches that were too many to be followed. */
  readonly leftOut: number;
}

export interface CacheBreakData extends CacheBreak {
  /** The number of the entry that caused it; -1 for none. */
  readonly entry: number;
  readonly what: string;
}

/** What became of the cache at the requests of the path, by their numbers. */
export interface CacheData {
  /** Estimated, of the whole prompt. */
  readonly prompts: readonly number[];
  /** Estimated, of what could be read from the cache. */
  readonly prefixes: readonly (number | null)[];
  /** What a provider recorded. */
  readonly recorded: readonly (readonly [input: number, read: number, written: number] | null)[];
  readonly breaks: readonly (readonly [request: number, broken: CacheBreakData])[];
  readonly summary: CacheSummary;
}

/** What a compaction of the path took out, and what its summary says of it. */
export interface LossData {
  readonly entry: number;
  readonly summary: Text;
  readonly counts: {
    readonly kept: number;
    readonly summarised: number;
    readonly edited: number;
    readonly unaccounted: number;
    readonly total: number;
  };
  readonly classes: readonly {
    readonly class: string;
    readonly left: number;
    readonly quoted: number;
    readonly named: number;
    readonly partly: number;
    readonly missing: number;
  }[];
  /** Entries that are in no summary, at most 200; `counts` has them all. */
  readonly unaccounted: readonly (readonly [entry: number, reason: string])[];
  /** What the summary does not mention, at most 200; `classes` has them all. */
  readonly missing: readonly (readonly [name: string, entry: number, text: string])[];
}

/** The parts of `ctx stats` that a page shows, of all branches. */
export interface CostData extends Pick<
  StatsDocument,
  'usageRecorded' | 'usageRecordedBySource' | 'usageRecordedByModel' | 'usageRecordedByDay' | 'tools'
> {
  /** Each with the number of the entry of the first result. */
  readonly repeats: readonly (StatsDocument['repeats']['calls'][number] & { readonly entry: number })[];
}

export interface SessionReport {
  readonly kind: 'session';
  readonly version: string;
  readonly file: string;
  readonly id: string;
  readonly title: string;
  readonly cwd: string | null;
  readonly sessionVersion: number | null;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly first: number | null;
  readonly last: number | null;
  /** The entry at the end of the path; -1 for an empty session. */
  readonly end: number;
  readonly problems: readonly string[];
  /** Of what would be sent next. */
  readonly size: ContextSize;
  /** The system prompt and the tools are known. */
  readonly isPreambleKnown: boolean;
  /** The context window of the model at the end of the path. */
  readonly window: ContextWindow;
  /** No text of an entry is longer, in bytes; null where nothing was cut. */
  readonly textLimit: number | null;
  readonly words: readonly string[];
  readonly categories: readonly string[];
  readonly entries: EntryColumns;
  readonly messages: readonly ReportMessage[];
  readonly parts: readonly ReportPiece[];
  readonly tools: readonly ReportPiece[];
  readonly preambles: readonly ReportPreamble[];
  readonly requests: RequestColumns;
  readonly cache: CacheData;
  readonly losses: readonly LossData[];
  readonly cost: CostData;
}
