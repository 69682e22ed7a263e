import { quotedId } from '#session/table/head.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';

export default defineRule({
  name: 'dangling-branch-summary',
  group: 'tree',
  severity: 'note',
  summary: 'The branch that a summary is about is not in the file',
  help:
    'A branch summary names the entry at which the branch ended that it sums up, or `root`; before 0.84.3 it named its ' +
    'own parent. The model sees the summary whatever it names, but nobody can look up what it left out. Pi drops other ' +
    'branches when it forks a session, so this is normal in a fork; elsewhere lines were lost.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('branch_summary', 'b1', 'a1', { fromId: 'gone', summary: 'We tried.' })],
    silent: [HEADER, ...ANSWERED, entry('branch_summary', 'b1', 'u1', { fromId: 'a1', summary: 'We tried.' })],
  },
  looksAt: 'session',
  *find(session): Generator<Hit> {
    const { heads } = session.tree;
    for (const head of heads.ofType('branch_summary')) {
      const { fromId } = session.entry(head);
      // Whether it is a string at all is a matter of its schema.
      if (typeof fromId !== 'string' || fromId === 'root' || heads.has(fromId)) continue;
      yield { message: `it sums up the branch that ends at ${quotedId(fromId)}, which is not in the file`, at: head };
    }
  },
});
