import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

const REDACTED = JSON.stringify(ANSWER).replace('A README.', String.raw`It asks \***@***.***.`);

export default defineProblemRule({
  name: 'invalid-escape',
  severity: 'error',
  summary: 'A text contains an invalid escape sequence',
  help:
    'JSON allows only some escapes, such as `\\n`. A program that replaces parts of texts, such as a redactor, ' +
    'can leave half an escape: `\\nada@example.com` became `\\***@***.***`. The rest of the line is valid, but Pi ' +
    'silently drops it, and the entries that follow become orphans. `ctx repair` removes the backslash and ' +
    'keeps everything else.',
  example: { fires: [HEADER, QUESTION, REDACTED, NEXT], silent: [HEADER, QUESTION, ANSWER, NEXT] },
  fix: 'ctx repair removes the backslash, and keeps everything else',
});
