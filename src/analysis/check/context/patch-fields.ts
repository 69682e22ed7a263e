import { defineRule } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { brokenOps } from './broken-ops.js';

export default defineRule({
  name: 'patch-fields',
  group: 'context',
  severity: 'error',
  summary: 'An operation of a transform is not well-formed',
  help:
    'A field is missing or holds something else, so nobody can say what the operation would do, and replay stops ' +
    'here. The fields of every operation stand in [the list](../ops.md) and in `docs/schema/patch.json`.',
  example: {
    fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', maxTokens: 'many' })],
    silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', maxTokens: 4000 })],
  },
  looksAt: 'path',
  watch: () => ({ step: (step) => brokenOps(step, 'fields') }),
});
