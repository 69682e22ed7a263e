import { defineRule, type Hit, quoted } from '../define.js';
import { assistant, HEADER, text, toolCall, toolResult, user } from '../example.js';
import { atEntry } from './message.js';
import { type PairFault, watchPairs } from './tool-pairs.js';

const QUESTION = user('u1', null, 'What is in here?');

export default defineRule({
  name: 'result-without-call',
  group: 'provider',
  severity: 'error',
  summary: 'The request contains a tool result without its call',
  help:
    'Pi sends a tool result even if its call is missing, and every provider rejects the whole request: the session ' +
    'cannot continue. The call was never written, or it is in a failed or aborted answer, which Pi omits. If an ' +
    'entry removed the call, `compaction-in-tool-pair` reports it.\n\n' +
    'Omit the result with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [HEADER, QUESTION, toolResult('r1', 'u1', 'c1'), assistant('a1', 'r1', [text('A README.')])],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('c1')]), toolResult('r1', 'a1', 'c1')],
  },
  looksAt: 'request',
  watch: (_options, session) => watchPairs(session, hitOf),
});

function hitOf(fault: PairFault): Hit | null {
  if (fault.kind !== 'uncalled' && fault.kind !== 'failed') return null;
  const { kind, from, callId, related } = fault;
  const message =
    callId === null
      ? 'the result has no call id'
      : kind === 'failed'
        ? `the call ${quoted(callId)} is in a failed answer, which Pi does not send`
        : `its call ${quoted(callId)} is not in the request`;
  return { message, at: atEntry(from), related, fix: 'omit the result with a `context_edit`' };
}
