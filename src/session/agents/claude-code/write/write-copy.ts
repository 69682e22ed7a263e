import { Buffer } from 'node:buffer';
import { asString, isObject, type JsonObject } from '#base/json.js';
import type { CopiedSession, CopyForm, CopyStamps } from '../../copier.js';
import type { CopyChanges, NewCompaction } from '../../copy-changes.js';
import { type AgentRecord, findEnd, type NativeRecords } from '../../native-records.js';
import {
  appendMember,
  encodeRecord,
  keepRecord,
  parseCharacters,
  replaceMember,
  type WrittenRecord,
} from '../../written-records.js';
import { isBoundary, isInChain } from './broken-links.js';
import { buildAddedMessages, buildCompaction } from './new-records.js';
import { listPathRecords, type PathRecord } from './path-records.js';
import { RecordEdits } from './record-edits.js';

/** Writes a copy of a session, record by record. See {@link AgentCopier.write}. */
export function* writeCopy(
  session: CopiedSession,
  changes: CopyChanges,
  stamps: CopyStamps,
  form: CopyForm,
): Generator<Uint8Array> {
  const edits = new RecordEdits(session, changes, stamps);
  const isWhole = form === 'whole';
  let last: JsonObject | null = null;
  for (const { record, isNew } of isWhole ? listAll(session, changes, edits) : listPath(session, changes, edits)) {
    const copied = isNew ? record : giveId(record, session.id, stamps.sessionId);
    if (isOfConversation(copied.value)) last = copied.value;
    yield encodeRecord(copied);
  }
  if (last === null) return;
  for (const value of edits.atEnd) {
    last = isWhole ? value : { ...value, parentUuid: last['uuid'] };
    yield encodeRecord({ value: last, raw: null });
  }
  const compaction = changes.compaction
    ? buildCompaction(last, changes.compaction, listKept(session, changes.compaction, edits), stamps)
    : [];
  const added = buildAddedMessages(changes.added, compaction.at(-1) ?? last, stamps);
  for (const value of [...compaction, ...added]) yield encodeRecord({ value, raw: null });
}

/** Records get the id of the copy. All other files are what they were. */
export function convertSideFile(
  name: string,
  content: Uint8Array,
  { from, to }: Record<'from' | 'to', string>,
): Uint8Array {
  if (!name.endsWith('.jsonl')) return content;
  const lines = Buffer.from(content).toString('latin1').split('\n');
  const converted = lines.map((raw) => {
    const value = parseCharacters(raw);
    return isObject(value) ? giveId({ value, raw }, from, to).raw : raw;
  });
  return Buffer.from(converted.join('\n'), 'latin1');
}

/** A record of a copy. One that is new has the id of the copy already. */
interface CopiedRecord {
  readonly record: WrittenRecord;
  readonly isNew: boolean;
}

function isOfConversation(value: JsonObject): boolean {
  return isInChain(value) && value['isSidechain'] !== true && value['type'] !== 'progress';
}

/** All records up to the end, where they are. */
function* listAll({ native }: CopiedSession, { end }: CopyChanges, edits: RecordEdits): Generator<CopiedRecord> {
  const last = findEnd(native, end);
  for (const record of native.all()) {
    // A result is replaced wherever that is recorded.
    if (record.offset > last && record.value['type'] !== 'content-replacement') continue;
    const edited = edits.apply(record, () => keepRecord(native, record));
    for (const value of edits.before(record)) yield { record: { value, raw: null }, isNew: true };
    if (edited !== null) yield { record: edited, isNew: false };
  }
}

/**
 * Lists the records of the conversation, each after the previous one, with the records outside of the tree between
 * them.
 */
function* listPath(session: CopiedSession, { end }: CopyChanges, edits: RecordEdits): Generator<CopiedRecord> {
  const { native } = session;
  const own = listPathRecords(session);
  const others = listOutsideTree(native, own, findEnd(native, end));
  let next = 0;
  const takeOthers = function* (before: number): Generator<CopiedRecord> {
    for (let other = others[next]; other && other.offset < before; other = others[next]) {
      next += 1;
      const edited = edits.apply(other, () => keepRecord(native, other));
      if (edited !== null) yield { record: edited, isNew: false };
    }
  };
  let above: string | null = null;
  for (const { record, isStart } of own) {
    yield* takeOthers(record.offset);
    for (const value of edits.before(record)) {
      yield { record: { value: { ...value, parentUuid: above }, raw: null }, isNew: true };
      above = asString(value['uuid']);
    }
    const edited = edits.apply(record, () => keepRecord(native, record));
    if (edited === null) continue;
    yield { record: isStart ? beginWith(edited, above) : follow(edited, above), isNew: false };
    above = asString(edited.value['uuid']);
  }
  yield* takeOthers(Infinity);
}

/**
 * Lists the records outside of the tree that belong to a conversation: those of subagents in its file, and those that
 * name no other conversation.
 */
function listOutsideTree(native: NativeRecords, own: readonly PathRecord[], last: number): readonly AgentRecord[] {
  const uuids = new Set(own.map(({ record }) => record.value['uuid']));
  return [...native.all()].filter(({ value, offset }) => {
    if (isInChain(value)) return value['isSidechain'] === true && offset <= last;
    const isNamed = value['leafUuid'] === undefined || uuids.has(value['leafUuid']);
    return isNamed && (offset <= last || value['type'] === 'content-replacement');
  });
}

/** A record that follows another one. */
function follow(record: WrittenRecord, above: string | null): WrittenRecord {
  const { parentUuid } = record.value;
  if (parentUuid === above) return record;
  return typeof parentUuid === 'string'
    ? replaceMember(record, 'parentUuid', parentUuid, above)
    : { value: { ...record.value, parentUuid: above }, raw: null };
}

/** A record that begins a conversation. What a boundary keeps follows its summary, and is not named. */
function beginWith(record: WrittenRecord, above: string | null): WrittenRecord {
  const first = follow(record, null);
  const { compactMetadata, ...value } = first.value;
  if (!isObject(compactMetadata)) return first;
  const { preservedMessages: _, preservedSegment: _segment, ...metadata } = compactMetadata;
  return { value: { ...value, logicalParentUuid: above, compactMetadata: metadata }, raw: null };
}

/** The ids of the records that a new compaction keeps: neither an earlier boundary nor the summary of a compaction. */
function listKept(
  { native, path: heads }: CopiedSession,
  { firstKept }: NewCompaction,
  edits: RecordEdits,
): readonly string[] {
  if (firstKept === null) return [];
  const start = heads.findIndex(({ index }) => index === firstKept);
  const kept = heads.slice(start).filter(({ type }) => type !== 'compaction');
  const spans = new Map(kept.flatMap((head) => native.of(head)).map((span) => [span.offset, span]));
  return [...spans.values()]
    .map((span) => native.valueAt(span))
    .filter((value) => isInChain(value) && !isBoundary(value))
    .flatMap(({ uuid }) => asString(uuid) ?? [])
    .filter((uuid) => !edits.lacks(uuid));
}

/** Gives a record the id of the copy, and says from where it was copied, as the client does when it forks a session. */
function giveId(record: WrittenRecord, from: string, to: string): WrittenRecord {
  const renamed = replaceMember(replaceMember(record, 'sessionId', from, to), 'session_id', from, to);
  const { value } = renamed;
  if (!isInChain(value) || 'forkedFrom' in value) return renamed;
  return appendMember(renamed, 'forkedFrom', { sessionId: from, messageUuid: value['uuid'] });
}
