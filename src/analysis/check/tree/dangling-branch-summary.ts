import { quoteId } from '#session/heads/head.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';

export default defineRule({
  name: 'dangling-branch-summary',
  severity: 'note',
  summary: 'A branch summary names a branch that is not in the file',
  help:
    'A branch summary names the last entry of the branch that it summarises, or `root`; before 0.84.3 it named its ' +
    'own parent. The model sees the summary in any case, but the summarised entries cannot be looked up. Pi drops ' +
    'other branches when it forks a session, so this is normal in a fork. Elsewhere, lines were lost.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('branch_summary', 'b1', 'a1', { fromId: 'gone', summary: 'We tried.' })],
    silent: [HEADER, ...ANSWERED, entry('branch_summary', 'b1', 'u1', { fromId: 'a1', summary: 'We tried.' })],
  },
  looksAt: 'session',
  *find(session): Generator<Hit> {
    const { heads } = session.tree;
    for (const head of heads.ofType('branch_summary')) {
      const { fromId } = session.entry(head);
      // The schema rules report a value that is not a string.
      if (typeof fromId !== 'string' || fromId === 'root' || heads.has(fromId)) continue;
      yield {
        message: `it summarises the branch that ends at ${quoteId(fromId)}, which is not in the file`,
        at: head,
      };
    }
  },
});
