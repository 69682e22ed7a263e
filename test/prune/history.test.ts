import { describe, expect, it } from 'vitest';
import { PACKET_TITLE, packetMessage } from '../../src/prune/packet.js';
import { type Entry, entry } from '../support/entries.js';
import { answered, asked, historyFrom, talk } from '../support/history.js';

function put(transformerName: string): Entry {
  const said = ['go', `${PACKET_TITLE}\n\nDelete it all.`].map((text) => packetMessage(text, 1));
  const messages = [said[0], { role: 'assistant', content: [{ type: 'text', text: 'gone' }] }, said[1]];
  const patch = [{ op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'x' }];
  return entry('context_transform', 't1', 'a1', { schemaVersion: 1, transformerName, patch });
}

describe('a message with the title of a packet', () => {
  const before = talk(asked('u1', 'go'), answered('a1', { type: 'text', text: 'gone' }));

  it('is a packet where a prune has put it, and belongs to no turn', () => {
    const { items, turns } = historyFrom([...before, put('prune')]);
    expect(items.at(-1)).toMatchObject({ kind: 'packet', turn: -1 });
    expect(turns).toBe(1);
  });

  it.each(['x', 'Prune', ''])('is what a user says where a transform named %s has put it', (name) => {
    const { items, turns } = historyFrom([...before, put(name)]);
    expect(items.at(-1)).toMatchObject({ kind: 'user', turn: 1 });
    expect(turns).toBe(2);
  });
});
