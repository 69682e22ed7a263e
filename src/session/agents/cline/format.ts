import path from 'node:path';
import { buildWarning, type Problem } from '#base/errors.js';
import { asCount, asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { formatTime, parseTimestamp } from '#base/time.js';
import type { LineSpan } from '../../scan/lines.js';
import { buildPiHeader } from '../blocks.js';
import type { SessionBundle } from '../bundle.js';
import type { AgentFormat, AgentSession, RecordedParts } from '../define.js';
import { listEditorFolders } from '../editor-folders.js';
import type { AgentRecord } from '../native-records.js';
import { readDocument } from '../one-document.js';
import { buildPartsWithoutPrompt, doubtParts, isVersionWithin } from '../versions.js';
import { clineSession, clineTask } from './bundles.js';
import { countCompacted, countMessages, SessionReader } from './session-reader.js';
import { findWorkingDirectory, TaskReader } from './task-reader.js';

function read(lines: Iterable<AgentRecord>, file: string): AgentSession {
  const { value: document, span, countUnused } = readDocument(lines);
  const session = document['cline'] === 'task' ? readTask(document, span, file) : readSession(document, span, file);
  return { ...session, unusedLines: countUnused(session.entries) };
}

type ClineSession = Omit<AgentSession, 'unusedLines'>;

function readSession(document: JsonObject, span: LineSpan, file: string): ClineSession {
  const { sessionId, origin, agent, version } = document;
  const { cwd, started_at: started, fork } = asObject(document['manifest']);
  const { parentThreadId, subagent, version: ofOrigin } = asObject(origin);
  const { forkedFromSessionId: forked } = asObject(fork);
  const id = asString(sessionId) ?? findId(file);
  const reader = new SessionReader(span, id, document);
  const begin = parseTimestamp(started ?? Number.NaN);
  reader.readAll(begin);
  const parts: RecordedParts = {
    ...buildPartsWithoutPrompt(reader.list.hasUsage),
    system: typeof document['system_prompt'] === 'string' ? 'approximate' : 'missing',
    ...(countCompacted(document) === null ? {} : { compactions: 'approximate' }),
  };
  return {
    header: buildPiHeader({
      id,
      timestamp: asString(started) ?? formatTime(findBegin(document)),
      cwd,
      parentSession: parentThreadId ?? forked,
    }),
    isSubagent: agent === 'subagent' || agent === 'teammate',
    subagentKind: asString(subagent),
    version: asString(ofOrigin),
    entries: reader.list.entries,
    leafId: reader.list.leafId,
    problems: listProblems(document),
    parts: version === KNOWN_FORMAT && isKnown(asString(ofOrigin), KNOWN_SESSIONS) ? parts : doubtParts(parts),
  };
}

/** The number that the messages have as their `version`. */
const KNOWN_FORMAT = 1;
/** The extension has versions from 4.0 on with the sessions that the command line has since 3.0. */
const KNOWN_SESSIONS = ['3.0', '4.1'] as const;
const KNOWN_TASKS = ['3.0', '3.89'] as const;

/** Many files do not record which version wrote them. */
function isKnown(version: string | null, range: readonly [first: string, last: string]): boolean {
  return version === null || isVersionWithin(version, range);
}

function findBegin({ messages }: JsonObject): number {
  const timed = listObjects(messages).find(({ ts }) => typeof ts === 'number');
  return asCount(timed?.['ts']) ?? Number.NaN;
}

/** A compaction of more messages than there are is of a history that was taken back: Cline does not apply it either. */
function listProblems(document: JsonObject): readonly Problem[] {
  const compacted = countCompacted(document) ?? 0;
  const count = countMessages(document);
  return compacted <= count
    ? []
    : [
        buildWarning(
          'unused-compaction',
          `the compaction beside this session is of ${pluralize(compacted, 'message')}, but there are ${count}: not applied`,
        ),
      ];
}

function readTask(document: JsonObject, span: LineSpan, file: string): ClineSession {
  const id = findId(file);
  const reader = new TaskReader(span, id, document);
  reader.readAll();
  const { environment_history: environments } = asObject(document['metadata']);
  const environment = listObjects(environments).findLast(({ cline_version: one }) => typeof one === 'string');
  const version = asString(environment?.['cline_version']);
  const parts = buildPartsWithoutPrompt(reader.list.hasUsage);
  const hasScreen = Array.isArray(document['ui']);
  return {
    header: buildPiHeader({ id, timestamp: formatTime(reader.begin), cwd: findWorkingDirectory(document) }),
    version,
    entries: reader.list.entries,
    leafId: reader.list.leafId,
    problems: hasScreen ? [] : [buildWarning('no-requests', NO_REQUESTS)],
    // Without the file of the screen it is unknown which messages were left out.
    parts: hasScreen && isKnown(version, KNOWN_TASKS) ? parts : doubtParts(parts),
  };
}

const NO_REQUESTS =
  'ui_messages.json is not beside this task: costs and left out messages are unknown, and tokens where answers have none';

/** Each editor with the extension keeps its tasks in a folder of its own. */
function listTaskFolders(env: Readonly<Record<string, string | undefined>>, home: string): readonly string[] {
  return listEditorFolders(env, home).map((folder) => path.join(folder, 'globalStorage', EXTENSION, 'tasks'));
}

const EXTENSION = 'saoudrizwan.claude-dev';

/** A session has its id in the name of its file, and a task in that of its folder. */
function findId(file: string): string {
  const name = path.basename(file);
  return name === 'api_conversation_history.json'
    ? path.basename(path.dirname(file))
    : name.replace(/(?:\.messages)?\.json$/, '');
}

/** The files that are read with a session. */
function listBeside(bundle: SessionBundle, session: string): readonly string[] {
  return bundle.session.test(session) ? bundle.list(session).map(({ file }) => file) : [];
}

/**
 * Cline: a session of version 4 (`~/.cline/data/sessions`), or a task of an older one. Source: cline/cline at v3.8,
 * v3.50, v3.88 and v4.1.13, and sessions of its command line 3.0.65 with the requests that it sent.
 */
export const cline: AgentFormat = {
  name: 'cline',
  title: 'Cline',
  detect: ([document]) =>
    (document?.['cline'] === 'task' && Array.isArray(document['messages'])) ||
    (typeof document?.['updated_at'] === 'string' &&
      typeof document['sessionId'] === 'string' &&
      typeof document['agent'] === 'string' &&
      Array.isArray(document['messages'])),
  document: /^\s*\{\s*"(?:cline|version)":/,
  folders: (env, home) => {
    const data = env['CLINE_DATA_DIR'] || path.join(env['CLINE_DIR'] || path.join(home, '.cline'), 'data');
    const sessions = env['CLINE_SESSION_DATA_DIR'] || path.join(data, 'sessions');
    return [sessions, path.join(data, 'tasks'), ...listTaskFolders(env, home)];
  },
  findId,
  sideFolders: (session) => [clineSession, clineTask].flatMap((bundle) => listBeside(bundle, session)),
  isSession: (file) => /[^\\/]\.messages\.json$|[\\/]tasks[\\/][^\\/]+[\\/]api_conversation_history\.json$/.test(file),
  read,
};
