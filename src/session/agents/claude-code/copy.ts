import { Buffer } from 'node:buffer';
import path from 'node:path';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { toShellWord } from '#base/shell.js';
import type { AgentCopier, CopiedSession, CopyChanges, CopyStamps, NewCompaction } from '../copy.js';
import {
  appendMember,
  encodeRecord,
  findEnd,
  keepRecord,
  listRecordsFrom,
  parseCharacters,
  replaceMember,
  type WrittenRecord,
} from '../native-records.js';
import { findBrokenLinks, isInChain } from './broken-links.js';
import { commonFields } from './common-fields.js';
import { buildBoundary, buildSummary } from './compaction-records.js';
import { RecordEdits } from './copy-edits.js';
import { overcomesFault } from './overcome-faults.js';
import { findFlaws } from './record-flaws.js';
import { claudeMembers } from './record-members.js';

/** Records that repeat what others say, or sum up calls: the client writes its own for the copy. */
const DERIVED: ReadonlySet<unknown> = new Set(['api-request', 'api-request-blob', 'cost-state']);

/** Writes copies that `claude --resume` opens. */
export const claudeCopier: AgentCopier = {
  isDerived: ({ type }) => DERIVED.has(type),
  sendsStoredImages: true,
  orphanType: 'claude-code:orphan-result',
  overcomes: overcomesFault,
  findBrokenLinks,
  findFlaws,
  members: claudeMembers,
  write,
  convertSideFile,
  place: ({ folder, root, cwd, sessionId }) => {
    const isProject = path.basename(path.dirname(folder)) === 'projects';
    const project = isProject ? folder : path.join(root, (cwd ?? '').replaceAll(/[^a-zA-Z0-9]/g, '-'));
    return path.join(project, `${sessionId}.jsonl`);
  },
  opensInFolder: true,
  resumeCommand: (sessionId, file) =>
    file === null ? `claude --resume ${sessionId}` : `claude --resume ${toShellWord(file)} --fork-session`,
};

/** Records get the id of the copy. All other files are what they were. */
function convertSideFile(name: string, content: Uint8Array, { from, to }: Record<'from' | 'to', string>): Uint8Array {
  if (!name.endsWith('.jsonl')) return content;
  const lines = Buffer.from(content).toString('latin1').split('\n');
  const converted = lines.map((raw) => {
    const value = parseCharacters(raw);
    return isObject(value) ? giveId({ value, raw }, from, to).raw : raw;
  });
  return Buffer.from(converted.join('\n'), 'latin1');
}

function* write(session: CopiedSession, changes: CopyChanges, stamps: CopyStamps): Generator<Uint8Array> {
  const { native, id } = session;
  const edits = new RecordEdits(session, changes, stamps);
  const end = findEnd(native, changes.end);
  let last: JsonObject | null = null;
  for (const record of native.all()) {
    if (record.offset > end) break;
    const edited = edits.apply(record, () => keepRecord(native, record));
    for (const value of edits.before(record)) yield encodeRecord({ value, raw: null });
    if (edited === null) continue;
    const copied = giveId(edited, id, stamps.sessionId);
    if (isInChain(copied.value) && copied.value['isSidechain'] !== true && copied.value['type'] !== 'progress')
      last = copied.value;
    yield encodeRecord(copied);
  }
  if (last === null) return;
  for (const value of edits.atEnd) yield encodeRecord({ value: (last = value), raw: null });
  const compaction = changes.compaction ? buildCompaction(session, last, changes.compaction, stamps) : [];
  const added = buildMessages(changes.added, compaction.at(-1) ?? last, stamps);
  for (const value of [...compaction, ...added]) yield encodeRecord({ value, raw: null });
}

/** Gives a record the id of the copy, and says from where it was copied, as the client does when it forks a session. */
function giveId(record: WrittenRecord, from: string, to: string): WrittenRecord {
  const renamed = replaceMember(replaceMember(record, 'sessionId', from, to), 'session_id', from, to);
  const { value } = renamed;
  if (!isInChain(value) || 'forkedFrom' in value) return renamed;
  return appendMember(renamed, 'forkedFrom', { sessionId: from, messageUuid: value['uuid'] });
}

/** Messages that the client does not show to the user. */
function buildMessages(
  texts: readonly string[],
  last: JsonObject,
  { timestamp, newId }: CopyStamps,
): readonly JsonObject[] {
  let parentUuid = last['uuid'];
  return texts.map((content) => {
    const uuid = newId();
    const message = { role: 'user', content };
    const value = { parentUuid, isSidechain: false, type: 'user', message, isMeta: true, uuid, timestamp };
    parentUuid = uuid;
    return { ...value, ...commonFields(last) };
  });
}

/** The boundary and the summary of a compaction, as the client writes them. */
function buildCompaction(
  { native, path: entries }: CopiedSession,
  last: JsonObject,
  { summary, firstKept, tokensBefore }: NewCompaction,
  { timestamp, newId }: CopyStamps,
): readonly JsonObject[] {
  const common = commonFields(last);
  const boundary = newId();
  const anchor = newId();
  const records = firstKept === null ? [] : listRecordsFrom(native, entries, firstKept);
  const kept = records.filter(isInChain).flatMap(({ uuid }) => asString(uuid) ?? []);
  const preserved = kept.length === 0 ? {} : { preservedMessages: { anchorUuid: anchor, uuids: kept, allUuids: kept } };
  return [
    {
      parentUuid: null,
      logicalParentUuid: last['uuid'],
      isSidechain: false,
      ...buildBoundary(tokensBefore, preserved),
      timestamp,
      uuid: boundary,
      ...common,
    },
    {
      parentUuid: boundary,
      isSidechain: false,
      promptId: newId(),
      ...buildSummary(summary),
      uuid: anchor,
      timestamp,
      ...common,
    },
  ];
}
