import type { Session } from '#session/session.js';
import type { Hit } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'orphan',
  severity: 'error',
  summary: 'The parent of an entry is not in the file',
  help:
    'The path from the leaf to the root ends here, so all earlier entries are missing from the context, and Pi ' +
    'does not report it. The line of the parent was damaged or removed, or Pi before 1.5.0 failed to write it and ' +
    'continued. `ctx repair` links the entry to the one before it in the file.',
  example: {
    fires: [HEADER, QUESTION, ANSWER, { ...NEXT, parentId: 'gone' }],
    silent: [HEADER, QUESTION, ANSWER, NEXT],
  },
  fix: 'ctx repair links it to the entry before it in the file',
  explain: explainDamage,
});

function* explainDamage(hits: Iterable<Hit>, { scan }: Session): Generator<Hit> {
  const endsOfDamage = new Set(scan.damaged.map(({ offset, length }) => offset + length));
  for (const hit of hits) {
    const where = endsOfDamage.has(hit.at?.offset ?? -1) ? '; the parent may be on the damaged line before it' : '';
    yield { ...hit, message: hit.message + where };
  }
}
