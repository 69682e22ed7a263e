import { defineRule } from '../define.js';
import { HEADER, QUESTION, user } from '../example.js';
import { hitsOf } from './misfits.js';

export default defineRule({
  name: 'message-fields',
  group: 'schema',
  severity: 'error',
  summary: 'A message lacks a field that Pi relies on, or holds something else in it',
  help:
    'Pi does not check what it reads. With content that is neither text nor a list of blocks, or without the id of ' +
    'the call that a result belongs to, it stops with an error, or the provider refuses the request. The message ' +
    'says which of them it is. Some programs write the results of tools as text: Pi wants a list of blocks there.',
  example: { fires: [HEADER, user('u1', null, 42)], silent: [HEADER, QUESTION] },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('message-fields', stored, head),
});
