import path from 'node:path';
import { buildWarning, type Problem } from '#base/errors.js';
import { asCount, asObject, asString, isObject } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { formatTime } from '#base/time.js';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentSession } from '../define.js';
import type { AgentRecord } from '../native-records.js';
import { readDocument } from '../one-document.js';
import { buildPartsWithoutPrompt } from '../versions.js';
import { isDamaged } from './database.js';
import { ExportReader } from './export-reader.js';
import { listOpencodeMessages, type OpencodeMessage } from './parts.js';

/** Reads an export, which is one document. */
function read(lines: Iterable<AgentRecord>): AgentSession {
  const { value, span, countUnused } = readDocument(lines);
  const info = asObject(value['info']);
  const { id, time, directory, parentID, version, title, revert } = info;
  const created = asCount(asObject(time)['created']);
  const messages = listOpencodeMessages(value);
  const reader = new ExportReader(span, asString(id) ?? '', messages);
  if (typeof title === 'string') reader.name(title, created ?? Number.NaN);
  reader.readAll(isObject(revert) ? asString(revert['messageID']) : null);
  return {
    header: buildPiHeader({
      id: asString(id) ?? '',
      timestamp: formatTime(created),
      cwd: directory,
      parentSession: parentID,
    }),
    isSubagent: typeof parentID === 'string',
    version: asString(version),
    entries: reader.list.entries,
    leafId: reader.leafId === undefined ? reader.list.leafId : reader.leafId,
    unusedLines: countUnused(reader.list.entries),
    problems: listDamaged(messages),
    parts: buildPartsWithoutPrompt(reader.list.hasUsage),
  };
}

/** A warning about the rows of a database that are not JSON, and are left out. */
function listDamaged(messages: readonly OpencodeMessage[]): readonly Problem[] {
  const records = messages.flatMap(({ info, parts }) => [info, ...parts]);
  const count = records.filter(isDamaged).length;
  const what = pluralize(count, 'record');
  return count === 0 ? [] : [buildWarning('damaged-record', `${what} of the database left out: not JSON`)];
}

/** opencode: the document that `opencode export` writes, and the same from its database: see `opencodeStore`. */
export const opencode: AgentFormat = {
  name: 'opencode',
  title: 'opencode',
  knownVersions: ['1.0', '1.19'],
  detect: ([document]) =>
    isObject(document?.['info']) && typeof document['info']['id'] === 'string' && Array.isArray(document['messages']),
  document: /^\s*\{\s*"(?:info|messages)"/,
  folders(env, home) {
    const data = path.join(env['XDG_DATA_HOME'] || path.join(home, '.local', 'share'), 'opencode');
    return [path.resolve(data, env['OPENCODE_DB'] || 'opencode.db')];
  },
  isSession: (file) => /\.db[\\/]ses_\w+\.json$/.test(file),
  read,
};
