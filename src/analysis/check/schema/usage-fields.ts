import { defineRule } from '../define.js';
import { ANSWERED, assistant, HEADER, QUESTION, text } from '../example.js';
import { hitsOf } from './misfits.js';

export default defineRule({
  name: 'usage-fields',
  group: 'schema',
  severity: 'error',
  summary: 'An answer has no usage, or one without its cost',
  help:
    'Pi adds up the usage of all answers of the file, on every branch, for its footer and for the statistics of the ' +
    'session, and stops with an error at one that has none. Programs that convert sessions like to leave it out. ' +
    'Where nobody knows the numbers, a usage of zeros will do: Pi estimates then.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [text('A README.')], { usage: undefined })],
    silent: [HEADER, ...ANSWERED],
  },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('usage-fields', stored, head),
});
