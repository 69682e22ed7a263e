import { ANSWERED, HEADER, transform } from '../example.js';
import { definePatchRule } from './patch-rule.js';

const OP = { op: 'options_set', reasoning: 'low' };

export default definePatchRule({
  name: 'patch-reason',
  severity: 'error',
  summary: 'A stored operation has no reason for invalidating the cache',
  help:
    'A stored operation changes content that the provider has cached, so the change is billed again. Every ' +
    'operation must therefore state its reason in `invalidateCacheReason`, and replay stops at an operation ' +
    'without one.',
  example: {
    fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { ...OP, invalidateCacheReason: ' ' })],
    silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { ...OP, invalidateCacheReason: 'simple questions' })],
  },
});
