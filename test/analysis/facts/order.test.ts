import { describe, expect, it } from 'vitest';
import { compareStatedFacts, type StatedFact } from '#analysis/facts/fact.js';
import { collectFacts, MOST_FACTS } from '#analysis/facts/facts.js';

function said(rest: Partial<Omit<StatedFact, 'source'>>, source: Partial<StatedFact['source']> = {}): StatedFact {
  return {
    kind: 'task',
    key: 'k',
    text: 'b',
    state: 'open',
    outcome: 'b',
    time: 5,
    source: { entryId: 'b', line: 5, kind: 'assistant', place: 5, ...source },
    ...rest,
  };
}

describe('of two candidates', () => {
  const usual = said({});
  const later = { time: 6 };
  const earlier = { time: 4 };

  it.each<readonly [string, StatedFact, StatedFact]>([
    ['the newer one', said(later, { kind: 'toolResult', line: 1, place: 1 }), usual],
    ['the user', said({ state: 'gone' }, { kind: 'user', line: 1 }), said({}, { kind: 'compaction' })],
    ['a summary before a branch', said({}, { kind: 'compaction', line: 1 }), said({}, { kind: 'branch' })],
    ['a branch before an assistant', said({}, { kind: 'branch', line: 1 }), usual],
    ['an assistant before a tool', said({}, { line: 1 }), said({}, { kind: 'toolResult' })],
    ['the one further down', said({ state: 'gone' }, { line: 6, place: 1 }), usual],
    ['the one said later by its entry', said({ state: 'gone' }, { place: 6 }), usual],
    ['the one that was done', said({ state: 'done', text: 'a' }), usual],
    ['the one that is open, not gone', said({ text: 'a' }), said({ state: 'gone' })],
    ['the later text', said({ text: 'c', outcome: 'a' }), usual],
    ['the later outcome', said({ outcome: 'c' }, { entryId: 'a' }), usual],
    ['the one with an outcome', usual, said({ outcome: null })],
    ['the later id', said({}, { entryId: 'c' }), usual],
    ['the one with an id', usual, said({}, { entryId: null })],
  ])('wins %s', (_, winner, other) => {
    expect([Math.sign(compareStatedFacts(winner, other)), Math.sign(compareStatedFacts(other, winner))]).toEqual([
      1, -1,
    ]);
    for (const list of [
      [winner, other],
      [other, winner],
    ])
      expect(collectFacts(list)).toEqual(collectFacts([winner]));
  });

  it('neither wins where they are the same', () => {
    expect(compareStatedFacts(usual, structuredClone(usual))).toBe(0);
    expect(compareStatedFacts(said({ outcome: null }), said({ outcome: '' }))).toBe(0);
    expect(compareStatedFacts(said(earlier), usual)).toBeLessThan(0);
  });
});

describe('a facts', () => {
  const rows: readonly (readonly [keyof typeof MOST_FACTS, Partial<StatedFact>])[] = [
    ['constraints', { kind: 'constraint' }],
    ['decisions', { kind: 'decision' }],
    ['tasks', { kind: 'task' }],
    ['blockers', { kind: 'blocker' }],
    ['done', { kind: 'task', state: 'done' }],
  ];
  const many = (rest: Partial<StatedFact>, count: number): readonly StatedFact[] =>
    Array.from({ length: count }, (_, at) => said({ ...rest, key: `${at}`, text: `${at}`, time: at }));

  it.each(rows)('lists %s, only those, the newest last, up to the limit', (name, rest) => {
    const { goal, ...listings } = collectFacts(many(rest, MOST_FACTS[name] + 2));
    expect(goal).toBeNull();
    for (const [other, { facts, more }] of Object.entries(listings))
      expect([other, facts.map(({ time }) => Date.parse(time ?? '')), more]).toEqual(
        other === name ? [other, Array.from({ length: MOST_FACTS[name] }, (_, at) => at + 2), 2] : [other, [], 0],
      );
    expect(collectFacts(many(rest, MOST_FACTS[name]))[name]).toMatchObject({
      more: 0,
      facts: { length: MOST_FACTS[name] },
    });
  });

  it.each(rows.slice(0, 4))('lists no %s that is gone, nor done', (name, { kind = 'task' }) => {
    for (const state of ['gone', 'done'] as const)
      expect(collectFacts(many({ kind, state }, 2))[name]).toEqual({ facts: [], more: 0 });
  });

  it('tells facts of one key apart by what they are', () => {
    const all = rows.map(([, rest]) => said({ ...rest, ...(rest.state && { key: 'other' }) }));
    const { goal, ...listings } = collectFacts([...all, said({ kind: 'goal' })]);
    expect(goal).not.toBeNull();
    expect(Object.values(listings).map(({ facts }) => facts.length)).toEqual([1, 1, 1, 1, 1]);
  });

  it('has the newest goal', () => {
    const goals = [1, 3, 2].map((time) => said({ kind: 'goal', key: `${time}`, time }));
    expect(collectFacts(goals).goal?.time).toBe('1970-01-01T00:00:00.003Z');
  });
});
