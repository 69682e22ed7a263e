import { ANSWERED, HEADER, transform } from '../example.js';
import { definePatchRule } from './patch-rule.js';

export default definePatchRule({
  name: 'patch-scope',
  severity: 'error',
  summary: 'A transform contains an operation that must not be stored',
  help:
    'A stored operation has the scope `cached`. Operations with the scope `uncached` apply to a single request ' +
    'and are then discarded. Replay stops here. Log such messages in an `ephemeral` entry.',
  example: {
    fires: [
      HEADER,
      ...ANSWERED,
      transform('x1', 'a1', { op: 'messages_uncached_append', scope: 'uncached', messages: [] }),
    ],
    silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', reasoning: 'low' })],
  },
});
