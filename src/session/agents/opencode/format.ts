import { asCount, asObject, asString, isObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import type { LineSpan } from '../../scan/lines.js';
import { spanOf } from '../../scan/scan.js';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentRecord, AgentSession } from '../define.js';
import { partsWithoutPrompt } from '../versions.js';
import { ExportReader } from './export-reader.js';
import { listOpencodeMessages } from './parts.js';

/** Reads an export, which is one document. */
function read(lines: Iterable<AgentRecord>): AgentSession {
  const [document, ...others] = lines;
  const value = document?.value ?? {};
  const info = asObject(value['info']);
  const { id, time, directory, parentID, version, title, revert } = info;
  const created = asCount(asObject(time)['created']);
  const reader = new ExportReader(
    document ? spanOf(document) : NO_SPAN,
    asString(id) ?? '',
    listOpencodeMessages(value),
  );
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
    unusedLines: others.length + (document && reader.list.entries.length === 0 ? 1 : 0),
    problems: [],
    parts: partsWithoutPrompt(reader.list.hasUsage),
  };
}

const NO_SPAN: LineSpan = { line: 1, offset: 0, length: 0 };

/** opencode: the document that `opencode export` writes. Its own store is a database. */
export const opencode: AgentFormat = {
  name: 'opencode',
  title: 'opencode',
  knownVersions: ['1.0', '1.19'],
  detect: ([document]) =>
    isObject(document?.['info']) && typeof document['info']['id'] === 'string' && Array.isArray(document['messages']),
  document: /^\s*\{\s*"(?:info|messages)"/,
  folders: () => [],
  elsewhere: 'opencode keeps its sessions in a database; save one: opencode export ID > session.json',
  isSession: (file) => file.endsWith('.json'),
  read,
};
