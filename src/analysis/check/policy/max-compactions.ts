import * as z from 'zod/mini';
import { listCompactions } from '#session/tree/compaction.js';
import { activePath } from '#session/tree/tree.js';
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
    'time. This rule counts the compactions on the path to the active leaf, also those that a `context_transform` ' +
    'makes: one named `compaction`, or with the operation `compaction_apply`. A transform and the `compaction` entry ' +
    'after it that repeats it for Pi count once.',
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
    const found = listCompactions(session, activePath(session.tree));
    const newest = found.at(-1);
    if (newest === undefined || found.length <= max) return;
    const times = found.length === 1 ? 'once' : `${found.length} times`;
    const message = `the path was compacted ${times}, more than the ${max} allowed`;
    yield { message, at: newest };
  },
});
