import { ANSWERED, HEADER, transform } from '../example.js';
import { definePatchRule } from './patch-rule.js';

export default definePatchRule({
  name: 'patch-unknown-op',
  severity: 'error',
  summary: 'A transform contains an unknown operation',
  help:
    'If a program skipped an unknown operation, the model would see a different context from the one that was ' +
    'stored. So replay stops here. See [the list of operations](../reference/ops.md).',
  example: {
    fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'messages_shuffle' })],
    silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', reasoning: 'low' })],
  },
});
