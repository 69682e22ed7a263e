import type { JsonObject } from '#base/json.js';
import type { Head } from '../../heads/head.js';
import type { LineSpan } from '../../scan/lines.js';
import type { CopiedSession } from '../copier.js';
import type { CopyChanges } from '../copy-changes.js';
import type { NativeRecords } from '../native-records.js';
import { editAnswer, editHistory, withContent } from './edited-items.js';
import { toInputPart, toOutput } from './input-parts.js';
import { itemPartOf } from './items.js';
import { buildAbortedResult } from './paired-items.js';
import { payloadOf, withPayload } from './record-payload.js';

/** The changes of records, by their offset. */
export interface RecordEdits {
  /** The new values; null for a record that the copy lacks. */
  readonly changed: Map<number, JsonObject | null>;
  /** New records, by the offset of the one that follows them. */
  readonly preceding: Map<number, readonly JsonObject[]>;
  /** New records that nothing follows. */
  atEnd: readonly JsonObject[];
}

export function collectEdits(session: CopiedSession, changes: CopyChanges): RecordEdits {
  const { native } = session;
  const edits: RecordEdits = { changed: new Map(), preceding: new Map(), atEnd: [] };
  const heads = new Map(session.path.map((head) => [head.index, head]));
  for (const { offset } of listDropped(session, changes)) edits.changed.set(offset, null);
  for (const [index, content] of changes.replaced) {
    const head = heads.get(index);
    if (head) replaceContent(edits, session, changes, head, content);
  }
  for (const [index, messages] of changes.histories) {
    const head = heads.get(index);
    const [span] = head ? native.of(head) : [];
    if (!span) continue;
    const value = native.valueAt(span);
    edits.changed.set(span.offset, withPayload(value, editHistory(payloadOf(value), messages)));
  }
  return edits;
}

/** The records that a copy lacks. */
function listDropped({ path: entries, later, native }: CopiedSession, { dropped, undone }: CopyChanges): LineSpan[] {
  const messages = entries.filter(({ index }) => dropped.has(index));
  const compactions = entries.filter(({ index }) => undone.has(index));
  return [
    ...[...messages, ...later].flatMap((head) => native.of(head)),
    // A compaction that records no history is also read from the records before it, which stay: messages, and another
    // compaction.
    ...compactions.flatMap((head) => native.of(head).filter(({ offset }) => offset === head.offset)),
  ];
}

function replaceContent(
  edits: RecordEdits,
  session: CopiedSession,
  changes: CopyChanges,
  head: Head,
  content: readonly JsonObject[],
): void {
  const { native } = session;
  const records = native.of(head).map((span) => ({ span, value: native.valueAt(span) }));
  const [first] = records;
  if (head.role === 'assistant') replaceAnswer(edits, records, content);
  else if (isAborted(native, head)) writeAborted(edits, session, changes, head);
  else if (first)
    edits.changed.set(first.span.offset, withPayload(first.value, withContent(payloadOf(first.value), content)));
}

/**
 * Writes the results with another content that Codex itself made for calls, with those beside them. They come before
 * the record that they are sent before.
 */
function writeAborted(
  edits: RecordEdits,
  { native, path: entries }: CopiedSession,
  changes: CopyChanges,
  own: Head,
): void {
  const isOther = (head: Head): boolean => !isAborted(native, head);
  const at = entries.indexOf(own);
  const start = entries.slice(0, at).findLastIndex(isOther) + 1;
  const next = entries.slice(at).find(isOther);
  const group = entries.slice(start, next ? entries.indexOf(next) : undefined);
  const records = group.flatMap((head) =>
    changes.dropped.has(head.index) ? [] : listAborted(native, head, changes.replaced.get(head.index)),
  );
  if (next) edits.preceding.set(native.of(next)[0]?.offset ?? 0, records);
  else edits.atEnd = records;
}

/** Whether an entry is a result whose record is its call: Codex makes the result. */
function isAborted({ of, valueAt }: NativeRecords, head: Head): boolean {
  if (head.role !== 'toolResult') return false;
  return of(head).some((span) => itemPartOf(payloadOf(valueAt(span))) === 'answer');
}

/** The record of a result that Codex makes. */
function listAborted(
  { of, valueAt }: NativeRecords,
  head: Head,
  content?: readonly JsonObject[],
): readonly JsonObject[] {
  return of(head).map((span) => {
    const value = valueAt(span);
    const result = buildAbortedResult(payloadOf(value));
    return { ...value, payload: content ? { ...result, output: toOutput(content.map(toInputPart)) } : result };
  });
}

/** A record with its value. */
interface ItemRecord {
  readonly span: LineSpan;
  readonly value: JsonObject;
}

/** Replaces the content of an answer, and keeps the records of items that stay. */
function replaceAnswer(edits: RecordEdits, records: readonly ItemRecord[], content: readonly JsonObject[]): void {
  const own = records.filter(({ value }) => itemPartOf(payloadOf(value)) === 'answer');
  const items = editAnswer(
    own.map(({ value }) => payloadOf(value)),
    content,
  );
  for (const [at, { span, value }] of own.entries()) {
    const item = items[at] ?? null;
    if (item !== payloadOf(value)) edits.changed.set(span.offset, item && withPayload(value, item));
  }
}

/** The records of an entry with the changes of the copy. */
export function listChanged(
  native: NativeRecords,
  head: Head,
  { replaced }: CopyChanges,
  edits: RecordEdits,
): readonly JsonObject[] {
  if (isAborted(native, head)) return listAborted(native, head, replaced.get(head.index));
  return native.of(head).flatMap((span) => {
    const edit = edits.changed.get(span.offset);
    return edit === null ? [] : [edit ?? native.valueAt(span)];
  });
}
