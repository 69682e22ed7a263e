import { ANSWERED, HEADER } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'byte-order-mark',
  severity: 'error',
  summary: 'A byte order mark precedes an entry',
  help:
    'Some Windows editors put the three bytes EF BB BF at the beginning of a file. They are not valid JSON, so Pi ' +
    'cannot read the line that begins with them. If that line is the header, Pi refuses to open the file; only Pi ' +
    'before 0.78 skipped the mark. `ctx repair` removes it.',
  example: { fires: [`\ufeff${JSON.stringify(HEADER)}`, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
  fix: 'ctx repair removes the mark',
});
