import { HEADER, textContent, user } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

export default defineMisfitRule({
  name: 'unknown-block',
  severity: 'note',
  summary: 'A content block has a type that Pi does not know',
  help:
    'In an answer, Pi omits the block from the request. In a user message, Pi sends it as an image, which the ' +
    'provider may reject. Blocks of provider APIs have other names here: `tool_use` is `toolCall`, `tool_result` ' +
    'is a separate message, `input_text` is `text`, and `image_url` is `image`.',
  example: {
    fires: [HEADER, user('u1', null, [{ type: 'input_text', text: 'What is in here?' }])],
    silent: [HEADER, user('u1', null, [textContent('What is in here?')])],
  },
});
