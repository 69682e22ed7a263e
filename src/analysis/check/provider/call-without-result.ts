import { ANSWERED_CALL, assistant, OPEN_CALL, textContent, user } from '../example.js';
import { locateBlock } from './message.js';
import { definePairRule } from './pair-rule.js';
import { describeToolCall } from './tool-call.js';

export default definePairRule({
  name: 'call-without-result',
  severity: 'warning',
  isOnlyForPi: true,
  summary: 'A tool call has no result before the next message',
  help:
    'Every provider requires the results directly after the answer that called for them. If one is missing, Pi ' +
    'sends an error result with the text `No result provided`. The request is accepted, but the model believes that ' +
    'the tool failed. The run was interrupted, or the result was lost or omitted. Before 1.6, Pi wrote no results for ' +
    'calls that had not started when the user interrupted the run. A call at the end of the session is reported by ' +
    '`open-call`.\n\n' +
    '`ctx repair` writes an error result that explains this. To remove the call from the context as well, omit ' +
    'its answer with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [...OPEN_CALL, user('u2', 'a1', 'Go on.')],
    silent: [...ANSWERED_CALL, assistant('a2', 'r1', [textContent('A README.')])],
  },
  hitOf(fault, session) {
    if (fault.kind !== 'unanswered') return null;
    return {
      message: `no result follows ${describeToolCall(fault.call)}: Pi sends "No result provided" instead`,
      ...locateBlock(session, fault.from, fault.call.at),
      fix: '`ctx repair` adds an error result',
    };
  },
});
