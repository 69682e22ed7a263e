import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelopeAt } from '#context/envelope-at.js';
import type { OpenSession } from '#context/open.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { ContextEvent } from '#lab/hooks/api.js';
import { toTransformBody } from '#lab/hooks/entry-bodies.js';
import type { HookReason } from '#lab/hooks/events.js';
import type { HookHost } from '#lab/hooks/hook-host.js';
import { findMessageBefore } from '#lab/hooks/hook-messages.js';
import type { HookRequest } from '#lab/hooks/hook-request.js';
import { extendToLeaf, findRequestAt, listPathRequests } from '#lab/hooks/path-requests.js';
import { HookRun } from '#lab/hooks/run.js';
import { measureGrowth } from '#lab/hooks/tally.js';
import { pathTo } from '#session/tree/tree.js';
import { canonicalJson } from '../../../src/base/canonical-json.js';
import { HEADER, lines, opened, sessionOf } from '../../support/entries.js';
import { generateSession, type Shape } from '../../support/generate.js';
import { said, TWO_TURNS } from '../../support/hook-session.js';
import { runs } from '../../support/runs.js';

const shapes = fc.record<Shape>({
  seed: fc.nat(1_000_000),
  entries: fc.integer({ min: 1, max: 40 }),
  odd: fc.constant(0),
  transforms: fc.constantFrom(0, 0.15),
  compactions: fc.constantFrom(0, 0.1),
});

type Answer = (event: ContextEvent) => unknown;

/** One handler in this process. */
function hostOf(answer: Answer): HookHost {
  const call = async (event: unknown): Promise<unknown> => answer(structuredClone(event) as ContextEvent);
  return { handlers: [{ hook: 'h.ts', event: 'context', call }], render: async () => null };
}

const ALL: ReadonlySet<HookReason> = new Set(['before_request', 'ephemeral', 'turn_end']);

async function runAll(session: OpenSession, answer: Answer): Promise<readonly HookRequest[]> {
  const path = session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : [];
  const again = async (): Promise<null> => null;
  const run = new HookRun(session, path, hostOf(answer), {
    reasons: ALL,
    baseline: {},
    window: {},
    settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
    checksCompaction: true,
    again,
  });
  const all: HookRequest[] = [];
  for await (const request of run.runEach(listPathRequests(path))) all.push(request);
  return all;
}

function textOf({ system, tools, messages, options }: EnvelopeContent): string {
  return canonicalJson({ system, tools, options, messages });
}

describe('a run of hooks along a path', () => {
  it('tells hooks that do nothing what the model was shown at each request', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const session = await opened(generateSession(shape));
        for (const { at, boundaries, cache } of await runAll(session, () => undefined)) {
          const path = at ? pathTo(session.tree, at) : [];
          expect(boundaries[0]?.at?.index).toBe(path.at(-1)?.index);
          if (at && typeof at.id === 'string' && session.tree.heads.find(at.id)?.index === at.index)
            expect(textOf(boundaries[0]!.before)).toBe(textOf(envelopeAt(session, at.id)));
          expect(cache).toMatchObject({
            promptTokens: cache!.withoutHooks.promptTokens,
            newTokens: cache!.withoutHooks.newTokens,
          });
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('gives what a session would give in which all that is persisted had been written', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.array(fc.nat(4), { minLength: 1, maxLength: 8 }), async (shape, choices) => {
        const session = await opened(generateSession(shape));
        let asked = 0;
        const requests = await runAll(session, ({ reason, state }) => {
          if (reason === 'ephemeral') return undefined;
          asked += 1;
          return {
            transformerName: `t${asked}`,
            patch: patchOf(choices[asked % choices.length]!, asked, state.envelope.messages.cached),
          };
        });
        const { text, places } = written(session, requests);
        const longer = await opened(text);
        for (const [place, after] of places) expect(textOf(envelopeAt(longer, place))).toBe(after);
      }),
      { numRuns: runs(60) },
    );
  });
});

