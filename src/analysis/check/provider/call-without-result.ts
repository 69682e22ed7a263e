import { defineRule } from '../define.js';
import { assistant, HEADER, text, toolCall, toolResult, user } from '../example.js';
import { atEntry, namedCall, placeOfBlock } from './message.js';
import { watchPairs } from './tool-pairs.js';

const ASKED = [HEADER, user('u1', null, 'What is in here?'), assistant('a1', 'u1', [toolCall('c1')])];

export default defineRule({
  name: 'call-without-result',
  group: 'provider',
  severity: 'warning',
  isOnlyForPi: true,
  summary: 'A tool call has no result before the next message',
  help:
    'Every provider requires the results directly after the answer that called for them. If one is missing, Pi ' +
    'sends an error result with the text `No result provided`. The request is accepted, but the model believes that ' +
    'the tool failed. The run was interrupted, or the result was lost or omitted. A call at the end of the session ' +
    'is reported by `open-call`.\n\n' +
    '`ctx repair` writes an error result that explains this. To remove the call from the context as well, omit ' +
    'its answer with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [...ASKED, user('u2', 'a1', 'Go on.')],
    silent: [...ASKED, toolResult('r1', 'a1', 'c1'), assistant('a2', 'r1', [text('A README.')])],
  },
  looksAt: 'request',
  watch: (_options, session) =>
    watchPairs(session, (fault) =>
      fault.kind === 'unanswered'
        ? {
            message: `no result follows ${namedCall(fault.call)}: Pi sends "No result provided" instead`,
            at: atEntry(fault.from),
            ...placeOfBlock(session, fault.from, fault.call.at),
            fix: '`ctx repair` adds an error result',
          }
        : null,
    ),
});
