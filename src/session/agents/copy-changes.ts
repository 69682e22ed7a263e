import type { JsonObject } from '#base/json.js';
import type { Head } from '../heads/head.js';
import type { NativeRecords } from './native-records.js';

/** The changes that a copy of an agent's session makes, by the entries that `ctx` reads from that session. */
export interface CopyChanges {
  /** The entry at which the copy ends; null for a copy of everything. */
  readonly end: Head | null;
  /** The messages that the copy lacks, and results that the agent does not send anyway, by the index of their entry. */
  readonly dropped: ReadonlySet<number>;
  /** The new content of messages, as blocks in Pi's format, by the index of their entry. */
  readonly replaced: ReadonlyMap<number, readonly JsonObject[]>;
  /** The results of calls that have none, after the other results of the answer, by the index of its entry. */
  readonly answered: ReadonlyMap<number, readonly NewResult[]>;
  /** The compactions that are taken back, by the index of their entry. */
  readonly undone: ReadonlySet<number>;
  /** A compaction at the end of the copy; null for none. */
  readonly compaction: NewCompaction | null;
  /**
   * The messages with another content in a history that a compaction records, by the index of its entry, in their
   * order.
   */
  readonly histories: ReadonlyMap<number, readonly HistoryEdit[]>;
  /** The texts of new messages of the user at the end of the copy, after a compaction. */
  readonly added: readonly string[];
}

/** A message of a recorded history that gets another content, both as blocks in Pi's format. */
export interface HistoryEdit {
  /** The first message with this content, after the one that is edited before it, is meant. */
  readonly before: readonly JsonObject[];
  /** null: the message is left out. */
  readonly after: readonly JsonObject[] | null;
}

/** A result that says that a call has none. */
export interface NewResult {
  readonly callId: string;
  readonly text: string;
}

/** A summary that replaces the messages before the first one that is kept. */
export interface NewCompaction {
  readonly summary: string;
  /** The index of the entry of the first message that is kept; null keeps none. */
  readonly firstKept: number | null;
  /** The tokens of the context before. */
  readonly tokensBefore: number;
}

/**
 * Returns the offset of the first record that a copy changes, or keeps after a new compaction; Infinity if there is
 * none. The tokens that are recorded from there on count another context.
 */
export function findFirstChange(
  native: NativeRecords,
  path: readonly Head[],
  { dropped, replaced, answered, undone, compaction }: CopyChanges,
): number {
  const changed = new Set([...dropped, ...replaced.keys(), ...answered.keys(), ...undone, compaction?.firstKept]);
  const first = path.find(({ index }) => changed.has(index));
  return first ? Math.min(...native.of(first).map(({ offset }) => offset)) : Infinity;
}
