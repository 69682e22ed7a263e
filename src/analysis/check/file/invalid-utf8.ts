import { defineRule } from '../define.js';
import { ANSWER, HEADER, notUtf8, QUESTION } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'invalid-utf8',
  group: 'file',
  severity: 'warning',
  summary: 'A line holds bytes that are not UTF-8',
  help:
    'Pi reads every such byte as U+FFFD, the replacement character, so the model sees a text that nobody wrote. Mostly a ' +
    'tool has put raw bytes of a file into its result, or a write was cut in the middle of a character. What the bytes ' +
    'were meant to be cannot be told, so `ctx check --fix` leaves the text as Pi reads it.',
  example: { fires: [HEADER, notUtf8(QUESTION), ANSWER], silent: [HEADER, QUESTION, ANSWER] },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'invalid-utf8'),
});
