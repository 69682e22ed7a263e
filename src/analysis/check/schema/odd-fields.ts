import { entry, HEADER, QUESTION } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

export default defineMisfitRule({
  name: 'odd-fields',
  severity: 'warning',
  summary: 'A known field has a value that no version of Pi writes',
  help:
    'Pi reads the session and continues, but not as intended: a model without a name cannot be selected again, ' +
    'and thinking without a model is not sent. Fields that Pi does not know are never reported.',
  example: {
    fires: [HEADER, QUESTION, entry('model_change', 'm1', 'u1', { modelId: 'claude-sonnet-4-5' })],
    silent: [
      HEADER,
      QUESTION,
      entry('model_change', 'm1', 'u1', { provider: 'anthropic', modelId: 'claude-sonnet-4-5' }),
    ],
  },
});
