import type { ContextSize } from '#context/replay/envelope.js';
import type { ContextWindow } from '#context/size/window.js';
import type { AgentOrigin } from '#session/agents/define.js';
import type { CacheBreak, CacheSummary } from '../cache/document.js';
import type { CompositionRow } from '../composition/rows.js';
import type { LossDocument } from '../loss/document.js';
import type { DrawnBlock, ReadingBlock } from '../reading/reading-block.js';
import type { Repeat, StatsDocument } from '../stats/document.js';

/** The data of a report page. Large collections are stored by column, and refer to each other by number. */
export type ReportData = SessionReport | IndexReport;

/** A text, or the beginning of one that was truncated, with its full length in UTF-16 code units. */
export type StoredText = string | readonly [start: string, length: number];

/** A message as it is sent, stored once for all requests that contain it. */
export interface ReportMessage {
  /** The number of its source entry. */
  readonly entry: number;
  readonly origin: 'entry' | 'edit' | 'compaction' | 'transform' | 'ephemeral';
  /** The name of the transform that added it. */
  readonly transformer?: string;
  readonly role: string;
  /** The tool of a result; empty for other messages. */
  readonly name: string;
  /** The message on one line. */
  readonly preview: string;
  /** Estimated. */
  readonly tokens: number;
  /** The content as it is stored, without images. */
  readonly blocks: readonly ReadingBlock[];
}

/** A system part or a tool definition. */
export interface ReportPiece {
  readonly name: string;
  readonly text: StoredText;
  /** Estimated. */
  readonly tokens: number;
}

/** The system parts, tools and options of a request. Parts and tools by number. */
export interface ReportPreamble {
  readonly parts: readonly number[];
  readonly tools: readonly number[];
  /** The options as JSON. */
  readonly options: string;
  /** Estimated tokens by kind of content, in the order of `CONTENT_KINDS`. */
  readonly kinds: readonly number[];
}

/** The entries of the file in its order, by column. */
export interface EntryColumns {
  readonly ids: readonly (string | null)[];
  readonly lines: readonly number[];
  /** Numbers of `words`. */
  readonly names: readonly number[];
  /** Milliseconds since 1970. */
  readonly times: readonly (number | null)[];
  /** The length of the line in bytes; null in a session of another agent, whose entries may have several lines. */
  readonly sizes: readonly (number | null)[];
  /** The estimated tokens that the entry itself adds. */
  readonly tokens: readonly number[];
  /** The message that the entry adds, as it is stored; -1 for none. */
  readonly messages: readonly number[];
  /** The preview and the JSON of each entry that adds no message. */
  readonly others: readonly (readonly [entry: number, preview: string, json: StoredText])[];
  /** The path from the root to the last entry of the report. */
  readonly path: readonly number[];
  /** Labels in force. */
  readonly labels: readonly (readonly [entry: number, label: string])[];
  /** The trees, parents before children, without entries that a later one with the same id hides. */
  readonly order: readonly number[];
  /** The number of forks above each entry of `order`. */
  readonly forks: readonly number[];
}

/**
 * Requests by column, in the order of their paths: first those of the report's path, which end with the next request,
 * then those of other branches. Their messages form a tree, in which lists share their beginnings.
 */
export interface RequestColumns {
  /** The assistant's entry; -1 for the next request. */
  readonly entries: readonly number[];
  /** The previous request on its path; -1 for none. */
  readonly before: readonly number[];
  /** The place of the last message in the tree; -1 for none. */
  readonly lasts: readonly number[];
  /** The previous place of each place in the tree, -1 for none. `messages` has the number of its message. */
  readonly previous: readonly number[];
  readonly messages: readonly number[];
  readonly preambles: readonly number[];
  /** Numbers of `words`. */
  readonly models: readonly number[];
  readonly levels: readonly number[];
  /** Messages that were logged for this request only. */
  readonly uncached: readonly (readonly [request: number, messages: readonly number[]])[];
  /**
   * Estimated tokens of the messages: for each request, one number per kind of content, in the order of
   * `CONTENT_KINDS`.
   */
  readonly ledgers: readonly number[] | Uint32Array;
  /** The sizes, as `ctx show` prints them; null for the next request, and if not counted on another branch. */
  readonly tokens: readonly (number | null)[];
  readonly estimated: readonly number[];
  readonly onPath: number;
  /** The number of requests of other branches that are omitted. */
  readonly leftOut: number;
}

export interface CacheBreakData extends CacheBreak {
  /** The number of the entry that caused it; -1 for none. */
  readonly entry: number;
  readonly what: string;
}

/** The cache usage of the requests of the path, by their numbers. */
export interface CacheData {
  /** The estimated tokens of the whole prompt. */
  readonly prompts: readonly number[];
  /** The estimated tokens that could be read from the cache. */
  readonly prefixes: readonly (number | null)[];
  /** The usage that the provider recorded. */
  readonly recorded: readonly (readonly [input: number, read: number, written: number] | null)[];
  readonly breaks: readonly (readonly [request: number, broken: CacheBreakData])[];
  readonly summary: CacheSummary;
}

