import { defineRule } from '../define.js';
import { ANSWERED, HEADER } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'title-before-header',
  group: 'file',
  severity: 'note',
  summary: 'A title stands before the session header, as oh-my-pi writes it',
  help:
    'oh-my-pi keeps the title of a session in the first line, and the header in the second. ctx reads such a session ' +
    'like any other and leaves the title as it is. Pi takes the first line for the header, so it refuses to open the ' +
    'file. `ctx check --fix` takes the title out, for a file that Pi opens.',
  example: { fires: [{ type: 'title', v: 1, title: 'Reading' }, HEADER, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
  looksAt: 'session',
  find: (session) =>
    problemsOf(
      session,
      'title-before-header',
      'for Pi, ctx check --fix takes the title out, and keeps it in a file of its own',
    ),
});
