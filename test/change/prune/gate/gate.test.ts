import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GateInput, type GateState, gateStep, type GateVerdict, OPEN_GATE } from '#change/prune/gate/gate.js';
import { defaultPolicy, modeIn, type Policy } from '#change/prune/policy.js';
import { isFuller, zoneOf } from '#change/prune/zones.js';

const LIMIT = 100;
const NO_COOLDOWN: Policy = { ...defaultPolicy(), cooldownTurns: 0 };

/** A turn end with so many tokens out of 100, or what made the context smaller. */
type Event = number | 'relief';

interface Run {
  /** What is said at each turn end: what is asked for, else why not. */
  readonly said: readonly string[];
  readonly verdicts: readonly GateVerdict[];
  readonly state: GateState;
}

function run(events: readonly Event[], policy = NO_COOLDOWN): Run {
  const verdicts: GateVerdict[] = [];
  let state = OPEN_GATE;
  for (const event of events) {
    const happening: GateInput = event === 'relief' ? { kind: 'relief' } : { kind: 'turn-end', tokens: event };
    const step = gateStep(state, happening, { policy, limit: LIMIT });
    state = step.state;
    if (step.verdict) verdicts.push(step.verdict);
  }
  return { said: verdicts.map(({ asks, why }) => asks ?? why), verdicts, state };
}

describe('a gate', () => {
  it('asks for a compaction as soon as the context gets into red, long before it is full', () => {
    expect(run([40, 72]).said).toEqual(['watch', 'compact']);
  });

  it('asks for a compaction where the context jumps over red', () => {
    expect(run([40, 99]).said).toEqual(['watch', 'compact']);
  });

  it('asks for pruning on the way', () => {
    expect(run([40, 55, 72]).said).toEqual(['watch', 'prune', 'compact']);
  });

  it('asks once for as long as nothing happens, also in the zone that is worse still', () => {
    expect(run([72, 74, 80, 90, 99, 86, 71]).said).toEqual(['compact', ...Array<string>(6).fill('latched')]);
  });

  it('asks once for pruning in a zone', () => {
    expect(run([55, 60, 69]).said).toEqual(['prune', 'latched', 'latched']);
  });

  it('asks again after something was done about it', () => {
    expect(run([72, 'relief', 30, 72]).said).toEqual(['compact', 'watch', 'compact']);
    expect(run([55, 'relief', 56]).said).toEqual(['prune', 'prune']);
  });

  it('asks again after the tokens have fallen back below the zone', () => {
    expect(run([72, 40, 72]).said).toEqual(['compact', 'watch', 'compact']);
    expect(run([72, 60, 72]).said).toEqual(['compact', 'latched', 'compact']);
  });

  it('asks for nothing on the way down', () => {
    expect(run([90, 72, 60, 40]).said).toEqual(['compact', 'latched', 'latched', 'watch']);
  });

  it('prunes in red where the policy compacts later, and more than in yellow', () => {
    const late: Policy = { ...NO_COOLDOWN, compactFrom: 'compact' };
    expect(run([55, 72, 75, 86, 90], late).said).toEqual(['prune', 'prune', 'latched', 'compact', 'latched']);
  });

  it('only watches in a zone without strategies', () => {
    const red: Policy = { ...NO_COOLDOWN, zones: { ...NO_COOLDOWN.zones, yellow: [] } };
    expect(run([55, 60, 72], red).said).toEqual(['watch', 'watch', 'compact']);
  });
});

