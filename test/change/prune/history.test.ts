import { describe, expect, it } from 'vitest';
import { ageOf } from '#change/prune/history.js';
import { PACKET_TITLE, toPacketMessage } from '#change/prune/packet.js';
import { PACKET_TYPE } from '#context/replay/ctx-entries.js';
import { compaction, type Entry, entry } from '../../support/entries.js';
import { answered, asked, call, historyFrom, result, talk } from '../../support/history.js';

function put(transformerName: string): Entry {
  const said = ['go', `${PACKET_TITLE}\n\nDelete it all.`].map((text) => toPacketMessage(text, 1));
  const messages = [said[0], { role: 'assistant', content: [{ type: 'text', text: 'gone' }] }, said[1]];
  const patch = [{ op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'x' }];
  return entry('context_transform', 't1', 'a1', { schemaVersion: 1, transformerName, patch });
}

describe('a message with the title of a packet', () => {
  const before = talk(asked('u1', 'go'), answered('a1', { type: 'text', text: 'gone' }));

  it.each(['prune', 'restore'])('is a packet where a %s has put it, and belongs to no turn', (name) => {
    const { items, turns } = historyFrom([...before, put(name)]);
    expect(items.map(({ kind }) => kind)).toEqual(['user', 'assistant', 'packet']);
    expect(items.at(-1)).toMatchObject({ kind: 'packet', turn: -1, isFrozen: true });
    expect(turns).toBe(1);
  });

  it.each(['x', 'Prune', ''])('is what a user says where a transform named %s has put it', (name) => {
    const { items, turns } = historyFrom([...before, put(name)]);
    expect(items.at(-1)).toMatchObject({ kind: 'user', turn: 1 });
    expect(turns).toBe(2);
  });

  it('is a user message unless a transform added it', () => {
    expect(historyFrom(talk(asked('u1', `${PACKET_TITLE}\n\nHello.`))).items).toMatchObject([
      { kind: 'user', turn: 0 },
    ]);
  });
});

describe('a history', () => {
  /** What follows one another, at the root. */
  const chain = (...entries: readonly Entry[]): readonly Entry[] =>
    entries.map((each, at) => ({ ...each, parentId: entries[at - 1]?.['id'] ?? null }));
  const said = (id: string, message: Entry): Entry => entry('message', id, null, { message });
  const branch = entry('branch_summary', 's1', null, { summary: 'Another way.', fromId: 'x' });
  const custom = (id: string, customType: string): Entry =>
    entry('custom_message', id, null, { customType, content: 'Mind this.', display: true });

  it('knows what each message is, and to which turn it belongs', () => {
    const { items, turns } = historyFrom(
      chain(
        said('b1', { role: 'bashExecution', command: 'ls', output: 'a' }),
        said('u1', asked('', 'Go.')[1]),
        custom('x1', 'x'),
        said('a1', answered('', call('c1', 'read', {}))[1]),
        said('r1', result('', 'c1', 'text')[1]),
        branch,
        said('u2', asked('', 'On.')[1]),
        said('a2', answered('', { type: 'text', text: 'Done.' })[1]),
        custom('p1', PACKET_TYPE),
        said('u3', asked('', 'Well.')[1]),
        custom('p2', PACKET_TYPE),
        said('u4', asked('', 'And?')[1]),
      ),
    );
    expect(items.map(({ from, kind, turn }) => [from.entryId, kind, turn])).toEqual([
      ['b1', 'bash', 0],
      ['u1', 'user', 0],
      ['x1', 'custom', 0],
      ['a1', 'assistant', 0],
      ['r1', 'toolResult', 0],
      ['s1', 'branch-summary', 1],
      ['u2', 'user', 1],
      ['a2', 'assistant', 1],
      ['p1', 'packet', -1],
      ['u3', 'user', 2],
      ['p2', 'packet', -1],
      ['u4', 'user', 2],
    ]);
    expect(turns).toBe(3);
    expect(items.map((item) => ageOf({ turns } as never, item))).toEqual([2, 2, 2, 2, 2, 1, 1, 1, 3, 0, 3, 0]);
    expect(items.every(({ at, place }, nth) => at === nth && place === nth)).toBe(true);
    expect(items.every(({ isFrozen }) => !isFrozen)).toBe(true);
  });

  it('begins above the first turn where a compaction has taken its question', () => {
    const { items, turns } = historyFrom(
      chain(
        said('u1', asked('', 'Go.')[1]),
        said('a1', answered('', { type: 'text', text: 'Done.' })[1]),
        compaction('k1', null, 'a1'),
        said('u2', asked('', 'On.')[1]),
      ),
    );
    expect(items.map(({ from, kind, turn }) => [from.entryId, kind, turn])).toEqual([
      ['k1', 'compaction-summary', -1],
      ['a1', 'assistant', -1],
      ['u2', 'user', 0],
    ]);
    expect(turns).toBe(1);
  });

  it('keeps the bytes of what an edit or a transform has made, but not of a summary', () => {
    const edited = historyFrom(
      chain(
        said('u1', asked('', 'Go.')[1]),
        said('a1', answered('', { type: 'text', text: 'Done.' })[1]),
        entry('context_edit', 'e1', null, { targetId: 'u1', replacement: { content: 'Shorter.' } }),
      ),
    );
    expect(edited.items.map(({ isFrozen, kind }) => [kind, isFrozen])).toEqual([
      ['user', true],
      ['assistant', false],
    ]);
    const frozen = historyFrom([...talk(asked('u1', 'go'), answered('a1')), put('x')]).items;
    expect(frozen.every(({ isFrozen }) => isFrozen)).toBe(true);
  });

  it('of nothing has no turn', () => {
    expect(historyFrom([entry('label', 'l1', null, { targetId: 'x' })])).toMatchObject({
      items: [],
      turns: 0,
      uses: [],
    });
  });
});
