import { expect, it } from 'vitest';
import { auditLoss } from '#analysis/loss/audit.js';
import type { LossDocument } from '#analysis/loss/document.js';
import { schemas } from '#cli/schemas.js';
import { toSummaryMessage } from '#context/replay/convert.js';
import { Log } from '../../fixtures/log.js';

async function documentAt(log: Log, id?: string): Promise<LossDocument> {
  const session = await log.open();
  const head = id === undefined ? session.tree.leaf! : session.tree.heads.find(id)!;
  const found = auditLoss({ session }, head);
  expect(schemas.loss.parse(found)).toEqual(found);
  return found;
}

const talk = (): Log =>
  new Log('the-session')
    .user('u1', 'Never touch `src/a.ts`. Read src/b.ts and src/c.ts.')
    .tool('t1', 'read', { path: 'src/b.ts' }, 'text')
    .edit('e1', 't1r', null)
    .entry('m1', 'custom_message', { customType: 'x', content: 'A note.' });

it('the document of a compaction says what left, why, and what of it the summary says', async () => {
  const log = talk()
    .compaction('k1', 'Never touch src/a.ts.', 'm1')
    .user('u2', 'No, undo it.')
    .compaction('k2', 'No prior history. Saw src/b.ts.', 'u2');
  expect(await documentAt(log)).toEqual({
    schema: 'ctx/loss',
    schemaVersion: 1,
    session: { id: 'the-session', file: '-' },
    boundary: { entryId: 'k2', line: 9, type: 'compaction' },
    inputRule: { rule: 'after-compaction', from: 'date' },
    counts: { kept: 1, summarised: 2, edited: 1, unaccounted: 2, total: 6 },
    classes: [],
    left: [
      {
        entryId: 'm1',
        line: 6,
        type: 'custom_message',
        role: null,
        fate: 'unaccounted',
        by: 'k2',
        reason: 'kept-before',
      },
      {
        entryId: 'k1',
        line: 7,
        type: 'compaction',
        role: null,
        fate: 'unaccounted',
        by: 'k2',
        reason: 'summary-forgotten',
      },
    ],
    // An extension has written the note.
    facts: [],
  });
});

it('counts in the order of the classes how the summary mentions what left', async () => {
  const log = talk()
    .assistant('a1', 'I chose src/d.ts instead of src/e.ts.', {
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'I chose src/d.ts instead of src/e.ts.' },
      ],
    })
    .user('u2', 'No, undo it.')
    .compaction('k1', 'Never touch src/a.ts. Saw src/c.ts, src/b.ts. It is src/d.ts.', 'u2');
  const { classes, left, facts, counts } = await documentAt(log);
  expect(counts).toEqual({ kept: 1, summarised: 4, edited: 1, unaccounted: 0, total: 6 });
  expect(left.map(({ entryId, role, fate, by, reason }) => [entryId, role, fate, by, reason])).toEqual([
    ['u1', 'user', 'summarised', 'k1', null],
    ['t1', 'assistant', 'summarised', 'k1', null],
    ['m1', null, 'summarised', 'k1', null],
    ['a1', 'assistant', 'summarised', 'k1', null],
  ]);
  expect(facts.map(({ class: of, entryId, text, mention }) => [of, entryId, text, mention])).toEqual([
    ['instructions', 'u1', 'Never touch `src/a.ts`.', 'quoted'],
    ['instructions', 'u1', 'Read src/b.ts and src/c.ts.', 'named'],
    ['reads', 't1', 'src/b.ts', 'named'],
    ['decisions', 'a1', 'I chose src/d.ts instead of src/e.ts.', 'partly'],
    ['thinking', 'a1', 'Hm.', 'missing'],
  ]);
  const one = { left: 1, quoted: 0, named: 0, partly: 0, missing: 0 };
  expect(classes).toEqual([
    { class: 'instructions', left: 2, quoted: 1, named: 1, partly: 0, missing: 0 },
    { class: 'decisions', ...one, partly: 1 },
    { class: 'reads', ...one, named: 1 },
    { class: 'thinking', ...one, missing: 1 },
  ]);
});

it('the document of a transform has no rule, and takes for its summary all that it put there', async () => {
  const replace = {
    op: 'messages_cached_replace',
    scope: 'cached',
    messages: [toSummaryMessage('Never touch src/a.ts.', 0), { role: 'assistant', content: 'Saw src/b.ts, src/c.ts.' }],
    invalidateCacheReason: 'c',
  };
  const log = talk().transform('x1', 'compaction', [replace]).user('u2', 'Go on.');
  const found = await documentAt(log);
  expect(found).toMatchObject({
    boundary: { entryId: 'x1', line: 7, type: 'context_transform' },
    inputRule: null,
    counts: { kept: 0, summarised: 3, edited: 1, unaccounted: 0, total: 4 },
  });
  expect(found.facts.map(({ text, mention }) => [text, mention])).toEqual([
    ['Never touch `src/a.ts`.', 'quoted'],
    ['Read src/b.ts and src/c.ts.', 'named'],
    ['src/b.ts', 'named'],
  ]);
});

it('is of the newest compaction at or above an entry, and of none where there is none', async () => {
  const log = talk().compaction('k1', 'One.', 'm1').user('u2', 'Go.').compaction('k2', 'Two.', 'u2').user('u3', 'Go.');
  const boundaryAt = async (id: string): Promise<unknown> => (await documentAt(log, id)).boundary?.entryId;
  expect(await Promise.all(['k1', 'u2', 'k2', 'u3'].map(boundaryAt))).toEqual(['k1', 'k1', 'k2', 'k2']);
  await expect(boundaryAt('m1')).rejects.toMatchObject({
    kind: 'usage',
    message: 'no compaction at or before this entry',
    where: '-:6: entry m1',
    hint: 'see ctx log for the entries of the path',
  });
  const prune = { op: 'messages_cached_replace', scope: 'cached', messages: [], invalidateCacheReason: 'p' };
  await expect(documentAt(talk().transform('x1', 'prune', [prune]))).rejects.toThrow('no compaction');
});

it('is of the transform where a compaction repeats one, and of the last of several transforms', async () => {
  const apply = (summary: string) => ({
    op: 'compaction_apply',
    scope: 'cached',
    invalidateCacheReason: 'c',
    summary,
    timestamp: 0,
    firstKeptMessageIndex: 1,
  });
  const once = talk().transform('x1', 'compaction', [apply('One.')]);
  expect((await documentAt(once)).boundary?.entryId).toBe('x1');
  expect((await documentAt(once.compaction('k1', 'One.', 't1'))).boundary?.entryId).toBe('x1');
  const twice = talk()
    .transform('x1', 'compaction', [apply('One.')])
    .transform('x2', 'compaction', [apply('Two.')]);
  expect((await documentAt(twice)).boundary?.entryId).toBe('x2');
  const other = talk()
    .transform('x1', 'mine', [apply('One.')])
    .compaction('k1', 'Two.', 'k1');
  expect((await documentAt(other)).boundary?.entryId).toBe('k1');
});
