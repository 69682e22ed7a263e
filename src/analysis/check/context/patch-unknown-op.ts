import { defineRule } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { brokenOps } from './broken-ops.js';

export default defineRule({
  name: 'patch-unknown-op',
  group: 'context',
  severity: 'error',
  summary: 'A transform holds an operation that does not exist',
  help:
    'Whoever leaves out an operation that it does not know shows the model something else than what was decided. So ' +
    'replay stops here. The operations there are stand in [the list](../ops.md).',
  example: {
    fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'messages_shuffle' })],
    silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', reasoning: 'low' })],
  },
  looksAt: 'path',
  watch: () => ({ step: (step) => brokenOps(step, 'unknown-op') }),
});
