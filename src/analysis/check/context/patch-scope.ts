import { defineRule } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { brokenOps } from './broken-ops.js';

export default defineRule({
  name: 'patch-scope',
  group: 'context',
  severity: 'error',
  summary: 'A transform holds an operation that must not be stored',
  help:
    'A stored operation has the scope `cached`: what has the scope `uncached` is meant for one request and forgotten ' +
    'after it. Replay stops here. Log such messages in an `ephemeral` entry.',
  example: {
    fires: [
      HEADER,
      ...ANSWERED,
      transform('x1', 'a1', { op: 'messages_uncached_append', scope: 'uncached', messages: [] }),
    ],
    silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', reasoning: 'low' })],
  },
  looksAt: 'path',
  watch: () => ({ step: (step) => brokenOps(step, 'scope') }),
});
