import { describe, expect, it } from 'vitest';
import { type PlannedPrune, planPrune, type PrunePlanOptions } from '#change/prune/plan-prune.js';
import { defaultPolicy, readPolicy } from '#change/prune/policy.js';
import { envelopeAt } from '#context/envelope-at.js';
import type { OpenSession } from '#context/open.js';
import { formatId } from '#session/heads/head.js';
import { lines, opened } from '../../support/entries.js';
import { twoTurns } from '../../support/hook-session.js';
import { countedIds } from '../../support/memory-io.js';
import { workingSession } from '../../support/working-session.js';

/** Nine turns of an agent at work. */
const WORK = workingSession({ seed: 3, turns: 9 });

/** A prune that has to be possible. */
function planned(session: OpenSession, options: PrunePlanOptions): PlannedPrune {
  const plan = planPrune(session, { now: () => Date.UTC(2026, 2, 1), newId: countedIds(), ...options });
  if (plan === null) throw new Error('nothing could go');
  return plan;
}

describe('planPrune', () => {
  it.each(['yellow', 'red', 'compact'] as const)('does what the policy names for the zone %s', async (zone) => {
    const session = await opened(WORK);
    const { plan, before, after, prune } = planned(session, { zone });
    expect(prune).toMatchObject({ zone, strategies: defaultPolicy().zones[zone] });
    expect(prune.decisions.length).toBeGreaterThan(0);
    expect(before.meta.size.tokens - after.meta.size.tokens).toBe(prune.tokensSaved);
    expect(prune.tokensSaved).toBeGreaterThan(0);
    expect(plan).toMatchObject({ command: 'prune', session: { leafId: formatId(session.tree.leaf?.id) } });
  });

  it('predicts the context that the written entries replay to', async () => {
    const session = await opened(WORK);
    const { plan, before, after } = planned(session, { zone: 'red' });
    const written = await opened(WORK + lines(...plan.entries));
    expect(envelopeAt(written).messages).toEqual(after.messages);
    expect(envelopeAt(session).messages).toEqual(before.messages);
  });

  it.each([
    [0.6, 'yellow'],
    [0.8, 'red'],
    [0.9, 'compact'],
  ])('finds the zone of a context that fills %d of the window', async (share, zone) => {
    const session = await opened(WORK);
    const { tokens } = envelopeAt(session).meta.size;
    expect(planned(session, { limit: Math.round(tokens / share) }).prune.zone).toBe(zone);
  });

  it('uses another policy, another form and another entry', async () => {
    const session = await opened(WORK);
    const policy = readPolicy({ policy: 'shorten' }, 'ctx.json');
    expect(planned(session, { policy, zone: 'yellow' }).prune.strategies).toEqual(policy.zones.yellow);
    const { plan } = planned(session, { zone: 'red', form: 'context_transform' });
    expect(plan.entries.map(({ type }) => type)).toEqual(['context_transform']);
    const earlier = planned(session, { zone: 'compact', revision: 'HEAD~5' });
    const { parentId } = earlier.plan.entries[0]!;
    expect(parentId).toBe(envelopeAt(session, 'HEAD~5').at.entryId);
    expect(earlier.before.messages).toEqual(envelopeAt(session, 'HEAD~5').messages);
  });

  it('is null where the zone has no strategies, and where nothing can go', async () => {
    expect(planPrune(await opened(WORK), { zone: 'green' })).toBeNull();
    expect(planPrune(await opened(twoTurns), { zone: 'red' })).toBeNull();
  });

  it('needs a zone or a window, and a session that it can append to', async () => {
    const unknown = await opened(twoTurns);
    expect(() => planPrune(unknown)).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: 'the context window of faux-1 is unknown',
        hint: 'pass limit',
      }),
    );
    const old = await opened(WORK.replace('"version":3', '"version":2'));
    expect(() => planPrune(old, { zone: 'red' })).toThrow(expect.objectContaining({ kind: 'refused' }));
  });
});
