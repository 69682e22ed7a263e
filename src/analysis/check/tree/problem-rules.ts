import type { Session } from '#session/session.js';
import type { Hit } from '../define.js';
import { ANSWER, ANSWERED, entry, HEADER, NEXT, QUESTION } from '../example.js';
import { problemRules } from '../problems.js';

/** Ids that repeat, circles, and names of entries that are not in the file. */
export const problemsOfLinks = problemRules('tree', [
  {
    name: 'duplicate-id',
    severity: 'error',
    summary: 'Two entries have the same id',
    help:
      'Pi finds an entry by its id, and the later line wins: the earlier entry cannot be reached any more, and what followed ' +
      'it now follows the later one. Where that closes a loop, Pi runs out of memory. Two processes that wrote to one session, ' +
      'or two files put together, are the usual reason. `ctx repair` gives the later entry an id of its own.',
    example: { fires: [HEADER, QUESTION, ANSWER, { ...NEXT, id: 'u1' }], silent: [HEADER, QUESTION, ANSWER, NEXT] },
    fix: 'ctx repair gives the later entry an id of its own',
  },
  {
    name: 'orphan',
    severity: 'error',
    summary: 'The parent of an entry is not in the file',
    help:
      'The path from the leaf to the root ends here, so all that was said before is gone from the context, and Pi says ' +
      'nothing. The line of the parent was damaged or taken out, or Pi before 1.5.0 failed to write it and went on. ' +
      '`ctx repair` links the entry to the one before it in the file.',
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
    summary: 'The parents of an entry lead back to it',
    help:
      'No version of Pi looks for cycles: it follows the parents until the memory is used up, and the process dies. ctx cuts ' +
      'the path where it would repeat. A repeated id is the usual reason. `ctx repair` cuts the cycle for good.',
    example: {
      fires: [HEADER, { ...QUESTION, parentId: 'u2' }, ANSWER, NEXT],
      silent: [HEADER, QUESTION, ANSWER, NEXT],
    },
    fix: 'ctx repair cuts the cycle',
  },
  {
    name: 'dangling-label',
    severity: 'warning',
    summary: 'A label stands at an entry that is not in the file',
    help:
      'Pi shows the label nowhere, and nothing else depends on it. But Pi labels only entries that it has, so the entry was ' +
      'lost: look for a damaged line near by. `ctx repair` leaves the label as it is.',
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
      'The edit does nothing: what it was to leave out or replace is not there. If the entry is in the file under another ' +
      'id, the model sees what should have been hidden from it. `ctx repair` leaves the edit as it is.',
    example: {
      fires: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'gone', replacement: null })],
      silent: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null })],
    },
  },
  {
    name: 'dangling-compaction',
    severity: 'warning',
    summary: 'A compaction keeps from an entry that is not in the file',
    help:
      'A compaction names the first entry that it keeps (its own id if it keeps none). If that entry is not there, Pi keeps ' +
      'nothing: the model sees the summary, and none of the messages that were to stay. Look for a damaged line; to mend it ' +
      'by hand, let `firstKeptEntryId` name the first entry that is to be kept.',
    example: {
      fires: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { summary: 'A README.', firstKeptEntryId: 'gone' })],
      silent: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { summary: 'A README.', firstKeptEntryId: 'a1' })],
    },
  },
]);

function* nearDamage(hits: Iterable<Hit>, { scan }: Session): Generator<Hit> {
  const endsOfDamage = new Set(scan.lost.map(({ offset, length }) => offset + length));
  for (const hit of hits) {
    const where = endsOfDamage.has(hit.at?.offset ?? -1) ? '; the parent may stand on the damaged line above' : '';
    yield { ...hit, message: hit.message + where };
  }
}
