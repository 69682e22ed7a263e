import { ANSWERED, assistant, HEADER, QUESTION, textContent } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

export default defineMisfitRule({
  name: 'usage-fields',
  severity: 'error',
  isOnlyForPi: true,
  summary: 'An answer has no usage, or a usage without cost',
  help:
    'Pi adds up the usage of all answers on every branch, for its footer and for the statistics of the session, ' +
    'and stops with an error at an answer without usage. Programs that convert sessions often omit it. If the ' +
    'numbers are unknown, write a usage of zeros: Pi then uses estimates.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [textContent('A README.')], { usage: undefined })],
    silent: [HEADER, ...ANSWERED],
  },
});
