import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditLoss, auditLosses } from '#analysis/loss/audit.js';
import { ignorePatches, openSession } from '#context/open.js';
import { activePath } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

describe('the losses along a path', () => {
  it('are those of each compaction alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(0, 0.1), async (seed, transforms) => {
        const text = generateSession({ seed, transforms, compactions: 0.15, entries: 80 });
        const session = await openSession(new TextEncoder().encode(text));
        const { tree } = session;
        const path = activePath(tree);
        const boundaries = path.filter(
          ({ type }, at) => type === 'compaction' && path[at - 1]?.type !== 'context_transform',
        );
        const along = [...auditLosses({ session }, path, boundaries)];
        for (const [at, head] of boundaries.entries()) {
          const alone = auditLoss({ session }, head);
          const own = alone.left.filter(({ by }) => by === head.id);
          const { summary: _summary, ...document } = along[at]!;
          expect([document.counts, document.left]).toEqual([alone.counts, own]);
          // Those that an earlier compaction left in no summary are among its own.
          if (own.length === alone.left.length) expect(document).toEqual(alone);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('need about as many reads of each entry, whatever the number of compactions', () => {
    const [few, many] = [readsPerEntry(20), readsPerEntry(80)];
    expect(many).toBeLessThan(1.2 * few);
  });
});

it('read the facts of an entry once, though it is in no summary since', () => {
  const [few, many] = [textsRead(20), textsRead(80)];
  expect(many).toBeLessThan(1.2 * few);
});

/** Like `readsPerEntry`, where each compaction leaves what the one before kept in no summary, as old versions of Pi did. */
function textsRead(compactions: number): number {
  const log = new Log('dropped');
  for (let at = 0; at < compactions; at += 1) {
    log.user(`u${at}`, `Fix bug ${at}.`).assistant(`a${at}`, `Fixed ${at}.`);
    log.compaction(`k${at}`, `Summary ${at}.`, `u${at}`);
  }
  const session = log.read();
  const path = activePath(session.tree);
  const boundaries = path.filter(({ type }) => type === 'compaction');
  let reads = 0;
  const counting = { ...session, entry: (head: (typeof path)[number]) => ((reads += 1), session.entry(head)) };
  const losses = [...auditLosses({ session: ignorePatches(counting) }, path, boundaries)];
  expect(losses.at(-1)?.counts.unaccounted).toBeGreaterThan(compactions);
  return reads / path.length;
}

/** The reads of entries that the losses at some compactions in a row need, for each entry. */
function readsPerEntry(compactions: number): number {
  const log = new Log('losses');
  for (let at = 0; at < compactions; at += 1) {
    log.user(`u${at}`, `Fix bug ${at}.`).tool(`c${at}`, 'edit', { path: `src/part-${at}.ts` }, 'done');
    log.compaction(`k${at}`, `Fixed ${at}.`, `c${at}`, { usage: null });
  }
  const session = log.read();
  const path = activePath(session.tree);
  const boundaries = path.filter(({ type }) => type === 'compaction');
  let reads = 0;
  const counting = { ...session, entry: (head: (typeof path)[number]) => ((reads += 1), session.entry(head)) };
  const losses = [...auditLosses({ session: ignorePatches(counting) }, path, boundaries)];
  expect(losses).toHaveLength(compactions);
  expect(losses.at(-1)?.facts.map(({ text }) => text)).toContain(`src/part-${compactions - 2}.ts`);
  return reads / path.length;
}
