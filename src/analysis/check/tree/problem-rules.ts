import type { Session } from '#session/session.js';
import { type Hit, problemRules } from '../define.js';
import { ANSWER, ANSWERED, entry, HEADER, NEXT, QUESTION } from '../example.js';

/** The rules about repeated ids, cycles, and references to entries that are not in the file. */
export const problemsOfLinks = problemRules([
  {
    name: 'duplicate-id',
    severity: 'error',
    summary: 'Two entries have the same id',
    help:
      'Pi finds an entry by its id, and the later line wins. The earlier entry becomes unreachable, and its ' +
      'children now follow the later one. If that closes a loop, Pi runs out of memory. The usual causes are two ' +
      'processes that wrote to one session, or two concatenated files. `ctx repair` gives the later entry a ' +
      'new id.',
    example: { fires: [HEADER, QUESTION, ANSWER, { ...NEXT, id: 'u1' }], silent: [HEADER, QUESTION, ANSWER, NEXT] },
    fix: 'ctx repair gives the later entry a new id',
  },
  {
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
    explain: nearDamage,
  },
  {
    name: 'cycle',
    severity: 'error',
    summary: 'The parents of an entry form a cycle',
    help:
      'No version of Pi detects cycles: it follows the parents until memory runs out, and the process dies. ctx ' +
      'cuts the path where it would repeat. The usual cause is a repeated id. `ctx repair` removes the cycle.',
    example: {
      fires: [HEADER, { ...QUESTION, parentId: 'u2' }, ANSWER, NEXT],
      silent: [HEADER, QUESTION, ANSWER, NEXT],
    },
    fix: 'ctx repair removes the cycle',
  },
  {
    name: 'dangling-label',
    severity: 'warning',
    summary: 'A label names an entry that is not in the file',
    help:
      'Pi does not show the label, and nothing else depends on it. But Pi labels only existing entries, so the ' +
      'entry was lost: look for a damaged line nearby. `ctx repair` leaves the label as it is.',
    example: {
      fires: [HEADER, ...ANSWERED, entry('label', 'l1', 'a1', { targetId: 'gone', label: 'start' })],
      silent: [HEADER, ...ANSWERED, entry('label', 'l1', 'a1', { targetId: 'u1', label: 'start' })],
    },
  },
  {
    name: 'dangling-edit',
    severity: 'warning',
    summary: 'A context edit names an entry that is not in the file',
    help:
      'The edit has no effect, because its target is missing. If the target is in the file under another id, the ' +
      'model sees a message that should be hidden. `ctx repair` leaves the edit as it is.',
    example: {
      fires: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'gone', replacement: null })],
      silent: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null })],
    },
  },
  {
    name: 'dangling-compaction',
    severity: 'warning',
    summary: 'The first entry that a compaction keeps is not in the file',
    help:
      'A compaction names the first entry that it keeps (its own id if it keeps none). If that entry is missing, Pi ' +
      'keeps nothing: the model sees the summary, but none of the messages that should have been kept. Look for a ' +
      'damaged line. To repair the compaction by hand, set `firstKeptEntryId` to the first entry to keep.',
    example: {
      fires: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { summary: 'A README.', firstKeptEntryId: 'gone' })],
      silent: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { summary: 'A README.', firstKeptEntryId: 'a1' })],
    },
  },
]);

function* nearDamage(hits: Iterable<Hit>, { scan }: Session): Generator<Hit> {
  const endsOfDamage = new Set(scan.lost.map(({ offset, length }) => offset + length));
  for (const hit of hits) {
    const where = endsOfDamage.has(hit.at?.offset ?? -1) ? '; the parent may be on the damaged line before it' : '';
    yield { ...hit, message: hit.message + where };
  }
}
