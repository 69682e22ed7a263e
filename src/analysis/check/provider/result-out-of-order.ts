import { defineRule, type Hit, quoted } from '../define.js';
import { assistant, HEADER, toolCall, toolResult, user } from '../example.js';
import { atEntry } from './message.js';
import { type PairFault, watchPairs } from './tool-pairs.js';

const ASKED = [HEADER, user('u1', null, 'What is in here?'), assistant('a1', 'u1', [toolCall('c1')])];

export default defineRule({
  name: 'result-out-of-order',
  group: 'provider',
  severity: 'error',
  summary: 'A tool result does not stand directly behind the answer that calls for it',
  help:
    'The results of an answer must follow it before anything else does. Where another message comes first, Pi puts an ' +
    'error result before that message, and then sends the true one as well, where it stands. Providers refuse that ' +
    'request, as they refuse a result that stands before its call. Something wrote to the session while a tool was ' +
    'running, or lines changed places.\n\n' +
    'Leave out the result with a `context_edit` whose `replacement` is null, or put it behind its answer in a ' +
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
      ? `the call ${quoted(callId)} that it answers comes only later`
      : `another message stands between the call ${quoted(callId)} and this result`;
  return { message, at: atEntry(from), related, fix: 'leave out the result with a `context_edit`' };
}
