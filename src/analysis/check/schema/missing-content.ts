import { defineRule } from '../define.js';
import { HEADER, QUESTION, user } from '../example.js';
import { hitsOf } from './misfits.js';

export default defineRule({
  name: 'missing-content',
  group: 'schema',
  severity: 'warning',
  summary: 'A message has no content',
  help:
    'Whatever it said is gone. Since 0.80.6 Pi takes such a message for an empty one; older versions stop with an ' +
    'error. A question or an answer whose content is `null` also makes Pi leave the session out of its list: an ' +
    'empty list, `"content": []`, says the same and does no harm.',
  example: { fires: [HEADER, user('u1', null, null)], silent: [HEADER, QUESTION] },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('missing-content', stored, head),
});
