import path from 'node:path';
import { asString, type JsonObject } from '#base/json.js';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentLines, AgentSession } from '../define.js';
import { doubtParts } from '../versions.js';
import { MessageReader } from './message-reader.js';

function read(lines: AgentLines, file: string): AgentSession {
  const id = path.basename(file, '.jsonl');
  const reader = new MessageReader(id);
  let unusedLines = 0;
  let start: JsonObject = {};
  for (const line of lines) {
    if (isStart(line.value)) start = line.value;
    if (!reader.take(line)) unusedLines += 1;
  }
  const { list, isApproximate, firstTime } = reader;
  const { version, cwd, parent, callingSessionId } = start;
  const parts = {
    system: 'missing',
    tools: 'missing',
    messages: isApproximate ? 'approximate' : 'recorded',
    // The words around a summary are not recorded.
    compactions: 'approximate',
    usage: 'missing',
  } as const;
  return {
    header: buildPiHeader({ id, timestamp: firstTime, cwd, parentSession: callingSessionId ?? parent }),
    isSubagent: typeof callingSessionId === 'string',
    // The file has the version of its format only.
    version: null,
    entries: list.entries,
    leafId: list.leafId,
    unusedLines,
    problems: [],
    parts: version === FORMAT ? parts : doubtParts(parts),
  };
}

const FORMAT = 2;

function isStart({ type, id, title, owner }: JsonObject): boolean {
  return type === 'session_start' && [id, title, owner].every((field) => asString(field) !== null);
}

/**
 * Droid: one record a line, a list. A compaction that the user asks for, a fork and a rewind begin a new file. Source:
 * the files and the loader of the client 0.215, of November 2026, and the requests that it sent.
 */
export const droid: AgentFormat = {
  name: 'droid',
  title: 'Droid',
  detect: ([start]) => start !== undefined && isStart(start),
  folders: (env, home) => [path.join(env['FACTORY_HOME_OVERRIDE'] || home, '.factory', 'sessions')],
  isSession: (file) => file.endsWith('.jsonl'),
  read,
};
