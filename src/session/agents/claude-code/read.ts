import { asString, isObject } from '#base/json.js';
import { timeOf } from '#base/time.js';
import type { LineSpan } from '../../scan/bytes.js';
import { spanOf } from '../../scan/scan.js';
import type { ForeignEntry, ForeignLine, ForeignSession } from '../define.js';

export function read(lines: Iterable<ForeignLine>): ForeignSession {
  const unused: LineSpan[] = [];
  const entries: ForeignEntry[] = [];
  let parentId: string | null = null;
  for (const line of lines) {
    const { value } = line;
    const id = asString(value['uuid'])?.slice(0, 8);
    if (value['type'] !== 'user' || !id || !isObject(value['message'])) {
      unused.push(spanOf(line));
      continue;
    }
    const base = { type: 'message', id, parentId, timestamp: value['timestamp'] };
    entries.push({
      type: 'message',
      id,
      parentId,
      role: 'user',
      target: undefined,
      time: timeOf(value['timestamp']),
      hasSummary: false,
      hasUsage: false,
      lines: [spanOf(line)],
      build: ([record]) => ({ ...base, message: record?.['message'] }),
    });
    parentId = id;
  }
  const parts = {
    system: 'missing',
    tools: 'missing',
    messages: 'recorded',
    compactions: 'recorded',
    usage: 'recorded',
  } as const;
  return { header: { type: 'session', version: 3, id: '' }, version: null, entries, unused, problems: [], parts };
}
