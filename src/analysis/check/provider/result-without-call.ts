import { defineRule, type Hit, quoted } from '../define.js';
import { assistant, HEADER, text, toolCall, toolResult, user } from '../example.js';
import { atEntry } from './message.js';
import { type PairFault, watchPairs } from './tool-pairs.js';

const QUESTION = user('u1', null, 'What is in here?');

export default defineRule({
  name: 'result-without-call',
  group: 'provider',
  severity: 'error',
  summary: 'A tool result stands in the request without its call',
  help:
    'Pi sends a tool result also where the call that it answers is not there, and every provider refuses the whole ' +
    'request: the session cannot go on. The call may never have been written, or it stands in an answer that failed ' +
    'or was broken off, which Pi leaves out. Where an entry took the call away, it is the matter of ' +
    '`compaction-in-tool-pair`.\n\n' +
    'Leave out the result with a `context_edit` whose `replacement` is null.',
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
      ? 'the result does not say which call it answers'
      : kind === 'failed'
        ? `the call ${quoted(callId)} stands in an answer that failed, which Pi does not send with its result`
        : `the call ${quoted(callId)} that it answers is not in the request`;
  return { message, at: atEntry(from), related, fix: 'leave out the result with a `context_edit`' };
}
