import path from 'node:path';
import { canonicalJson } from '#base/canonical-json.js';
import { CtxError } from '#base/errors.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import type { Head } from '../../heads/head.js';
import type { LineSpan } from '../../scan/lines.js';
import type { AgentCopier, CopiedSession, CopyFacts, CopyForm, CopyStamps } from '../copier.js';
import { type CopyChanges, findFirstChange, type NewCompaction } from '../copy-changes.js';
import { type AgentRecord, findEnd, type NativeRecords } from '../native-records.js';
import { encodeRecord, keepRecord, parseCharacters, type WrittenRecord } from '../written-records.js';
import { CopyCounts } from './copy-counts.js';
import { editAnswer, editHistory, withContent } from './edited-items.js';
import { toInputPart, toOutput } from './input-parts.js';
import { historyBaseOf, isRedactedReasoning, isRolloutHeader, itemPartOf, payloadOf, withPayload } from './items.js';
import { listReplacement } from './messages.js';
import { buildAbortedResult } from './paired-items.js';
import { codexMembers } from './record-members.js';

/** Writes copies that `codex resume` opens. Codex looks for them below its own folder only. */
export const codexCopier: AgentCopier = {
  isDerived: () => false,
  sendsStoredImages: false,
  wholeResults: new Map([['tool_search', 'a list of found tools has no text to shorten']]),
  recordsHistory: (record) => 'replacement_history' in payloadOf(record),
  orphanType: null,
  // Tried with 0.171: it pairs calls, leaves out damaged lines, and sends thinking as it is.
  effectOf: ({ rule, cause }) => (STOPPING.has(rule) || cause !== undefined ? 'stops' : 'goes on'),
  startsAtOrphan: () => false,
  sentPart: payloadOf,
  findFlaws: (record) =>
    [payloadOf(record), ...listReplacement(payloadOf(record))].some(isRedactedReasoning) ? ['unsigned thinking'] : [],
  members: codexMembers,
  write,
  place({ folder, root, sessionId, timestamp }) {
    const [date = '', time = ''] = timestamp.slice(0, 19).split('T');
    const sessions = /^(.*[/\\]sessions)[/\\]\d{4}[/\\]\d\d[/\\]\d\d$/.exec(folder)?.[1] ?? root;
    return path.join(sessions, ...date.split('-'), `rollout-${date}T${time.replaceAll(':', '-')}-${sessionId}.jsonl`);
  },
  opensInFolder: false,
  resumeCommand: (sessionId, file) => (file === null ? `codex resume ${sessionId}` : null),
};

const STOPPING: ReadonlySet<string> = new Set(['lost-signature', 'usage-above-window']);

function* write(session: CopiedSession, changes: CopyChanges, facts: CopyFacts, form: CopyForm): Generator<Uint8Array> {
  const { native } = session;
  const isOnPath = form === 'path' || changesTurns(changes) ? buildPathTest(session) : () => true;
  const counts = new CopyCounts(findFirstChange(native, session.path, changes), facts.contextTokens);
  const edits = collectEdits(session, changes);
  const end = findEnd(native, changes.end);
  const numbers = new Ordinals();
  let isFirst = true;
  for (const record of native.all()) {
    if (record.offset > end) break;
    if (isFirst && isRolloutHeader(record.value)) {
      isFirst = false;
      yield encodeRecord(numbers.number({ value: forkHeader(session, record.value, facts), raw: null }));
      continue;
    }
    for (const value of edits.preceding.get(record.offset) ?? [])
      yield encodeRecord({ value: numbers.append(value), raw: null });
    const edit = edits.changed.get(record.offset);
    if (edit === null || !isOnPath(record)) continue;
    const counted = counts.take(edit ?? record.value, record.offset);
    if (counted === null) continue;
    const written = counted === record.value ? keepRecord(native, record) : { value: counted, raw: null };
    yield encodeRecord(numbers.number(written));
  }
  const compaction = changes.compaction
    ? buildCompaction(session, { ...changes.compaction, changes, edits }, facts, counts)
    : [];
  const added = changes.added.map((text) => buildMessage(text, facts));
  for (const value of [...edits.atEnd, ...compaction, ...added])
    yield encodeRecord({ value: numbers.append(value), raw: null });
}

/**
 * Whether a copy has other turns. A rollback counts those that it drops, from the newest one on: it would drop others in a copy
 * that lacks messages, and a new compaction with the turn before it.
 */
function changesTurns({ dropped, compaction, added }: CopyChanges): boolean {
  return dropped.size > 0 || compaction !== null || added.length > 0;
}

/** Builds a test for the records of a path: those of turns that were rolled back fail it, and the rollbacks. */
function buildPathTest({ native, path: entries }: CopiedSession): (record: AgentRecord) => boolean {
  const own = new Set(entries.flatMap((head) => native.of(head)).map(({ offset }) => offset));
  return ({ value, offset }) => {
    if (own.has(offset)) return true;
    const { type } = payloadOf(value);
    if (value['type'] === 'event_msg') return type !== 'thread_rolled_back';
    const isHidden = isItem(value) && itemPartOf(payloadOf(value)) === 'hidden';
    return (
      isHidden || !(isItem(value) || value['type'] === 'compacted' || value['type'] === 'inter_agent_communication')
    );
  };
}

