import { defineRule } from '../define.js';
import { HEADER, text, user } from '../example.js';
import { hitsOf } from './misfits.js';

export default defineRule({
  name: 'unknown-block',
  group: 'schema',
  severity: 'note',
  summary: 'A content block is of a type that Pi does not know',
  help:
    'In an answer Pi leaves the block out of the request; in the message of a user it takes it for an image, which ' +
    'the provider may refuse. Blocks as the APIs of providers write them have other names here: `tool_use` is ' +
    '`toolCall`, `tool_result` is a message of its own, `input_text` is `text`, and `image_url` is `image`.',
  example: {
    fires: [HEADER, user('u1', null, [{ type: 'input_text', text: 'What is in here?' }])],
    silent: [HEADER, user('u1', null, [text('What is in here?')])],
  },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('unknown-block', stored, head),
});
