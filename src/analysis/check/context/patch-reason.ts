import { defineRule } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { brokenOps } from './broken-ops.js';

const OP = { op: 'options_set', reasoning: 'low' };

export default defineRule({
  name: 'patch-reason',
  group: 'context',
  severity: 'error',
  summary: 'A stored operation gives no reason for changing what is cached',
  help:
    'Everything that a stored operation changes was cached by the provider and has to be paid for again. So each must ' +
    'say why in `invalidateCacheReason`, and replay stops at one that does not.',
  example: {
    fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { ...OP, invalidateCacheReason: ' ' })],
    silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { ...OP, invalidateCacheReason: 'simple questions' })],
  },
  looksAt: 'path',
  watch: () => ({ step: (step) => brokenOps(step, 'reason') }),
});
