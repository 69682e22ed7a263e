import { ANSWERED, HEADER, NEXT } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'malformed-line',
  severity: 'error',
  summary: 'A line is not JSON',
  help:
    'Another program wrote to the file (a merge tool, an editor, a second process), or a write failed halfway. Pi ' +
    'silently drops the line. If the line was an entry, the entries that follow it become orphans, and everything ' +
    'before them is missing from the context. `ctx repair` keeps the readable part of the line, moves the ' +
    'rest to a file next to the new one, and links orphans to the entry before them.',
  example: { fires: [HEADER, ...ANSWERED, '<<<<<<< HEAD', NEXT], silent: [HEADER, ...ANSWERED, NEXT] },
  fix: 'ctx repair keeps the readable part, and moves the rest to a separate file',
});
