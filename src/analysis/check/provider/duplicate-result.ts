import { defineRule, quoted } from '../define.js';
import { assistant, HEADER, toolCall, toolResult, user } from '../example.js';
import { atEntry } from './message.js';
import { watchPairs } from './tool-pairs.js';

const ANSWERED = [
  HEADER,
  user('u1', null, 'What is in here?'),
  assistant('a1', 'u1', [toolCall('c1')]),
  toolResult('r1', 'a1', 'c1'),
];

export default defineRule({
  name: 'duplicate-result',
  group: 'provider',
  severity: 'error',
  summary: 'A tool call has more than one result',
  help:
    'A call may have one result. Pi sends all of them, and providers reject the request. A tool ran again when the ' +
    'session was resumed, or a line was written twice.\n\n' +
    'Omit all results but one with a `context_edit` whose `replacement` is null.',
  example: { fires: [...ANSWERED, toolResult('r2', 'r1', 'c1')], silent: ANSWERED },
  looksAt: 'request',
  watch: (_options, session) =>
    watchPairs(session, (fault) =>
      fault.kind === 'again'
        ? {
            message: `the call ${quoted(fault.callId)} already has a result`,
            at: atEntry(fault.from),
            related: fault.related,
            fix: 'omit the result with a `context_edit`',
          }
        : null,
    ),
});
