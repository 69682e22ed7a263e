import { quoteValue } from '../define.js';
import { ANSWERED_CALL, OPEN_CALL, toolResult, user } from '../example.js';
import { locateEntry } from './message.js';
import { definePairRule, OMIT_RESULT } from './pair-rule.js';

export default definePairRule({
  name: 'result-out-of-order',
  severity: 'error',
  isOnlyForPi: true,
  summary: 'A tool result does not directly follow its answer',
  help:
    'The results of an answer must follow it before any other message. If another message comes first, Pi adds an ' +
    'error result before that message, and later sends the real result as well. Providers reject that request, as ' +
    'they reject a result before its call. A program wrote to the session while a tool was running, or lines were ' +
    'reordered.\n\n' +
    '`ctx repair` repeats a late result after its answer, and omits the one that is in the wrong place with a ' +
    '`context_edit`.',
  example: {
    fires: [...OPEN_CALL, user('u2', 'a1', 'And the tests?'), toolResult('r1', 'u2', 'c1')],
    silent: [...ANSWERED_CALL, user('u2', 'r1', 'And the tests?')],
  },
  hitOf(fault) {
    if (fault.kind !== 'early' && fault.kind !== 'late') return null;
    const { kind, from, callId, related } = fault;
    const message =
      kind === 'early'
        ? `the result precedes its call ${quoteValue(callId)}`
        : `another message is between the call ${quoteValue(callId)} and this result`;
    return { message, at: locateEntry(from), related, fix: OMIT_RESULT };
  },
});
