import path from 'node:path';
import { buildWarning, type Problem } from '#base/errors.js';
import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { formatTime } from '#base/time.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentSession, RecordedParts } from '../define.js';
import { listEditorFolders } from '../editor-folders.js';
import { EntryList } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';
import { listCursorMessages } from './conversation.js';
import { isMissing } from './database.js';
import { TranscriptReader } from './transcript-reader.js';

function read(lines: Iterable<AgentRecord>, file: string): AgentSession {
  const id = path.basename(file).replace(/\.jsonl?$/, '');
  let reader: TranscriptReader | null = null;
  let unusedLines = 0;
  for (const line of lines) {
    if (line.value['cursor'] === 'composer') return readComposer(line.value, toLineSpan(line), id);
    reader ??= new TranscriptReader(id);
    if (!reader.take(line)) unusedLines += 1;
  }
  const parent = SUBAGENT.exec(file)?.[1] ?? null;
  return {
    header: buildPiHeader({ id, timestamp: null, parentSession: parent }),
    isSubagent: parent !== null,
    version: null,
    entries: reader?.list.entries ?? [],
    leafId: reader?.list.leafId ?? null,
    unusedLines,
    problems: [],
    parts: PARTS,
  };
}

/** `agent-transcripts/SESSION/subagents/ID.jsonl` */
const SUBAGENT = /[\\/]([^\\/]+)[\\/]subagents[\\/][^\\/]+\.jsonl$/;

/** The words around the messages, such as open files and rules, are not recorded, nor are compactions. */
const PARTS: RecordedParts = {
  system: 'missing',
  tools: 'missing',
  messages: 'approximate',
  compactions: 'missing',
  usage: 'missing',
};

function readComposer(document: JsonObject, span: LineSpan, file: string): AgentSession {
  const composer = asObject(document['composer']);
  const { composerId, name, createdAt, workspaceIdentifier, subagentInfo } = composer;
  const id = asString(composerId) ?? file;
  const list = new EntryList(id);
  const created = asCount(createdAt) ?? Number.NaN;
  const title = asString(name) ?? '';
  if (title !== '') list.add({ type: 'session_info', lines: [span], time: created, build: () => ({ name: title }) });
  for (const [index, { role, time, model }] of listCursorMessages(document).entries()) {
    const at = { lines: [span], time };
    if (role === 'assistant') list.addModel('cursor', model, at);
    list.addMessage(role, at, ([value]) => listCursorMessages(value)[index]?.message ?? {});
  }
  const parent = asString(asObject(subagentInfo)['parentComposerId']);
  return {
    header: buildPiHeader({
      id,
      timestamp: formatTime(asCount(createdAt)),
      cwd: asObject(asObject(workspaceIdentifier)['uri'])['fsPath'],
      parentSession: parent,
    }),
    isSubagent: isObject(subagentInfo),
    version: null,
    entries: list.entries,
    leafId: list.leafId,
    unusedLines: list.entries.length === 0 ? 1 : 0,
    problems: listMissing(document),
    parts: PARTS,
  };
}

function listMissing(document: JsonObject): readonly Problem[] {
  const count = listObjects(document['messages']).filter(isMissing).length;
  const what = pluralize(count, 'message');
  return count === 0 ? [] : [buildWarning('missing-messages', `${what} of this conversation not in the database`)];
}

/**
 * Tests whether a line is a message of a transcript: no other agent writes a role beside a message without a type and
 * an id.
 */
function isTranscriptLine(line: JsonObject): boolean {
  const { role, message } = line;
  if (role !== 'user' && role !== 'assistant') return false;
  return isObject(message) && 'content' in message && KEYS_OF_OTHERS.every((key) => !(key in line));
}

const KEYS_OF_OTHERS = ['type', 'id', 'uuid', 'parentId', 'parentUuid', 'sessionId', 'session_id'];

/** Cursor: the transcripts of its agent, and the conversations in the database of the editor: see `cursorStore`. */
export const cursor: AgentFormat = {
  name: 'cursor',
  title: 'Cursor',
  detect: ([first]) =>
    first !== undefined && (isTranscriptLine(first) || (first['cursor'] === 'composer' && isObject(first['composer']))),
  document: /^\s*\{\s*"cursor":"composer"/,
  folders: (env, home) => [
    path.join(home, '.cursor', 'projects'),
    ...listEditorFolders(env, home, ['Cursor']).map((folder) => path.join(folder, 'globalStorage', 'state.vscdb')),
  ],
  mayEnter: (file) => !/[\\/]projects[\\/][^\\/]+[\\/](?!agent-transcripts(?:[\\/]|$))/.test(file),
  isSession: (file) =>
    /[\\/]agent-transcripts[\\/].*\.jsonl$/.test(file) || /[\\/]state\.vscdb[\\/][\w-]+\.json$/.test(file),
  read,
};
