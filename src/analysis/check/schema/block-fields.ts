import { defineRule } from '../define.js';
import { assistant, HEADER, QUESTION, toolCall } from '../example.js';
import { hitsOf } from './misfits.js';

const WITHOUT_ARGUMENTS = { type: 'toolCall', id: 'call_1', name: 'ls' };

export default defineRule({
  name: 'block-fields',
  group: 'schema',
  severity: 'error',
  summary: 'A content block lacks a field, or holds something else in it',
  help:
    'Every block has to be whole: a tool call without `arguments` makes Pi stop with an error as soon as it counts ' +
    'tokens, and a provider refuses an image without its type. A call that takes no arguments says `"arguments": {}`.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [WITHOUT_ARGUMENTS])],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('call_1', 'ls', {})])],
  },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('block-fields', stored, head),
});
