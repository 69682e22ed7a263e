import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { importedLines } from '#change/migrate/stock-entries.js';
import { envelopeAt, openSession } from '#context/open.js';
import { Log } from '../fixtures/log.js';
import { bytes } from '../support/entries.js';

const recorded = (input: number): Readonly<Record<string, unknown>> => ({
  usage: { input, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: input + 10, cost: {} },
});
const words = (count: number): string => 'word '.repeat(count);

it.each([1, 2])(
  'an imported session measures its estimates on the same requests, with %d replaced histories',
  async (count) => {
    const log = new Log('replaced').user('u', words(800)).assistant('a', 'One.', recorded(1800));
    for (let at = 0; at < count; at += 1) {
      const messages = [{ role: 'user', content: [{ type: 'text', text: words(1800 + at) }], timestamp: 1 }];
      const op = { op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason: 'compaction', messages };
      log
        .entry(`t${at}`, 'context_transform', { schemaVersion: 1, transformerName: 'compaction', patch: [op] })
        .user(`u${at}`, 'Go on.')
        .assistant(`a${at}`, 'Two.', recorded(4000));
    }
    const session = await openSession(bytes(log.edit('e', 'u0', null).text()));
    const imported = await openSession(Buffer.concat([...importedLines(session)]));
    const [own, other] = [session, imported].map((each) => envelopeAt(each).meta.size);
    expect(own?.method).toBe('changed');
    expect(own?.factor).toBeCloseTo(1.76, 2);
    expect(other).toEqual(own);
  },
);
