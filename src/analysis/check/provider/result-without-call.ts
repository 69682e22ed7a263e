import { quoteValue } from '../define.js';
import { ANSWERED_CALL, assistant, HEADER, QUESTION, textContent, toolResult } from '../example.js';
import { locateEntry } from './message.js';
import { definePairRule, OMIT_RESULT } from './pair-rule.js';

export default definePairRule({
  name: 'result-without-call',
  severity: 'error',
  summary: 'The request contains a tool result without its call',
  help:
    'Pi sends a tool result even if its call is missing, and every provider rejects the whole request: the session ' +
    'cannot continue. The call was never written, or it is in a failed or aborted answer, which Pi omits. If an ' +
    'entry removed the call, `compaction-in-tool-pair` reports it.\n\n' +
    '`ctx repair` omits the result with a `context_edit`.',
  example: {
    fires: [HEADER, QUESTION, toolResult('r1', 'u1', 'c1'), assistant('a1', 'r1', [textContent('A README.')])],
    silent: ANSWERED_CALL,
  },
  hitOf(fault) {
    if (fault.kind !== 'uncalled' && fault.kind !== 'failed') return null;
    const { kind, from, callId, related } = fault;
    return { message: describeFault(kind, callId), at: locateEntry(from), related, fix: OMIT_RESULT };
  },
});

function describeFault(kind: 'uncalled' | 'failed', callId: string | null): string {
  if (callId === null) return 'the result has no call id';
  if (kind === 'failed') return `the call ${quoteValue(callId)} is in a failed answer, which Pi does not send`;
  return `its call ${quoteValue(callId)} is not in the request`;
}
