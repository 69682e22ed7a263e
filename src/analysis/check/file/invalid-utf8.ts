import { ANSWER, breakUtf8, HEADER, QUESTION } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'invalid-utf8',
  severity: 'warning',
  summary: 'A line contains bytes that are not UTF-8',
  help:
    'Pi reads every such byte as U+FFFD, the replacement character, so the model sees a text that was never ' +
    'written. Usually a tool put raw bytes of a file into its result, or a write stopped in the middle of a ' +
    'character. The original bytes cannot be recovered, so `ctx repair` leaves the text as Pi reads it.',
  example: { fires: [HEADER, breakUtf8(QUESTION), ANSWER], silent: [HEADER, QUESTION, ANSWER] },
});
