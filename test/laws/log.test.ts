import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLenient } from '#context/lenient.js';
import { logEntries, type LogEntry } from '#context/log-entries.js';
import { openSession, type OpenSession } from '#context/open.js';
import { buildOverview } from '#context/replay/build-envelope.js';
import type { Head } from '#session/heads/head.js';
import { pathTo } from '#session/tree/tree.js';
import { bytes, compaction, HEADER, lines, user } from '../support/entries.js';
import { fixtures, triedRecordings } from '../support/files.js';
import { generateSession, type Shape } from '../support/generate.js';
import { parsedOnce } from '../support/parsed-once.js';
import { runs } from '../support/runs.js';

const shapes = fc.record<Shape>({
  seed: fc.nat(1_000_000),
  entries: fc.integer({ min: 1, max: 60 }),
  odd: fc.constantFrom(0, 0, 0.3),
  transforms: fc.constantFrom(0, 0, 0.1, 0.4),
  compactions: fc.constantFrom(0, 0.05, 0.2),
  edits: fc.constantFrom(0, 0.1, 0.3),
});

async function open(session: Shape | string): Promise<OpenSession> {
  return parsedOnce(await openSession(typeof session === 'string' ? session : bytes(generateSession(session))));
}

function activePath({ tree }: OpenSession): readonly Head[] {
  return tree.leaf ? pathTo(tree, tree.leaf) : [];
}

function log(session: OpenSession, path: readonly Head[], from: number, wanted?: readonly number[]): LogEntry[] {
  return [...logEntries(session, { path, from, wanted: wanted ?? path.slice(from).map(({ index }) => index) }, [])];
}

type Size = Pick<LogEntry, 'contextTokens' | 'contextTokensSource'>;

/** The size of the context after each entry of the active path, each from an envelope of its own. */
function sizes(session: OpenSession): readonly Size[] {
  return activePath(session).map((head) => {
    const { size } = buildOverview(toLenient(session), head).meta;
    return {
      contextTokens: size.tokens,
      contextTokensSource: size.estimated === 0 && size.tokens > 0 ? 'recorded' : 'estimated',
    };
  });
}

function sizesOf(entries: readonly LogEntry[]): readonly Size[] {
  return entries.map(({ contextTokens, contextTokensSource }) => ({ contextTokens, contextTokensSource }));
}

describe('the size of the context in a log', () => {
  it('is the one of the envelope after each entry, whatever changed the messages', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const session = await open(shape);
        expect(sizesOf(log(session, activePath(session), 0))).toEqual(sizes(session));
      }),
      { numRuns: runs(150) },
    );
  });

  it('is the same when the log begins further down', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.nat(60), async (shape, skipped) => {
        const session = await open(shape);
        const path = activePath(session);
        const from = Math.min(skipped, path.length - 1);
        expect(sizesOf(log(session, path, from))).toEqual(sizes(session).slice(from));
      }),
      { numRuns: runs(200) },
    );
  });

  it('is the same in any order', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.infiniteStream(fc.nat(1000)), async (shape, ranks) => {
        const session = await open(shape);
        const path = activePath(session);
        const all = sizes(session);
        const places = path.map((_, at) => ({ at, rank: ranks.next().value ?? 0 })).toSorted((a, b) => a.rank - b.rank);
        const wanted = places.map(({ at }) => path[at]!.index);
        expect(sizesOf(log(session, path, 0, wanted))).toEqual(places.map(({ at }) => all[at]));
      }),
      { numRuns: runs(50) },
    );
  });
});

it.each([...fixtures, ...triedRecordings].filter((file) => !file.includes('damaged')))(
  'the size of the context after each entry of %s',
  async (file) => {
    const session = await open(file);
    expect(sizesOf(log(session, activePath(session), 0))).toEqual(sizes(session));
  },
);

it('a log parses each entry once, and none that nothing below needs', async () => {
  const talk = Array.from({ length: 40 }, (_, at) => user(`u${at}`, at === 0 ? null : `u${at - 1}`));
  const session = await openSession(
    bytes(lines(HEADER, ...talk, compaction('k', 'u39', 'u37'), user('after', 'k'), user('last', 'after'))),
  );
  const path = activePath(session);
  const parsed: number[] = [];
  const counting = { ...session, entry: (head: Head) => (parsed.push(head.index), session.entry(head)) };
  log(counting, path, 0);
  expect(parsed).toEqual(path.map(({ index }) => index));
  parsed.length = 0;
  log(counting, path, path.length - 1);
  expect(parsed).toEqual([37, 38, 39, 40, 41, 42]);
});
