import { formatId, type Head } from '#session/heads/head.js';
import type { Tree } from '#session/tree/tree.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION, user } from '../example.js';

export default defineRule({
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
    const leaves = listOtherLeaves(tree);
    const [first] = leaves;
    if (!first) return;
    const total = tree.heads.length;
    const branches = leaves.length === 1 ? 'another branch ends' : `${leaves.length} other branches end`;
    yield {
      message: `${branches} outside the active path, which has ${countActiveEntries(tree)} of ${total} entries`,
      at: first,
      related: leaves.slice(1, MOST_NAMED).map(({ id }) => id),
    };
  },
});

const MOST_NAMED = 10;

/** The entries without a child, except the active leaf. */
function listOtherLeaves({ heads, leaf }: Tree): readonly Head[] {
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

function countActiveEntries({ heads, leaf }: Tree): number {
  const isCounted = new Uint8Array(heads.length);
  let count = 0;
  for (let next = leaf?.index ?? -1; next !== -1 && isCounted[next] === 0; next = heads.parentAt(next)) {
    isCounted[next] = 1;
    count += 1;
  }
  return count;
}
