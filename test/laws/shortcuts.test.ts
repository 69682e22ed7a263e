import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toLenient } from '#context/lenient.js';
import { openSession, type OpenSession } from '#context/open.js';
import { Replay } from '#context/replay/replay.js';
import { replayPath, walk, type WalkOptions } from '#context/walk.js';
import type { Head } from '#session/heads/head.js';
import { pathTo } from '#session/tree/tree.js';
import { generateSession, type Shape } from '../support/generate.js';
import { runs } from '../support/runs.js';

const shapes = fc.record<Shape>({
  seed: fc.nat(1_000_000),
  entries: fc.integer({ min: 20, max: 120 }),
  odd: fc.constantFrom(0, 0.2),
  transforms: fc.constantFrom(0, 0.05, 0.3),
  compactions: fc.constantFrom(0.05, 0.15, 0.3),
  edits: fc.constantFrom(0, 0.2),
});

/** Each part of a context that a caller may read, as it is after an entry. */
const VIEWS = {
  whole: (replay: Replay): unknown => [
    replay.content(),
    replay.messages.listProvenance(),
    replay.listAppliedEdits(),
    replay.countParts(),
  ],
  sizes: (replay: Replay): unknown => [
    replay.declared(),
    replay.messages.listProvenance(),
    replay.messages.weighSent(),
    replay.messages.findLastRecorded(),
    replay.countParts(),
    replay.firstRecorded,
  ],
  none: (replay: Replay): unknown => [replay.declared(), replay.sources(), replay.listUnimplementedTools()],
};

type Detail = keyof typeof VIEWS;

/** What is read after each entry of a path that is replayed without any shortcut. */
function readPlainly(session: OpenSession, path: readonly Head[], detail: Detail): readonly unknown[] {
  const replay = new Replay(session, path, {});
  return path.map((head, at) => {
    replay.step(head, at);
    return structuredClone(VIEWS[detail](replay));
  });
}

function readWalk(
  session: OpenSession,
  path: readonly Head[],
  options: WalkOptions & { readonly messages: Detail },
): ReadonlyMap<number, unknown> {
  const read = new Map<number, unknown>();
  for (const step of walk(session, path, options).steps)
    read.set(step.index, structuredClone(VIEWS[options.messages](step.take())));
  return read;
}

async function openGenerated(shape: Shape): Promise<{ session: OpenSession; path: readonly Head[] }> {
  const session = toLenient(await openSession(new TextEncoder().encode(generateSession(shape))));
  const paths = Array.from(session.tree.heads, (head) => pathTo(session.tree, head));
  return { session, path: paths.reduce((longest, path) => (path.length > longest.length ? path : longest), []) };
}

it.each<Detail>(['whole', 'sizes', 'none'])(
  'a walk that reads "%s" of messages reads what the plain fold has, from any place on',
  async (messages) => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.double({ min: 0, max: 1, noNaN: true }), async (shape, share) => {
        const { session, path } = await openGenerated(shape);
        const plain = readPlainly(session, path, messages);
        const since = Math.floor(share * path.length);
        const read = readWalk(session, path, { messages, since });
        for (const at of path.keys())
          if (at >= since && (read.has(at) || messages !== 'none')) expect(read.get(at)).toEqual(plain[at]);
      }),
      { numRuns: runs(150) },
    );
  },
);

it('the end of a path that is read alone is the end of the plain fold', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async (shape) => {
      const { session, path } = await openGenerated(shape);
      const plain = readPlainly(session, path, 'whole');
      for (const at of path.keys()) {
        const replay = replayPath(session, path.slice(0, at + 1));
        expect([replay.content(), replay.messages.listProvenance()]).toEqual((plain[at] as unknown[]).slice(0, 2));
      }
    }),
    { numRuns: runs(60) },
  );
});
