import { describe, expect, it } from 'vitest';
import { policyIn, stepsNamed } from '../../src/config/prune-policy.js';
import { buildEnvelope } from '../../src/context/build.js';
import { readPatch } from '../../src/ops/read-patch.js';
import { type History, historyOf } from '../../src/prune/history.js';
import { defaultPolicy, modeIn, nameIn, type Policy, stepsFor } from '../../src/prune/policy.js';
import { prune } from '../../src/prune/prune.js';
import { strategies } from '../../src/prune/strategies/index.js';
import { ZONES } from '../../src/prune/zones.js';
import { readSession } from '../../src/session/session.js';
import { sourceOf } from '../support/entries.js';
import { workingSession } from '../support/working-session.js';

function working(seed: number): History {
  const session = readSession(sourceOf(workingSession({ seed, turns: 16, summaries: true })), 's.jsonl');
  const { leaf } = session.tree;
  return historyOf(session, buildEnvelope(session, leaf, readPatch), leaf);
}

describe('the default policy', () => {
  const policy = defaultPolicy();

  it('names only strategies that there are', () => {
    const known = strategies.map(({ name }) => name);
    for (const zone of ZONES) for (const setting of policy.zones[zone]) expect(known).toContain(nameIn(setting));
    expect(policyIn({}, '')).toEqual(policy);
  });

  it('does nothing while there is room, then prunes, then asks for a compaction', () => {
    expect(ZONES.map((zone) => modeIn(policy, zone))).toEqual(['watch', 'prune', 'compact', 'compact']);
    expect(stepsFor(policy, 'green')).toEqual([]);
  });

  it('keeps fewer turns the fuller it gets, and only the newest in the end', () => {
    const keep = (zone: 'red' | 'compact'): unknown =>
      stepsFor(policy, zone).find(({ strategy }) => strategy.name === 'turns')?.options;
    expect(keep('red')).toEqual({ keep: policy.recentTurns.red });
    expect(keep('compact')).toEqual({ keep: 1 });
    const kept = ZONES.map((zone) => policy.recentTurns[zone]);
    expect(kept).toEqual(kept.toSorted((a, b) => b - a));
    expect(new Set(kept).size).toBe(ZONES.length);
  });

  it.each([2, 3, 4])('leaves less of working session %i the fuller it gets', (seed) => {
    const history = working(seed);
    const left = ZONES.map((zone) => {
      const pruned = prune(history, stepsFor(policy, zone), { protects: () => null, forbids: () => null });
      return pruned.history.tokens;
    });
    expect(left[0]).toBe(history.tokens);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    expect(new Set(left).size).toBe(ZONES.length);
  });
});

describe('the steps of a policy', () => {
  const policy = policyIn(
    {
      recentTurns: { red: 7 },
      zones: { yellow: ['turns', ['turns', {}], ['turns', { keep: 2 }]], red: ['turns', ['images']] },
    },
    'ctx.config.json',
  );
  const optionsIn = (zone: 'yellow' | 'red', of: Policy = policy): readonly unknown[] =>
    stepsFor(of, zone).map(({ options }) => options);

  it('keep as many turns as the zone says, where a step says nothing else', () => {
    expect(optionsIn('yellow')).toEqual([{ keep: 8 }, { keep: 8 }, { keep: 2 }]);
    expect(optionsIn('red')[0]).toEqual({ keep: 7 });
  });

  it('have options that are read, with their defaults', () => {
    const images = strategies.find(({ name }) => name === 'images');
    expect(optionsIn('red')[1]).toEqual(images?.options?.parse({}));
  });

  it('can be named in another order, and have the options of the zone', () => {
    const named = policyIn({ zones: { red: [['images', { afterTurns: 9 }], 'turns'] } }, '');
    const steps = stepsNamed('turns, images', named, 'red');
    expect(steps.map(({ strategy, options }) => [strategy.name, options])).toEqual([
      ['turns', { keep: 4 }],
      ['images', { afterTurns: 9 }],
    ]);
  });
});
