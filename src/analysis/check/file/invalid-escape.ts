import { defineRule } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { problemsOf } from '../problems.js';

const REDACTED = JSON.stringify(ANSWER).replace('A README.', String.raw`It asks \***@***.***.`);

export default defineRule({
  name: 'invalid-escape',
  group: 'file',
  severity: 'error',
  summary: 'A text holds a backslash that begins no escape',
  help:
    'JSON knows only some escapes, such as `\\n`. A program that replaced parts of texts, as a redactor does, left half of ' +
    'one behind: `\\nada@example.com` became `\\***@***.***`. Nothing else is wrong with the line, but Pi drops it without ' +
    'a word, and entries that follow it become orphans. `ctx check --fix` takes the backslash out and keeps everything ' +
    'else.',
  example: { fires: [HEADER, QUESTION, REDACTED, NEXT], silent: [HEADER, QUESTION, ANSWER, NEXT] },
  looksAt: 'session',
  find: (session) =>
    problemsOf(session, 'invalid-escape', 'ctx check --fix takes the backslash out, and keeps everything else'),
});
