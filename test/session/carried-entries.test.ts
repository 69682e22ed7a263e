import { describe, expect, it } from 'vitest';
import { envelopeAt } from '#context/envelope-at.js';
import { type Entry, HEADER, lines, opened, user } from '../support/entries.js';

const USER = user('u1', null, 'Hi');
const OP = {
  op: 'messages_cached_replace',
  scope: 'cached',
  invalidateCacheReason: 'test',
  messages: [{ role: 'user', content: 'Instead', timestamp: 0 }],
};
const PATCH = { schemaVersion: 1, transformerName: 'prune', patch: [OP] };
const PLACE = { id: 't1', parentId: 'u1', timestamp: USER['timestamp'] };

/** The messages of a session of these entries, and the type of the last one. */
async function read(...entries: readonly Entry[]): Promise<{ type: unknown; contents: readonly unknown[] }> {
  const session = await opened(lines(HEADER, ...entries));
  const { messages, meta } = envelopeAt(session);
  expect(meta.diagnostics).toEqual([]);
  return { type: session.entry(session.tree.leaf!)['type'], contents: messages.cached.map(({ content }) => content) };
}

describe('a transform in a custom entry', () => {
  it('is replayed as the transform that it carries', async () => {
    const inCustom = { type: 'custom', customType: 'context_transform', data: PATCH, ...PLACE };
    const raw = { type: 'context_transform', ...PLACE, ...PATCH };
    expect(await read(USER, inCustom)).toEqual({ type: 'context_transform', contents: ['Instead'] });
    expect(await read(USER, inCustom)).toEqual(await read(USER, raw));
  });

  it('is found whatever the order of its fields', async () => {
    const { contents } = await read(USER, { ...PLACE, data: PATCH, customType: 'context_transform', type: 'custom' });
    expect(contents).toEqual(['Instead']);
  });

  it('keeps its own place, whatever its data says', async () => {
    const data = { ...PATCH, id: 'other', parentId: null, type: 'message' };
    const inCustom = { type: 'custom', customType: 'context_transform', data, ...PLACE };
    expect(await read(USER, inCustom)).toEqual({ type: 'context_transform', contents: ['Instead'] });
  });

  it.each(['context_transforms', 'ctx.request', 'context_transfor'])(
    'is not a custom entry of %s',
    async (customType) => {
      expect(await read(USER, { type: 'custom', customType, data: PATCH, ...PLACE })).toEqual({
        type: 'custom',
        contents: ['Hi'],
      });
    },
  );
});
