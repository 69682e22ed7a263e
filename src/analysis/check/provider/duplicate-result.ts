import { quoteValue } from '../define.js';
import { ANSWERED_CALL, toolResult } from '../example.js';
import { locateEntry } from './message.js';
import { definePairRule, OMIT_RESULT } from './pair-rule.js';

export default definePairRule({
  name: 'duplicate-result',
  severity: 'error',
  summary: 'A tool call has more than one result',
  help:
    'A call may have one result. Pi sends all of them, and providers reject the request. A tool ran again when the ' +
    'session was resumed, or a line was written twice.\n\n' +
    '`ctx repair` omits all results but the first with a `context_edit`.',
  example: { fires: [...ANSWERED_CALL, toolResult('r2', 'r1', 'c1')], silent: ANSWERED_CALL },
  hitOf(fault) {
    if (fault.kind !== 'again') return null;
    return {
      message: `the call ${quoteValue(fault.callId)} already has a result`,
      at: locateEntry(fault.from),
      related: fault.related,
      fix: OMIT_RESULT,
    };
  },
});
