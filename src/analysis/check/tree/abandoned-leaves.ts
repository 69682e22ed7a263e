import { type Head, idText } from '#session/table/head.js';
import type { Tree } from '#session/tree/tree.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION, user } from '../example.js';

export default defineRule({
  name: 'abandoned-leaves',
  group: 'tree',
  severity: 'note',
  summary: 'Branches end off the active path',
  help:
    'Pi goes on from the last line of the file, and the model sees only what is on the path to it. Other branches are ' +
    'normal after `/tree`, a retry or an undo. If they were not meant, the last line has moved the session to another ' +
    'branch: even a label does that. `ctx tree` shows them all.',
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
      message: `${branches} off the active path, which holds ${activeEntries(tree)} of ${total} entries`,
      at: first,
      related: leaves.slice(1, MOST_NAMED).map(({ id }) => id),
    };
  },
});

const MOST_NAMED = 10;

/** The entries that nothing follows, but for the active leaf. */
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
    // An entry that has no id, or that a later one with the same id hides, has a rule of its own.
    if (head && idText(head.id) !== null && heads.resolvedAt(index) === index) leaves.push(head);
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
