import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { isLocalAnswer } from '../../heads/answer.js';
import type { RunningEvent } from '../running-events.js';
import { buildClaudeAnswer, contentOf } from './content/content.js';
import { readClientTotals } from './content/usage.js';

/** The events of one record of Claude Code. */
export function listClaudeEvents(record: JsonObject, line: number): readonly RunningEvent[] {
  switch (record['type']) {
    case 'assistant':
      return listAnswerEvents(record);
    case 'user':
      return isPrompt(record) ? [{ kind: 'prompt' }] : [];
    case 'system':
      return record['subtype'] === 'compact_boundary' ? [readCompaction(asObject(record['compactMetadata']))] : [];
    case 'cost-state': {
      const totals = readClientTotals(record, line);
      return totals === null ? [] : [{ kind: 'totals', totals }];
    }
    default:
      return [];
  }
}

/** A line has one block of an answer, and the usage of the whole. */
function listAnswerEvents(record: JsonObject): readonly RunningEvent[] {
  const written = asObject(record['message']);
  if (isLocalAnswer({ role: 'assistant', model: written['model'] })) return [];
  const { provider, model, usage } = buildClaudeAnswer([{ ...record, message: { ...written, content: [] } }]);
  const calls = listObjects(written['content']).filter(({ type }) => type === 'tool_use');
  const called = calls.map(({ id, name, input }): RunningEvent => {
    return { kind: 'call', id: asString(id), name: asString(name) ?? '', input };
  });
  // A script made the calls of a virtual message: they ran, and no provider answered with them.
  if (record['isVirtual'] === true) return called;
  return [
    {
      kind: 'answer',
      id: asString(written['id']),
      message: { role: 'assistant', provider, model, usage },
      time: parseTimestamp(record['timestamp']),
      isCopied: isObject(record['forkedFrom']),
      // In the file of a subagent every record is marked as a side record, and has an `agentId`.
      isSide: record['isSidechain'] === true && typeof record['agentId'] !== 'string',
      isExact: true,
      window: null,
    },
    ...called,
  ];
}

/** Marks of records of the user that the user did not write. */
const OTHER_MARKS = ['isMeta', 'isCompactSummary', 'isSidechain', 'isVirtual'];

/** Whether the user wrote it: results, summaries and what the client adds are records of the user too. */
function isPrompt(record: JsonObject): boolean {
  const isOther = OTHER_MARKS.some((mark) => record[mark] === true);
  return !isOther && !listObjects(contentOf(record)).some(({ type }) => type === 'tool_result');
}

function readCompaction({ trigger, preTokens }: JsonObject): RunningEvent {
  return { kind: 'compaction', isAutomatic: trigger === 'auto', tokensBefore: asCount(preTokens) };
}
