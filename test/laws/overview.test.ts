import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildOverviewAt, envelopeAt } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import { toOverview } from '#context/replay/overview.js';
import type { TokenMethod } from '#context/size/tokens.js';
import { renderMessages } from '#ui/parts/message-list.js';
import { renderOverview } from '#ui/parts/overview.js';
import { fixtures } from '../support/files.js';
import { generateSession, type Shape } from '../support/generate.js';
import { runs } from '../support/runs.js';

const shapes = fc.record<Shape>({
  seed: fc.nat(1_000_000),
  entries: fc.integer({ min: 1, max: 60 }),
  odd: fc.constantFrom(0, 0, 0.3),
  transforms: fc.constantFrom(0, 0, 0.1, 0.4),
  compactions: fc.constantFrom(0, 0.05, 0.2),
  edits: fc.constantFrom(0, 0.1, 0.3),
});
const BY_LINES: TokenMethod = { name: 'lines', count: (text) => text.split('\n').length };

/** What the overview says without holding messages, and what it says of an envelope that holds them. */
async function expectSame(source: Uint8Array | string, from: number, method?: TokenMethod): Promise<void> {
  const session = await openSession(source);
  for (const revision of ['HEAD', `HEAD~${from}`]) {
    const options = { lenient: true, ephemeral: from % 2 === 0, method };
    const held = tried(() => envelopeAt(session, revision, options));
    const seen = tried(() => buildOverviewAt(session, revision, options));
    if (held === null || seen === null) {
      expect(seen).toBe(held);
      continue;
    }
    expect(seen.meta).toEqual(held.meta);
    const view = { rows: 20, columns: 80, where: [], file: 'a.jsonl' };
    expect(renderOverview(seen, 'A session', view)).toEqual(renderOverview(toOverview(held), 'A session', view));
    for (const bySize of [false, true]) {
      const list = { rows: Infinity, bySize };
      expect(renderMessages(seen, list)).toEqual(renderMessages(toOverview(held), list));
    }
  }
}

/** null for a revision that there is not, or a patch that breaks a rule. */
function tried<Value>(make: () => Value): Value | null {
  try {
    return make();
  } catch {
    return null;
  }
}

it('says of messages that are not held what it says of those that are', async () => {
  const back = fc.nat(60);
  const method = fc.constantFrom(undefined, BY_LINES);
  await fc.assert(
    fc.asyncProperty(shapes, back, method, (shape, from, by) =>
      expectSame(new TextEncoder().encode(generateSession(shape)), from, by),
    ),
    { numRuns: runs(300) },
  );
});

it.each(fixtures.filter((file) => !file.includes('damaged')))('says the same of %s', (file) => expectSame(file, 2));
