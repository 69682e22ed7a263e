import { formatId, type Head, quoteId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { Tree } from '#session/tree/tree.js';
import { defineProblemRules, defineRule, type Hit, type RuleDefinition } from './define.js';
import { ANSWER, ANSWERED, entry, HEADER, NEXT, QUESTION, user } from './example.js';
import { timeRunsBackwards } from './schema/field-rules.js';

const abandonedLeaves = defineRule({
  name: 'abandoned-leaves',
  severity: 'note',
  summary: 'Branches end outside the active path',
  help:
    'Pi continues from the last line of the file, and the model sees only the path to it. Other branches are normal ' +
    'after `/tree`, a retry or an undo. If they are not intended, the last line moved the session to another ' +
    'branch: even a label does that. `ctx tree` shows all branches.',
  example: {
    fires: [HEADER, QUESTION, ANSWER, NEXT, user('u3', 'u1', 'Is there a licence?')],
    silent: [HEADER, QUESTION, ANSWER, NEXT],
  },
  looksAt: 'session',
  *find({ tree }): Generator<Hit> {
    const leaves = otherLeaves(tree);
    const [first] = leaves;
    if (!first) return;
    const total = tree.heads.length;
    const branches = leaves.length === 1 ? 'another branch ends' : `${leaves.length} other branches end`;
    yield {
      message: `${branches} outside the active path, which has ${activeEntries(tree)} of ${total} entries`,
      at: first,
      related: leaves.slice(1, MOST_NAMED).map(({ id }) => id),
    };
  },
});

const MOST_NAMED = 10;

/** The entries without a child, except the active leaf. */
function otherLeaves({ heads, leaf }: Tree): readonly Head[] {
  const { length } = heads;
  const hasChild = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) {
    const parent = heads.parentAt(index);
    if (parent !== -1) hasChild[parent] = 1;
  }
  const leaves: Head[] = [];
  for (let index = 0; index < length; index += 1) {
    if (hasChild[index] === 1 || index === leaf?.index) continue;
    const head = heads.at(index);
    // Other rules report an entry without an id, and one that a later entry with its id hides.
    if (head && formatId(head.id) !== null && heads.entryOfIdAt(index) === index) leaves.push(head);
  }
  return leaves;
}

function activeEntries({ heads, leaf }: Tree): number {
  const isCounted = new Uint8Array(heads.length);
  let count = 0;
  for (let next = leaf?.index ?? -1; next !== -1 && isCounted[next] === 0; next = heads.parentAt(next)) {
    isCounted[next] = 1;
    count += 1;
  }
  return count;
}

const danglingBranchSummary = defineRule({
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

const newerVersion = defineRule({
  name: 'newer-version',
  severity: 'warning',
  summary: 'The session has an unknown, newer version',
  help:
    'ctx supports versions 1 to 3. Pi reads a newer version as if it were the current one, and so does ctx: entries ' +
    'of new types are kept, but their effect on the context is missing. Use a newer ctx, if there is one.',
  example: { fires: [{ ...HEADER, version: 4 }, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
  looksAt: 'session',
  *find({ header: { version }, scan }): Generator<Hit> {
    if (version > NEWEST)
      yield {
        message: `the header has version ${version}; the newest supported version is ${NEWEST}`,
        at: scan.headerSpan,
      };
  },
});

const NEWEST = 3;

const lateParent = defineRule({
  name: 'late-parent',
  severity: 'warning',
  isOnlyForPi: true,
  summary: 'The parent of an entry is later in the file',
  help:
    'Pi appends an entry after its parent, so the lines were sorted or moved. Pi continues from the last line: if ' +
    'that is not the newest entry, the model sees another path, often only the beginning. `ctx repair` does not move ' +
    'lines: the last one decides which branch is active, and the file no longer shows which one was last. Restore ' +
    'their order by hand. A parent whose id is repeated is reported by `duplicate-id`.',
  example: { fires: [HEADER, ANSWER, QUESTION], silent: [HEADER, QUESTION, ANSWER] },
  looksAt: 'session',
  *find({ tree: { heads }, problems }): Generator<Hit> {
    // A cycle has such a parent too, but another cause.
    if (heads.areParentsAbove() || problems.some(({ code }) => code === 'cycle')) return;
    const repeated = new Set<number>();
    const late: number[] = [];
    for (let index = 0; index < heads.length; index += 1) {
      const [parent, resolved] = [heads.parentAt(index), heads.entryOfIdAt(index)];
      if (resolved !== index) repeated.add(resolved);
      if (parent > index) late.push(index);
    }
    const [first, ...others] = late.filter((index) => !repeated.has(heads.parentAt(index)));
    const head = first === undefined ? undefined : heads.at(first);
    if (!head) return;
    const rest =
      others.length === 1 ? 'the parent of 1 other entry is' : `the parents of ${others.length} other entries are`;
    const message = `its parent ${quoteId(head.parentId)} is later in the file${others.length === 0 ? '' : `; ${rest} later too`}`;
    yield { message, at: head, related: [head.parentId] };
  },
});

/** The rules about repeated ids, cycles, and references to entries that are not in the file. */
const problemsOfLinks = defineProblemRules([
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
  const endsOfDamage = new Set(scan.damaged.map(({ offset, length }) => offset + length));
  for (const hit of hits) {
    const where = endsOfDamage.has(hit.at?.offset ?? -1) ? '; the parent may be on the damaged line before it' : '';
    yield { ...hit, message: hit.message + where };
  }
}

/** The rules about the links between the entries of a file. */
export const rules: readonly RuleDefinition[] = [
  ...problemsOfLinks,
  danglingBranchSummary,
  abandonedLeaves,
  lateParent,
  timeRunsBackwards,
  newerVersion,
];
