import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareStatedFacts, FACT_KINDS, FACT_STATES, SOURCE_KINDS, type StatedFact } from '#analysis/facts/fact.js';
import { collectFacts, MOST_FACTS } from '#analysis/facts/facts.js';
import { sessionIn, statedFactsOf } from '../../support/facts.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

/** Few values of each, so that many tie. */
const candidate: fc.Arbitrary<StatedFact> = fc
  .record({
    kind: fc.constantFrom(...FACT_KINDS),
    key: fc.constantFrom('a', 'b', 'c'),
    text: fc.constantFrom('A', 'a', 'ä', '🙂'),
    state: fc.constantFrom(...FACT_STATES),
    outcome: fc.constantFrom(null, '', 'well'),
    time: fc.integer({ min: 1, max: 3 }),
    source: fc.record({
      entryId: fc.constantFrom(null, 'e1', 'e2'),
      line: fc.integer({ min: 2, max: 3 }),
      kind: fc.constantFrom(...SOURCE_KINDS),
      place: fc.integer({ min: 0, max: 1 }),
    }),
  })
  .map((made) => (made.kind === 'goal' ? { ...made, key: 'goal' } : made));

const permuted = fc
  .array(candidate, { maxLength: 30 })
  .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));

function said(text: string, rest: Partial<StatedFact> = {}): StatedFact {
  const source = { entryId: 'e1', line: 2, kind: 'user', place: 0 } as const;
  return { kind: 'task', key: text, text, state: 'open', outcome: null, time: 1, source, ...rest };
}

describe('a facts', () => {
  it('is the same in whatever order its candidates come', () => {
    fc.assert(
      fc.property(permuted, ([list, other]) => {
        expect(collectFacts(other)).toEqual(collectFacts(list));
      }),
    );
  });

  it('is the same for the candidates of a session in any order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1 })),
        (seed, chances) => {
          const session = sessionIn(
            generateSession({ seed, entries: 60, transforms: 0.05, compactions: 0.1, edits: 0.1, odd: 0.1 }),
          );
          const all = statedFactsOf(session);
          const shuffled = all
            .map((each) => ({ each, chance: chances.next().value ?? 0 }))
            .toSorted((a, b) => a.chance - b.chance)
            .map(({ each }) => each);
          expect(collectFacts(shuffled)).toEqual(collectFacts(all));
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('ties are broken by an order in which nothing but the same is equal', () => {
    fc.assert(
      fc.property(candidate, candidate, candidate, (a, b, c) => {
        expect(Math.sign(compareStatedFacts(a, b))).toBe(-Math.sign(compareStatedFacts(b, a)));
        if (compareStatedFacts(a, b) <= 0 && compareStatedFacts(b, c) <= 0)
          expect(compareStatedFacts(a, c)).toBeLessThanOrEqual(0);
        const ofOneFact = { ...b, kind: a.kind, key: a.key };
        if (compareStatedFacts(a, ofOneFact) === 0)
          expect({
            ...ofOneFact,
            outcome: ofOneFact.outcome ?? '',
            source: { ...ofOneFact.source, entryId: ofOneFact.source.entryId ?? '' },
          }).toEqual({ ...a, outcome: a.outcome ?? '', source: { ...a.source, entryId: a.source.entryId ?? '' } });
      }),
    );
  });

  it('lets the newest goal win, and of one time the one nearest to the user', () => {
    const goal = (text: string, time: number, kind: StatedFact['source']['kind']): StatedFact =>
      said(text, { kind: 'goal', key: 'goal', time, source: { entryId: null, line: 2, kind, place: 0 } });
    expect(collectFacts([goal('new', 2, 'compaction'), goal('old', 1, 'user')]).goal?.text).toBe('new');
    expect(collectFacts([goal('of the user', 1, 'user'), goal('of the summary', 1, 'compaction')]).goal?.text).toBe(
      'of the user',
    );
    expect(collectFacts([goal('of the branch', 1, 'branch'), goal('of the summary', 1, 'compaction')]).goal?.text).toBe(
      'of the summary',
    );
  });

  it('lets a later "done" win over an older "to do", and not over a newer one', () => {
    const older = collectFacts([said('test it', { state: 'done', time: 2 }), said('test it', { time: 1 })]);
    expect([older.tasks.facts.length, older.done.facts.length]).toEqual([0, 1]);
    const newer = collectFacts([said('test it', { state: 'done', time: 2 }), said('test it', { time: 3 })]);
    expect([newer.tasks.facts.length, newer.done.facts.length]).toEqual([1, 0]);
    const gone = collectFacts([said('test it', { state: 'gone', time: 2 }), said('test it', { time: 1 })]);
    expect([gone.tasks.facts.length, gone.done.facts.length]).toEqual([0, 0]);
  });

  it('lists the newest of each, oldest first, and says how many older ones there are', () => {
    const many = Array.from({ length: MOST_FACTS.tasks + 3 }, (_, at) => said(`task ${at}`, { time: at }));
    const { tasks } = collectFacts(many.toReversed());
    expect(tasks.more).toBe(3);
    expect(tasks.facts.map(({ text }) => text)).toEqual(many.slice(3).map(({ text }) => text));
  });
});