/** The facts that a compaction of the path removed, and how its summary mentions them. */
export interface LossData extends Pick<LossDocument, 'counts' | 'classes'> {
  readonly entry: number;
  /** The messages that this compaction removed from the context; `counts` has those of earlier ones too. */
  readonly removed: number;
  readonly summary: StoredText;
  /** Up to 200 entries that were never summarised; `counts` counts all of them. */
  readonly unaccounted: readonly (readonly [entry: number, reason: string])[];
  /** Up to 200 facts that are missing from the summary; `classes` counts all of them. */
  readonly missing: readonly (readonly [name: string, entry: number, text: string])[];
}

/** The reading view: the turns of the path, and which of its entries the context still has. */
export interface ConversationData {
  /** The positions on the path where a turn begins. */
  readonly turns: readonly number[];
  /** Entries whose messages the context at the end of the path omits or changes, with the entry that did it. */
  readonly fates: readonly (readonly [entry: number, fate: 'omitted' | 'changed', by: number])[];
}

/** An entry as a person reads it. Long texts are shortened: `messages` has more of them. */
export interface DrawnEntry {
  readonly blocks: readonly DrawnBlock[];
  /** The id of the call that a tool result answers. */
  readonly answers?: string;
}

/** The parts of `ctx stats` that a page shows, for all branches. */
export interface CostData extends Pick<
  StatsDocument,
  'usageRecorded' | 'usageRecordedBySource' | 'usageRecordedByModel' | 'usageRecordedByDay' | 'tools'
> {
  /** Each with the number of the entry of the first result. */
  readonly repeats: readonly (Repeat & { readonly entry: number })[];
}

export interface SessionReport {
  readonly kind: 'session';
  readonly version: string;
  /** The page that lists all sessions, if this page is part of a site. */
  readonly home?: string;
  readonly file: string;
  readonly id: string;
  readonly title: string;
  readonly cwd: string | null;
  readonly sessionVersion: number | null;
  /** The agent that wrote the session, if it is not Pi. */
  readonly agent: Pick<AgentOrigin, 'title' | 'version' | 'parts'> | null;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly first: number | null;
  readonly last: number | null;
  /** The entry at the end of the path; -1 for an empty session. */
  readonly end: number;
  readonly problems: readonly string[];
  /** The size of the next request. */
  readonly size: ContextSize;
  /** The contents of the next request, which add up to its size. */
  readonly holds: readonly CompositionRow[];
  /** Whether the system prompt and the tools are known. */
  readonly isPreambleKnown: boolean;
  /** The context window of the model at the end of the path. */
  readonly window: ContextWindow;
  /** The maximum bytes of an entry's texts; null if nothing was truncated. */
  readonly textLimit: number | null;
  readonly words: readonly string[];
  readonly entries: EntryColumns;
  readonly messages: readonly ReportMessage[];
  readonly parts: readonly ReportPiece[];
  readonly tools: readonly ReportPiece[];
  readonly preambles: readonly ReportPreamble[];
  readonly requests: RequestColumns;
  readonly cache: CacheData;
  readonly losses: readonly LossData[];
  readonly cost: CostData;
  readonly conversation: ConversationData;
  /** The entries of the path; null for one without text. A list in the page; made one by one as the page is written. */
  readonly drawn: Iterable<DrawnEntry | null>;
}

export interface IndexedSession {
  readonly file: string;
  readonly id: string;
  readonly title: string;
  readonly cwd: string | null;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly bytes: number;
  readonly entries: number;
  readonly model: string;
  readonly contextTokens: number;
  readonly isContextRecorded: boolean;
  /** Dollars as recorded. */
  readonly cost: number | null;
  /** Dollars of the calls without a recorded cost, at listed prices; null if there are none. */
  readonly costListed: number | null;
  readonly problems: number;
  /** Its page in a site. */
  readonly page?: string;
  readonly figures?: SessionFigures;
}

/**
 * The sums of a session that a site charts, in tokens. `first`: milliseconds since 1970. `unpricedCalls`: calls without
 * a known cost.
 */
export interface SessionFigures {
  readonly first: number | null;
  /** The context at the end by kind of content, then the tokens that are not recorded. */
  readonly context: readonly number[];
  /** All prompts: cached, re-billed and new. */
  readonly prompts: readonly number[];
  readonly unpricedCalls: number;
}

/** The data of a page about a folder of sessions. */
export interface IndexReport {
  readonly kind: 'index';
  readonly version: string;
  readonly folder: string;
  /** Dollars as recorded, of all sessions; entries that forks share count once. */
  readonly cost: number | null;
  /** Dollars of their calls without a recorded cost, at listed prices; null if there are none. */
  readonly costListed: number | null;
  readonly sessions: readonly IndexedSession[];
  readonly unreadable: readonly (readonly [file: string, why: string])[];
}
