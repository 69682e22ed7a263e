import { defineRule } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { listAppliedOps } from './applied-ops.js';

function keepFrom(firstKeptMessageIndex: number) {
  const op = { op: 'compaction_apply', summary: 'A README was found.', timestamp: 0, firstKeptMessageIndex };
  return transform('x1', 'a1', op);
}

export default defineRule({
  name: 'index-out-of-range',
  severity: 'warning',
  summary: 'The index of a compaction is out of range',
  help:
    '`firstKeptMessageIndex` counts the messages of the context at this point from 0. If it is greater than the ' +
    'number of messages, only the summary is kept; if it is negative, everything is. Either shows that the ' +
    'operation was created for a different context.',
  example: { fires: [HEADER, ...ANSWERED, keepFrom(7)], silent: [HEADER, ...ANSWERED, keepFrom(1)] },
  looksAt: 'path',
  watch: () => ({
    step(step) {
      return listAppliedOps(step).flatMap(({ at, name, op, before }) => {
        const index = op.firstKeptMessageIndex;
        const { length } = before.messages.cached;
        if (name !== 'compaction_apply' || typeof index !== 'number' || (index >= 0 && index <= length)) return [];
        const outcome = index < 0 ? 'everything is kept' : 'nothing is kept';
        const message = `it keeps from message ${index} of ${length}, so ${outcome}`;
        return { message, at: step.head, place: `patch[${at}].firstKeptMessageIndex` };
      });
    },
  }),
});
