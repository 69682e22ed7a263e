import type { JsonObject } from '#base/json.js';
import { quoteValue } from '../define.js';
import { ANSWERED_CALL, entry } from '../example.js';
import { definePairRule } from './pair-rule.js';

export default definePairRule({
  name: 'compaction-in-tool-pair',
  severity: 'error',
  summary: 'An entry removes a tool call from the context, but not its result',
  help:
    'A compaction that keeps entries from a tool result on, or that is written while a tool runs, summarises the ' +
    'call and leaves the result. So does an edit or a transform that removes only the call. Pi still sends the ' +
    'result, and every provider rejects the whole request: the session cannot continue.\n\n' +
    'Compact again and keep entries from the call on, or omit the result as well, with a `context_edit` whose ' +
    '`replacement` is null.',
  example: { fires: [...ANSWERED_CALL, compactFrom('r1')], silent: [...ANSWERED_CALL, compactFrom('a1')] },
  hitOf(fault) {
    if (fault.kind !== 'parted') return null;
    const { entry: by, call } = fault.by;
    const fix =
      by.type === 'compaction'
        ? `compact again and keep entries from ${quoteValue(call.id)} on, or omit the result with a \`context_edit\``
        : 'omit the result as well, with a `context_edit`';
    return {
      message: `it removes the call ${quoteValue(fault.callId)} from the context, but not its result`,
      at: by,
      related: fault.related,
      fix,
    };
  },
});

function compactFrom(firstKeptEntryId: string): JsonObject {
  return entry('compaction', 'k1', 'r1', { summary: 'A question.', tokensBefore: 10, firstKeptEntryId });
}
