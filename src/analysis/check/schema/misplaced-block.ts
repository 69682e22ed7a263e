import { defineRule } from '../define.js';
import { assistant, HEADER, QUESTION, toolCall, user } from '../example.js';
import { hitsOf } from './misfits.js';

export default defineRule({
  name: 'misplaced-block',
  group: 'schema',
  severity: 'error',
  summary: 'A content block stands in a message that cannot hold such blocks',
  help:
    'Users, tools and extensions write text and images, models write text, thinking and tool calls, and system ' +
    'messages hold text. A tool call in the message of a user is taken for an image and refused by the provider; an ' +
    'image in an answer is left out without a word.',
  example: {
    fires: [HEADER, user('u1', null, [toolCall('call_1')])],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('call_1')])],
  },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('misplaced-block', stored, head),
});
