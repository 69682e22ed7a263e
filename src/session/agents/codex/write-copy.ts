import { CtxError } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import type { CopiedSession, CopyFacts, CopyForm, CopyStamps } from '../copier.js';
import { type CopyChanges, findFirstChange, type NewCompaction } from '../copy-changes.js';
import { type AgentRecord, findEnd } from '../native-records.js';
import { encodeRecord, keepRecord } from '../written-records.js';
import { CopyCounts } from './copy-counts.js';
import { itemPartOf } from './items.js';
import { Ordinals } from './ordinals.js';
import { collectEdits, listChanged, type RecordEdits } from './record-edits.js';
import { historyBaseOf, isItemRecord, isRolloutHeader, payloadOf } from './record-payload.js';

/** Writes a copy of a session, record by record. See {@link AgentCopier.write}. */
export function* writeCopy(
  session: CopiedSession,
  changes: CopyChanges,
  facts: CopyFacts,
  form: CopyForm,
): Generator<Uint8Array> {
  const { native } = session;
  const isOnPath = form === 'path' || changesTurns(changes) ? buildPathTest(session) : () => true;
  const counts = new CopyCounts(findFirstChange(native, session.path, changes), facts.contextTokens);
  const edits = collectEdits(session, changes);
  const end = findEnd(native, changes.end);
  const ordinals = new Ordinals();
  const encodeNew = (value: JsonObject): Uint8Array => encodeRecord({ value: ordinals.append(value), raw: null });
  let isFirst = true;
  for (const record of native.all()) {
    if (record.offset > end) break;
    if (isFirst && isRolloutHeader(record.value)) {
      isFirst = false;
      yield encodeRecord(ordinals.number({ value: forkHeader(session, record.value, facts), raw: null }));
      continue;
    }
    for (const value of edits.preceding.get(record.offset) ?? []) yield encodeNew(value);
    const edit = edits.changed.get(record.offset);
    if (edit === null || !isOnPath(record)) continue;
    const counted = counts.take(edit ?? record.value, record.offset);
    if (counted === null) continue;
    const written = counted === record.value ? keepRecord(native, record) : { value: counted, raw: null };
    yield encodeRecord(ordinals.number(written));
  }

  for (const value of edits.atEnd) yield encodeNew(value);
  if (changes.compaction) {
    yield encodeNew(buildCompaction(session, changes.compaction, changes, edits, facts));
    const estimate = counts.afterCompaction(facts.timestamp);
    if (estimate) yield encodeNew(estimate);
  }
  for (const text of changes.added) yield encodeNew(buildMessage(text, facts));
}

/**
 * Whether a copy has other turns. A rollback counts the turns that it drops, from the newest one on. In a copy that
 * lacks messages it would drop other turns, and with a new compaction also the turn before it.
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
    const isHidden = isItemRecord(value) && itemPartOf(payloadOf(value)) === 'hidden';
    return (
      isHidden ||
      !(isItemRecord(value) || value['type'] === 'compacted' || value['type'] === 'inter_agent_communication')
    );
  };
}

/**
 * The header of a fork of a session. Throws a CtxError (refused) for a session whose history begins in another file.
 */
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

/** A compaction, as the client records it: the history that goes on is the summary and the items that are kept. */
function buildCompaction(
  { native, path: entries }: CopiedSession,
  { summary, firstKept }: NewCompaction,
  changes: CopyChanges,
  edits: RecordEdits,
  { timestamp }: CopyStamps,
): JsonObject {
  const start = firstKept === null ? entries.length : entries.findIndex(({ index }) => index === firstKept);
  const kept = entries
    .slice(start)
    .filter(({ index }) => !changes.dropped.has(index))
    .flatMap((head) => listChanged(native, head, changes, edits))
    .filter(isItemRecord)
    .map(payloadOf);
  const payload = { message: summary, replacement_history: [buildUserItem(summary), ...kept] };
  return { timestamp, type: 'compacted', payload };
}

function buildMessage(text: string, { timestamp }: CopyStamps): JsonObject {
  return { timestamp, type: 'response_item', payload: buildUserItem(text) };
}

function buildUserItem(text: string): JsonObject {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}
