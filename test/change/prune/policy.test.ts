import { describe, expect, it } from 'vitest';
import { buildHistory, type History } from '#change/prune/history.js';
import { buildPolicySchema } from '#change/prune/policy-schema.js';
import {
  defaultPolicy,
  listZoneStrategies,
  modeIn,
  nameStrategy,
  type Policy,
  readPolicy,
  readStrategies,
  resolveStrategy,
} from '#change/prune/policy.js';
import { prune } from '#change/prune/prune.js';
import { strategies } from '#change/prune/strategies/index.js';
import { ZONES } from '#change/prune/zones.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { readSession } from '../../../src/session/read-session.js';
import { sourceOf } from '../../support/entries.js';
import { workingSession } from '../../support/working-session.js';

function working(seed: number): History {
  const session = readSession(sourceOf(workingSession({ seed, turns: 16, summaries: true })), 's.jsonl');
  const { leaf } = session.tree;
  return buildHistory(session, buildEnvelope(attachPatchReader(session), leaf), leaf);
}

describe('the default policy', () => {
  const policy = defaultPolicy();

  it('names only strategies that there are', () => {
    const known = strategies.map(({ name }) => name);
    for (const zone of ZONES) for (const setting of policy.zones[zone]) expect(known).toContain(nameStrategy(setting));
    expect(readPolicy({}, '')).toEqual(policy);
  });

  it('does nothing while there is room, then prunes, then asks for a compaction', () => {
    expect(ZONES.map((zone) => modeIn(policy, zone))).toEqual(['watch', 'prune', 'compact', 'compact']);
    expect(listZoneStrategies(policy, 'green')).toEqual([]);
  });

  it('keeps fewer turns the fuller it gets, and only the newest in the end', () => {
    const keep = (zone: 'red' | 'compact'): unknown =>
      listZoneStrategies(policy, zone).find(({ strategy }) => strategy.name === 'turns')?.options;
    expect(keep('red')).toEqual({ keep: policy.recentTurns.red });
    expect(keep('compact')).toEqual({ keep: 1 });
    const kept = ZONES.map((zone) => policy.recentTurns[zone]);
    expect(kept).toEqual(kept.toSorted((a, b) => b - a));
    expect(new Set(kept).size).toBe(ZONES.length);
  });

  it.each([2, 3, 4])('leaves less of working session %i the fuller it gets', (seed) => {
    const history = working(seed);
    const left = ZONES.map((zone) => {
      const pruned = prune(history, listZoneStrategies(policy, zone), { protects: () => null, forbids: () => null });
      return pruned.history.tokens;
    });
    expect(left[0]).toBe(history.tokens);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    expect(new Set(left).size).toBe(ZONES.length);
  });
});

describe('the steps of a policy', () => {
  const policy = readPolicy(
    {
      recentTurns: { red: 7 },
      zones: { yellow: ['turns', ['turns', {}], ['turns', { keep: 2 }]], red: ['turns', ['images']] },
    },
    'ctx.config.json',
  );
  const optionsIn = (zone: 'yellow' | 'red', of: Policy = policy): readonly unknown[] =>
    listZoneStrategies(of, zone).map(({ options }) => options);

  it('keep as many turns as the zone says, where a step says nothing else', () => {
    expect(optionsIn('yellow')).toEqual([{ keep: 4 }, { keep: 4 }, { keep: 2 }]);
    expect(optionsIn('red')[0]).toEqual({ keep: 7 });
  });

  it('have options that are read, with their defaults', () => {
    const images = strategies.find(({ name }) => name === 'images');
    expect(optionsIn('red')[1]).toEqual(images?.options?.parse({}));
  });

  it('can be named in another order, and have the options of the zone', () => {
    const named = readPolicy({ zones: { red: [['images', { afterTurns: 9 }], 'turns'] } }, '');
    const steps = readStrategies('turns, images', named, 'red');
    expect(steps.map(({ strategy, options }) => [strategy.name, options])).toEqual([
      ['turns', { keep: 2 }],
      ['images', { afterTurns: 9 }],
    ]);
  });
});