/** Ops of every region; some change nothing, some everything. */
function patchOf(choice: number, number: number, cached: readonly object[]): readonly object[] {
  const why = { scope: 'cached', invalidateCacheReason: 'a test' };
  const mark = { role: 'user', content: `mark ${number}`, timestamp: number };
  switch (choice) {
    case 0:
      return [];
    case 1:
      return [{ op: 'system_part_set', partName: `part ${number % 3}`, text: `text ${number}`, ...why }];
    case 2:
      return [{ op: 'messages_cached_replace', messages: [...cached, mark], ...why }];
    case 3:
      return [
        { op: 'messages_cached_replace', messages: cached.slice(1), ...why },
        { op: 'options_set', maxTokens: number, ...why },
      ];
    default:
      return [
        {
          op: 'compaction_apply',
          summary: `summary ${number}`,
          timestamp: number,
          firstKeptMessageIndex: Math.floor(cached.length / 2),
          ...why,
        },
      ];
  }
}

/** The path of a session with the transforms in their places, and what the model is shown at each of them. */
function written(
  session: OpenSession,
  requests: readonly HookRequest[],
): { text: string; places: readonly (readonly [string, string])[] } {
  const boundaries = requests.flatMap((request) =>
    request.boundaries.filter(({ transforms }) => transforms.length > 0),
  );
  const places: (readonly [string, string])[] = [];
  const entries: Record<string, unknown>[] = [];
  const add = (entry: Record<string, unknown>): void =>
    void entries.push({ ...entry, parentId: entries.at(-1)?.['id'] ?? null });
  for (const head of session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : []) {
    if (entries.length === 0) flush(null);
    add({ ...session.entry(head) });
    flush(head.index);
  }
  return { text: lines(HEADER, ...entries), places };

  function flush(index: number | null): void {
    for (const { at, transforms, after } of boundaries) {
      if ((at?.index ?? null) !== index) continue;
      for (const transform of transforms) {
        const id = `hook-${entries.length}`;
        add({ ...toTransformBody(transform), id, timestamp: '2026-01-05T09:00:00.000Z' });
        places.push([id, textOf(after)]);
      }
    }
  }
}

describe('the requests of a path', () => {
  const session = sessionOf(...TWO_TURNS, said('u3', 'a3', 'user', 'And now?'));
  const path = extendToLeaf(session, session.tree.leaf);

  it('are those that are answered, each to the end of its turn, and the one that waits', () => {
    expect(listPathRequests(path)).toEqual([
      { number: 1, at: 0, answer: 1, end: 2 },
      { number: 2, at: 2, answer: 3, end: 3 },
      { number: 3, at: 4, answer: 5, end: 5 },
      { number: 4, at: 6, answer: null, end: null },
    ]);
    expect(listPathRequests(path.slice(0, 6)).map(({ answer }) => answer)).toEqual([1, 3, 5]);
    expect(listPathRequests(path.slice(0, 3)).map(({ answer }) => answer)).toEqual([1, null]);
    expect(listPathRequests([])).toEqual([]);
  });

  it('are found at an entry, answered or not', () => {
    expect(findRequestAt(path, 0)).toEqual({ number: 1, at: 0, answer: 1, end: 2 });
    expect(findRequestAt(path, 1)).toEqual({ number: 2, at: 1, answer: null, end: null });
    expect(findRequestAt(path, 6)).toEqual({ number: 4, at: 6, answer: null, end: null });
    expect([findMessageBefore(path, 6), findMessageBefore(path, 2), findMessageBefore(path, -1)]).toEqual([6, 2, -1]);
  });

  it('stand on the path to the leaf where their entry is on it', () => {
    const branched = sessionOf(...TWO_TURNS, said('b1', 'a2', 'user', 'Or else?'));
    const at = (id: string): readonly unknown[] =>
      extendToLeaf(branched, branched.tree.heads.find(id) ?? null).map((head) => head.id);
    expect(at('u1')).toEqual(['u1', 'a1', 'r1', 'a2', 'b1']);
    expect(at('u2')).toEqual(['u1', 'a1', 'r1', 'a2', 'u2']);
  });
});

it.each([
  ['none', []],
  ['once', [100]],
  ['linear', [100, 100]],
  ['linear', [100, 300]],
  ['linear', [100, 100, 100, 101]],
  ['linear', [100, 300, 50, 300, 50]],
  ['quadratic', [100, 200, 300]],
  ['quadratic', [100, 200, 300, 400, 50, 120, 220]],
] as const)('growth is %s for %j', (growth, sizes) => {
  expect(measureGrowth(sizes)).toBe(growth);
});
