import { assistant, HEADER, QUESTION, toolCall, user } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

export default defineMisfitRule({
  name: 'misplaced-block',
  severity: 'error',
  summary: 'A content block is in a message that cannot contain it',
  help:
    'Messages of users, tools and extensions contain text and images; answers contain text, thinking and tool ' +
    'calls; system messages contain text. A tool call in a user message is sent as an image, which the provider ' +
    'rejects. An image in an answer is silently dropped.',
  example: {
    fires: [HEADER, user('u1', null, [toolCall('call_1')])],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('call_1')])],
  },
});
