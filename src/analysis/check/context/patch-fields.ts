import { ANSWERED, HEADER, transform } from '../example.js';
import { definePatchRule } from './patch-rule.js';

export default definePatchRule({
  name: 'patch-fields',
  severity: 'error',
  summary: 'An operation of a transform is invalid',
  help:
    'A field is missing or has an invalid value, so the effect of the operation is undefined, and replay stops ' +
    'here. The fields of every operation are in [the list](../reference/ops.md) and in `docs/schema/patch.json`.',
  example: {
    fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', maxTokens: 'many' })],
    silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', maxTokens: 4000 })],
  },
});
