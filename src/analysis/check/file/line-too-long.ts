import { defineRule } from '../define.js';
import { ANSWERED, HEADER } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'line-too-long',
  group: 'file',
  severity: 'error',
  summary: 'A line is longer than a string can be',
  help:
    'JavaScript holds no string of more than about 512 MB, so Pi cannot open the file at all. Mostly a tool has returned ' +
    'a whole disk image or log. There is no example of this rule, since it would be as long. ctx reads what surrounds the ' +
    'entry, and takes the entry itself for empty.',
  example: { fires: null, silent: [HEADER, ...ANSWERED] },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'line-too-long'),
});
