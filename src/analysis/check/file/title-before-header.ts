import { ANSWERED, HEADER } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'title-before-header',
  severity: 'note',
  summary: 'A title precedes the session header, as oh-my-pi writes it',
  help:
    'oh-my-pi stores the title of a session in the first line, and the header in the second. ctx reads such a ' +
    'session like any other and leaves the title as it is. Pi treats the first line as the header, so it refuses ' +
    'to open the file. `ctx repair` removes the title, so that Pi can open the file.',
  example: { fires: [{ type: 'title', v: 1, title: 'Reading' }, HEADER, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
  fix: 'for Pi, ctx repair moves the title to a separate file',
});
