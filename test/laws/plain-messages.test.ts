import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toLenient } from '#context/lenient.js';
import { openSession } from '#context/open.js';
import { replayContext } from '#context/replay/build-envelope.js';
import { activePath } from '#session/tree/tree.js';
import { generateSession, type Shape } from '../support/generate.js';
import { foldMessages } from '../support/plain-messages.js';
import { runs } from '../support/runs.js';

const shapes = fc.record<Shape>({
  seed: fc.nat(1_000_000),
  entries: fc.integer({ min: 5, max: 60 }),
  odd: fc.constant(0),
  transforms: fc.constantFrom(0, 0.1, 0.3),
  compactions: fc.constantFrom(0.05, 0.2),
  edits: fc.constantFrom(0, 0.2),
});

it('the messages are those of the plain fold, at every entry of a path', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async (shape) => {
      const session = await openSession(new TextEncoder().encode(generateSession(shape)));
      const path = activePath(session.tree);
      for (const [at, head] of path.entries()) {
        const { cached } = replayContext(toLenient(session), head).messages;
        expect(cached).toEqual(foldMessages(session, path.slice(0, at + 1)));
      }
    }),
    { numRuns: runs(60) },
  );
});
