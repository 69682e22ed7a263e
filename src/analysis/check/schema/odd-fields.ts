import { defineRule } from '../define.js';
import { entry, HEADER, QUESTION } from '../example.js';
import { hitsOf } from './misfits.js';

export default defineRule({
  name: 'odd-fields',
  group: 'schema',
  severity: 'warning',
  summary: 'A known field holds something that no version of Pi writes',
  help:
    'Pi reads the session and goes on, but not as it was meant: a model that has no name cannot be chosen again, ' +
    'and thinking that belongs to no model is not sent. Fields that Pi does not know are never reported.',
  example: {
    fires: [HEADER, QUESTION, entry('model_change', 'm1', 'u1', { modelId: 'claude-sonnet-4-5' })],
    silent: [
      HEADER,
      QUESTION,
      entry('model_change', 'm1', 'u1', { provider: 'anthropic', modelId: 'claude-sonnet-4-5' }),
    ],
  },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('odd-fields', stored, head),
});