function buildMessage(text: string, { timestamp }: CopyStamps): JsonObject {
  const payload = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  return { timestamp, type: 'response_item', payload };
}

/** Numbers the records of a copy without gaps, where the client numbers them: it opens no other file. */
class Ordinals {
  private next: number | null = null;

  number(record: WrittenRecord): WrittenRecord {
    const { ordinal } = record.value;
    if (typeof ordinal !== 'number') return record;
    const own = this.next ?? ordinal;
    this.next = own + 1;
    if (own === ordinal) return record;
    const value = { ...record.value, ordinal: own };
    // The first member of this name is that of the record, unless another one with it comes before.
    const raw = record.raw?.replace(/"ordinal"\s*:\s*\d+/, `"ordinal":${own}`) ?? null;
    const isSame = raw !== null && canonicalJson(parseCharacters(raw)) === canonicalJson(value);
    return { value, raw: isSame ? raw : null };
  }

  append(value: JsonObject): JsonObject {
    const { timestamp, ordinal: _, ...fields } = value;
    const ordinal = this.next;
    if (ordinal === null) return { timestamp, ...fields };
    this.next = ordinal + 1;
    return { timestamp, ordinal, ...fields };
  }
}

/** The header of a fork of a session. Throws a CtxError (refused) for a session whose history begins in another file. */
function forkHeader({ id }: CopiedSession, value: JsonObject, { sessionId, timestamp }: CopyStamps): JsonObject {
  const meta = payloadOf(value);
  if (historyBaseOf(meta)) {
    throw new CtxError('refused', 'the history of this session begins in another file, which a copy cannot continue', {
      hint: 'copy the session that it was forked from',
    });
  }
  const renamed = { ...meta, id: sessionId, timestamp, forked_from_id: id };
  const named = 'session_id' in meta ? { ...renamed, session_id: sessionId } : renamed;
  return isObject(value['payload']) ? { ...value, timestamp, payload: named } : named;
}

/** The changes of records, by their offset. */
interface Edits {
  /** The new values; null for a record that the copy lacks. */
  readonly changed: Map<number, JsonObject | null>;
  /** New records, by the offset of the one that follows them. */
  readonly preceding: Map<number, readonly JsonObject[]>;
  /** New records that nothing follows. */
  atEnd: readonly JsonObject[];
}

function collectEdits(session: CopiedSession, changes: CopyChanges): Edits {
  const { native } = session;
  const edits: Edits = { changed: new Map(), preceding: new Map(), atEnd: [] };
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
    // A compaction that records no history is also read from the records before it, which stay: messages, and another compaction.
    ...compactions.flatMap((head) => native.of(head).filter(({ offset }) => offset === head.offset)),
  ];
}

function replaceContent(
  edits: Edits,
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
 * Writes the result that Codex makes for a call, since it has another content, and those beside it: before the record that
 * they are sent before.
 */
function writeAborted(edits: Edits, { native, path: entries }: CopiedSession, changes: CopyChanges, own: Head): void {
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
function replaceAnswer(edits: Edits, records: readonly ItemRecord[], content: readonly JsonObject[]): void {
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

/** A new compaction, and the changes that the messages after its summary have. */
interface CompactionOfCopy extends NewCompaction {
  readonly changes: CopyChanges;
  readonly edits: Edits;
}

/** The records of a compaction, as the client writes them. */
function buildCompaction(
  session: CopiedSession,
  compaction: CompactionOfCopy,
  facts: CopyFacts,
  counts: CopyCounts,
): readonly JsonObject[] {
  const estimate = counts.afterCompaction(facts.timestamp);
  return [buildCompacted(session, compaction, facts), ...(estimate ? [estimate] : [])];
}

/** A compaction, as the client records it: the history that goes on is the summary and the items that are kept. */
function buildCompacted(
  { native, path: entries }: CopiedSession,
  { summary, firstKept, changes, edits }: CompactionOfCopy,
  { timestamp }: CopyStamps,
): JsonObject {
  const text = { type: 'message', role: 'user', content: [{ type: 'input_text', text: summary }] };
  const start = firstKept === null ? entries.length : entries.findIndex(({ index }) => index === firstKept);
  const kept = entries.slice(start).flatMap((head) => {
    const records = changes.dropped.has(head.index) ? [] : listChanged(native, head, changes, edits);
    return records.filter(isItem).map(payloadOf);
  });
  return { timestamp, type: 'compacted', payload: { message: summary, replacement_history: [text, ...kept] } };
}

/** The records of an entry with the changes of the copy. */
function listChanged(
  native: NativeRecords,
  head: Head,
  { replaced }: CopyChanges,
  edits: Edits,
): readonly JsonObject[] {
  if (isAborted(native, head)) return listAborted(native, head, replaced.get(head.index));
  return native.of(head).flatMap((span) => {
    const edit = edits.changed.get(span.offset);
    return edit === null ? [] : [edit ?? native.valueAt(span)];
  });
}

function isItem(value: JsonObject): boolean {
  const type = asString(value['type']);
  return type === 'response_item' || (value['payload'] === undefined && type !== null);
}
