import { HEADER, QUESTION, user } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

export default defineMisfitRule({
  name: 'message-fields',
  severity: 'error',
  summary: 'A field of a message that Pi relies on is missing or invalid',
  help:
    'Pi does not validate messages. If the content is neither text nor a list of blocks, or a result has no call ' +
    'id, Pi stops with an error or the provider rejects the request. The message names the consequence. Some ' +
    'programs write tool results as text, where Pi expects a list of blocks.',
  example: { fires: [HEADER, user('u1', null, 42)], silent: [HEADER, QUESTION] },
});
