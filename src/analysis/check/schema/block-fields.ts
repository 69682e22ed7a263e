import { assistant, HEADER, QUESTION, toolCall } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

const WITHOUT_ARGUMENTS = { type: 'toolCall', id: 'call_1', name: 'ls' };

export default defineMisfitRule({
  name: 'block-fields',
  severity: 'error',
  summary: 'A field of a content block is missing or invalid',
  help:
    'Every block must be complete. A tool call without `arguments` makes Pi stop with an error when it counts ' +
    'tokens, and a provider rejects an image without a type. A call without arguments has `"arguments": {}`.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [WITHOUT_ARGUMENTS])],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('call_1', 'ls', {})])],
  },
});