describe('the schema of a policy with all strategies', () => {
  const takes = (policy: unknown): boolean => buildPolicySchema(strategies).safeParse(policy).success;

  it.each([
    {},
    { zones: { yellow: ['turns', ['turns'], ['turns', { keep: 2 }]] } },
    { zones: { red: ['summaries', ['summaries']], compact: [] } },
    { thresholds: { yellow: 0.7, red: 0.7, compact: 1 }, cooldownTurns: 0 },
  ])('takes %j', (policy) => {
    expect(takes(policy)).toBe(true);
  });

  it.each([
    { zones: { yellow: ['turn'] } },
    { zones: { yellow: [['turns', { kep: 2 }]] } },
    { zones: { yellow: [['turns', { keep: 0 }]] } },
    { zones: { yellow: [['summaries', {}]] } },
    { zones: { blue: [] } },
    { thresholds: { yellow: 0.71 } },
    { thresholds: { red: 0.86 } },
  ])('does not take %j', (policy) => {
    expect(takes(policy)).toBe(false);
  });

  it('has the same defaults', () => {
    expect(buildPolicySchema(strategies).parse({})).toEqual(defaultPolicy());
  });
});

it('what a policy does follows from its zone', () => {
  const base = defaultPolicy();
  const modes = (policy: Policy): readonly string[] => ZONES.map((zone) => modeIn(policy, zone));
  expect(modes({ ...base, compactFrom: 'compact' })).toEqual(['watch', 'prune', 'prune', 'compact']);
  expect(modes({ ...base, pruneAt: 'turn', zones: { green: ['turns'], yellow: [], red: [], compact: [] } })).toEqual([
    'prune',
    'watch',
    'compact',
    'compact',
  ]);
});

it('a strategy that there is not is none', () => {
  const base = defaultPolicy();
  expect(resolveStrategy('nothing', base, 'red')).toEqual({ name: 'nothing', strategy: null, options: undefined });
  expect(listZoneStrategies({ ...base, zones: { ...base.zones, red: ['nothing', ['turns']] } }, 'red')).toHaveLength(1);
});

describe('a policy with a name', () => {
  const names = ({ zones }: Policy): readonly (readonly string[])[] =>
    ZONES.map((zone) => zones[zone].map(nameStrategy));

  it('of pi-context-manager drops old turns and raw summaries in every zone, more turns in each', () => {
    const policy = readPolicy({}, '', 'context-manager');
    for (const each of names(policy)) expect(each.slice(0, 2)).toEqual(['summaries', 'turns']);
    const { green, yellow, red, compact } = policy.recentTurns;
    expect([green > yellow, yellow > red, red, compact]).toEqual([true, true, 1, 1]);
  });

  it.each(['shorten', 'turns'] as const)('drops no summaries: %s', (name) => {
    expect(names(readPolicy({}, '', name)).flat()).not.toContain('summaries');
  });

  it('drops turns from yellow on, or only shortens messages there', () => {
    expect(names(readPolicy({}, '', 'turns')).map(([first]) => first)).toEqual([undefined, 'turns', 'turns', 'turns']);
    expect(names(readPolicy({}, '', 'shorten')).map(([first]) => first)).toEqual([
      undefined,
      'dedupe',
      'turns',
      'turns',
    ]);
  });

  it('asks for pruning in the first zone only where it does so at every turn end', () => {
    expect(modeIn(readPolicy({}, '', 'turns'), 'green')).toBe('watch');
    expect(modeIn(readPolicy({}, '', 'context-manager'), 'green')).toBe('prune');
    expect(modeIn(readPolicy({ pruneAt: 'turn' }, ''), 'green')).toBe('watch');
  });

  it('is changed by the settings, field by field, and chosen by them or by a name that counts before them', () => {
    const policy = readPolicy({ policy: 'turns', recentTurns: { yellow: 2 }, zones: { green: [] } }, '');
    expect(policy).toMatchObject({ recentTurns: { green: 8, yellow: 2 }, checkAt: 'turn', packetTokens: 2000 });
    expect(names(policy)[0]).toEqual([]);
    expect(names(policy)[1]).toEqual(names(readPolicy({}, '', 'turns'))[1]);
    expect(readPolicy({ policy: 'turns' }, '', 'context-manager')).toMatchObject({
      compactFrom: 'red',
      checkAt: 'answer',
    });
    expect(() => readPolicy({ policy: 'turn' }, '')).toThrow('policy');
  });
});