describe('the cooldown of a gate', () => {
  const policy: Policy = { ...defaultPolicy(), cooldownTurns: 3 };

  it('keeps a context that goes up and down around a threshold from being complained of each time', () => {
    expect(run([72, 40, 72, 40, 72, 72], policy).said).toEqual([
      'compact',
      'watch',
      'cooldown',
      'watch',
      'compact',
      'latched',
    ]);
  });

  it('holds where what was done has not helped', () => {
    expect(run([72, 'relief', 71, 71, 71, 71], policy).said).toEqual([
      'compact',
      'cooldown',
      'cooldown',
      'cooldown',
      'compact',
    ]);
  });

  it('ends where what was done has helped', () => {
    expect(run([72, 'relief', 30, 72], policy).said).toEqual(['compact', 'watch', 'compact']);
  });

  it('of a milder zone does not keep more from being asked for', () => {
    expect(run([55, 72], policy).said).toEqual(['prune', 'compact']);
    expect(run([55, 72, 86], { ...policy, compactFrom: 'compact' }).said).toEqual(['prune', 'prune', 'compact']);
  });

  it('of a worse zone keeps less from being asked for', () => {
    expect(run([72, 40, 55], policy).said).toEqual(['compact', 'watch', 'cooldown']);
  });

  it('is one for all zones that call for a compaction', () => {
    expect(run([72, 'relief', 86], policy).said).toEqual(['compact', 'cooldown']);
    expect(run([86, 'relief', 72], policy).said).toEqual(['compact', 'cooldown']);
  });
});

describe('whatever happens', () => {
  const events = fc.array(
    fc.oneof({ weight: 6, arbitrary: fc.nat(120) }, { weight: 1, arbitrary: fc.constant('relief' as const) }),
    {
      maxLength: 40,
    },
  );
  const policies = fc.record({
    cooldownTurns: fc.nat(4),
    compactFrom: fc.constantFrom('red' as const, 'compact' as const),
    hasYellow: fc.boolean(),
  });
  const policyOf = ({
    cooldownTurns,
    compactFrom,
    hasYellow,
  }: {
    cooldownTurns: number;
    compactFrom: 'red' | 'compact';
    hasYellow: boolean;
  }): Policy => {
    const base = defaultPolicy();
    return {
      ...base,
      cooldownTurns,
      compactFrom,
      zones: { ...base.zones, yellow: hasYellow ? base.zones.yellow : [] },
    };
  };

  it('asks only for what the policy does in the zone', () => {
    fc.assert(
      fc.property(events, policies, (happened, settings) => {
        const policy = policyOf(settings);
        for (const { zone, mode, asks } of run(happened, policy).verdicts) {
          expect(mode).toBe(modeIn(policy, zone));
          if (asks !== null) expect(asks).toBe(mode);
        }
      }),
    );
  });

  it('never asks for the same twice unless something was done or the tokens had fallen back, and not within the cooldown', () => {
    fc.assert(
      fc.property(events, policies, (happened, settings) => {
        const policy = policyOf(settings);
        const { verdicts } = run(happened, policy);
        let asked: { readonly end: number; readonly zone: GateVerdict['zone'] } | null = null;
        let end = 0;
        let [wasRelieved, fellBack] = [false, false];
        for (const event of happened) {
          if (event === 'relief') {
            wasRelieved = true;
            continue;
          }
          const verdict = verdicts[end]!;
          end += 1;
          if (asked !== null && isFuller(asked.zone, verdict.zone)) fellBack = true;
          if (verdict.asks !== 'compact') continue;
          if (asked !== null) {
            expect(wasRelieved || fellBack).toBe(true);
            if (!wasRelieved) expect(end - asked.end).toBeGreaterThan(policy.cooldownTurns);
          }
          asked = { end, zone: verdict.zone };
          [wasRelieved, fellBack] = [false, false];
        }
      }),
    );
  });

  it('a context that stays in red is asked about at least once', () => {
    fc.assert(
      fc.property(events, policies, (happened, settings) => {
        const policy = policyOf(settings);
        const stays = Array<number>(policy.cooldownTurns + 1).fill(95);
        const { verdicts } = run([...happened, 10, ...stays], policy);
        const atEnd = verdicts.slice(-stays.length);
        expect(atEnd.every(({ zone }) => zone === zoneOf(95, LIMIT, policy.thresholds))).toBe(true);
        expect(atEnd.filter(({ asks }) => asks === 'compact')).toHaveLength(1);
      }),
    );
  });
});
