import { defineRule } from '../define.js';
import { ANSWERED, HEADER, NEXT } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'malformed-line',
  group: 'file',
  severity: 'error',
  summary: 'A line is not JSON',
  help:
    'Something else than Pi has written to the file (a merge tool, an editor, a second process), or a write failed half ' +
    'way. Pi drops the line without a word. If it was an entry, those that follow it become orphans, and all that stands ' +
    'above them is gone from the context. `ctx check --fix` keeps what can be read of the line, moves the rest to a file ' +
    'beside the new one, and links orphans to the entry before them.',
  example: { fires: [HEADER, ...ANSWERED, '<<<<<<< HEAD', NEXT], silent: [HEADER, ...ANSWERED, NEXT] },
  looksAt: 'session',
  find: (session) =>
    problemsOf(session, 'malformed-line', 'ctx check --fix keeps what can be read of it, and takes the rest out'),
});
