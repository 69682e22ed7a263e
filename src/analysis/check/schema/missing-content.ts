import { HEADER, QUESTION, user } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

export default defineMisfitRule({
  name: 'missing-content',
  severity: 'warning',
  summary: 'A message has no content',
  help:
    'The text of the message is lost. Since 0.80.6 Pi treats such a message as empty; older versions stop with an ' +
    'error. If the content of a question or an answer is `null`, Pi also omits the session from its list. An ' +
    'empty list, `"content": []`, has the same meaning and causes no error.',
  example: { fires: [HEADER, user('u1', null, null)], silent: [HEADER, QUESTION] },
});
