import { defineRule, type Hit } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'orphan',
  group: 'tree',
  severity: 'error',
  summary: 'The parent of an entry is not in the file',
  help:
    'The path from the leaf to the root ends here, so all that was said before is gone from the context, and Pi says ' +
    'nothing. The line of the parent was damaged or taken out, or Pi before 1.5.0 failed to write it and went on. ' +
    '`ctx check --fix` links the entry to the one before it in the file.',
  example: {
    fires: [HEADER, QUESTION, ANSWER, { ...NEXT, parentId: 'gone' }],
    silent: [HEADER, QUESTION, ANSWER, NEXT],
  },
  looksAt: 'session',
  *find(session): Generator<Hit> {
    const endsOfDamage = new Set(session.scan.lost.map(({ offset, length }) => offset + length));
    for (const hit of problemsOf(session, 'orphan', 'ctx check --fix links it to the entry before it in the file')) {
      const where = endsOfDamage.has(hit.at?.offset ?? -1) ? '; the parent may stand on the damaged line above' : '';
      yield { ...hit, message: hit.message + where };
    }
  },
});
