import type { Problem } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { AgentNotice, AgentOrigin } from './agents/define.js';
import type { NativeRecords } from './agents/native-records.js';
import type { Entry } from './entry.js';
import type { Head, RawId } from './heads/head.js';
import type { ByteSource } from './scan/byte-source.js';
import type { Header } from './scan/header.js';
import type { LineSpan } from './scan/lines.js';
import type { Scan } from './scan/scan.js';
import type { Tree } from './tree/tree.js';

/** A session file that was read: its tree is known, its entries are parsed on demand. */
export interface Session {
  /** The file as it was passed, `-` for standard input. */
  readonly file: string;
  readonly header: Header;
  readonly scan: Scan;
  readonly tree: Tree;
  /** All problems of lines and links, in file order. */
  readonly problems: readonly Problem[];
  /** Every line is parsed, to check the shortcuts. */
  readonly isStrict: boolean;
  /** The file. */
  readonly source: ByteSource;
  /** The agent that wrote the file, if it is not Pi. */
  readonly agent?: AgentOrigin;
  /** The id of the session from which another agent copied an entry; null if it did not. */
  copiedFrom?(index: number): string | null;
  /** Whether the `timestamp` of every message is the time of its head. */
  readonly hasMessageTimes?: boolean;
  /**
   * The circumstances of the request between two answers that another agent records beside its messages. `first`: an
   * entry up to which earlier ones still count.
   */
  notices?(first: Head, before: Head, now: Head): readonly AgentNotice[];
  /** The records of another agent's file. */
  readonly native?: NativeRecords;
  /** One entry, migrated to version 3. An empty object for a line that is JSON but not an object. */
  entry(head: Head): Entry;
  /**
   * The line of an entry as stored, or its lines in the file of another agent, including newlines. A piece is valid
   * only until the next one is requested.
   */
  bytes(head: LineSpan): Generator<Uint8Array>;
  /** The `usage` that a provider reported with an entry, read without the rest of its line if possible. */
  usage(head: Head): JsonObject | null;
}

/** Parses each entry once and keeps it, until the lines of the kept entries have more than `most` bytes together. */
export function cacheEntries<Read extends Session>(session: Read, most: number): Read {
  const kept = new Map<number, Entry>();
  let bytes = 0;
  const entry = (head: Head): Entry => {
    const earlier = kept.get(head.index);
    if (earlier) return earlier;
    const value = session.entry(head);
    bytes += head.length;
    if (bytes < most) kept.set(head.index, value);
    return value;
  };
  return { ...session, entry };
}

/** The number of problems that are damage: notes do not count. */
export function countDamage({ problems }: Session): number {
  return problems.filter(({ severity }) => severity !== 'note').length;
}

/** The session's name: the last `session_info` of the file, which may clear it. */
export function nameOf(session: Session): string | null {
  const info = [...session.tree.heads.ofType('session_info')].at(-1);
  const name = info && session.entry(info).name;
  return (typeof name === 'string' && name.trim()) || null;
}

/** The labels in force by target id: the last label entry of the file wins, an empty one clears the label. */
export function labelsOf(session: Session): ReadonlyMap<unknown, string> {
  const labels = new Map<unknown, string>();
  for (const head of session.tree.heads.ofType('label')) {
    if (head.target === undefined) continue;
    const label = session.entry(head).label;
    if (typeof label === 'string' && label !== '') labels.set(head.target, label);
    else labels.delete(head.target);
  }
  return labels;
}

/** Labels by the index of their entry, for entries that are in the file. */
export function indexLabels(session: Session): ReadonlyMap<number, string> {
  const labels = new Map<number, string>();
  for (const [id, label] of labelsOf(session)) {
    // Labels are stored under the ids as entries write them.
    const head = session.tree.heads.find(id as RawId);
    if (head) labels.set(head.index, label);
  }
  return labels;
}
