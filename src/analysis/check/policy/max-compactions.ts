import * as z from 'zod/mini';
import { listObjects } from '#base/json.js';
import { readTransformerName } from '#context/replay/repeated-transform.js';
import type { Session } from '#session/session.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, entry, HEADER, user } from '../example.js';

const compactionCount = z.strictObject({
  max: z.int().check(z.nonnegative(), z.describe('The allowed number of compactions on the active path.')),
});

export default defineRule({
  name: 'max-compactions',
  severity: null,
  summary: 'The active path was compacted too often',
  help:
    'Each compaction summarises the previous summary, so more of the first instructions and facts is lost each ' +
    'time. This rule counts the compactions on the path to the active leaf. A `context_transform` and the ' +
    '`compaction` entry after it that repeats it for Pi count once.',
  options: compactionCount,
  example: {
    fires: [
      HEADER,
      ...ANSWERED,
      entry('compaction', 'c1', 'a1', { summary: 'They looked around.', firstKeptEntryId: 'u1', tokensBefore: 20 }),
      user('u2', 'c1', 'And now?'),
      entry('compaction', 'c2', 'u2', { summary: 'They looked on.', firstKeptEntryId: 'u2', tokensBefore: 20 }),
    ],
    silent: [
      HEADER,
      ...ANSWERED,
      entry('compaction', 'c1', 'a1', { summary: 'They looked around.', firstKeptEntryId: 'u1', tokensBefore: 20 }),
    ],
    options: { max: 1 },
  },
  looksAt: 'session',
  *find(session, { max }): Generator<Hit> {
    const found = listCompactions(session);
    const [newest] = found;
    if (newest === undefined || found.length <= max) return;
    const times = found.length === 1 ? 'once' : `${found.length} times`;
    const message = `the path was compacted ${times}, more than the ${max} allowed`;
    yield { message, at: session.tree.heads.at(newest) };
  },
});

/** The entries of the active path that compact it, the newest first. */
function listCompactions(session: Session): readonly number[] {
  const { heads, leaf } = session.tree;
  const found: number[] = [];
  let below: string | null = null;
  let next = leaf?.index ?? -1;
  // A path that is longer than the file contains a cycle.
  for (let steps = 0; next !== -1 && steps < heads.length; steps += 1) {
    const type = heads.typeAt(next);
    if (type === 'compaction' || (type === 'context_transform' && isCompacting(session, next, below))) found.push(next);
    below = type;
    next = heads.parentAt(next);
  }
  return found;
}

/** Whether a transform compacts, and the entry after it is not a compaction that repeats it. */
function isCompacting(session: Session, index: number, below: string | null): boolean {
  const head = session.tree.heads.at(index);
  if (!head) return false;
  const transform = session.entry(head);
  const { patch } = transform;
  const isRepeated = below === 'compaction' && readTransformerName(transform) === 'compaction';
  return !isRepeated && listObjects(patch).some(({ op }) => op === 'compaction_apply');
}
