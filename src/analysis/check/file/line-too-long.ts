import { ANSWERED, HEADER } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'line-too-long',
  severity: 'error',
  summary: 'A line is longer than the maximum length of a string',
  help:
    'JavaScript limits a string to about 512 MB, so Pi cannot open the file at all. Usually a tool returned a ' +
    'whole disk image or log. This rule has no example, since the example would be as long. ctx reads the lines ' +
    'around the entry, and treats the entry itself as empty.',
  example: { fires: null, silent: [HEADER, ...ANSWERED] },
});
