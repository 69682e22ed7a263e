import { defineRule, type Hit, quoted } from '../define.js';
import { assistant, HEADER, toolCall, toolResult, user } from '../example.js';
import { atEntry } from './message.js';
import { type PairFault, watchPairs } from './tool-pairs.js';

const ASKED = [HEADER, user('u1', null, 'What is in here?'), assistant('a1', 'u1', [toolCall('c1')])];

export default defineRule({
  name: 'result-out-of-order',
  group: 'provider',
  severity: 'error',
  isOnlyForPi: true,
  summary: 'A tool result does not directly follow its answer',
  help:
    'The results of an answer must follow it before any other message. If another message comes first, Pi adds an ' +
    'error result before that message, and later sends the real result as well. Providers reject that request, as ' +
    'they reject a result before its call. A program wrote to the session while a tool was running, or lines were ' +
    'reordered.\n\n' +
    'Omit the result with a `context_edit` whose `replacement` is null, or move it after its answer with a ' +
    '`context_transform`.',
  example: {
    fires: [...ASKED, user('u2', 'a1', 'And the tests?'), toolResult('r1', 'u2', 'c1')],
    silent: [...ASKED, toolResult('r1', 'a1', 'c1'), user('u2', 'r1', 'And the tests?')],
  },
  looksAt: 'request',
  watch: (_options, session) => watchPairs(session, hitOf),
});

function hitOf(fault: PairFault): Hit | null {
  if (fault.kind !== 'early' && fault.kind !== 'late') return null;
  const { kind, from, callId, related } = fault;
  const message =
    kind === 'early'
      ? `the result precedes its call ${quoted(callId)}`
      : `another message is between the call ${quoted(callId)} and this result`;
  return { message, at: atEntry(from), related, fix: 'omit the result with a `context_edit`' };
}
