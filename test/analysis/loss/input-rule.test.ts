import { describe, expect, it } from 'vitest';
import { findCompactionRange, findInputRule, type InputRule } from '#analysis/loss/input-rule.js';
import type { OpenSession } from '#context/open.js';
import { pathTo } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';

const opened = async (log: Log): Promise<OpenSession> => log.open();

describe('what a summary was made of', () => {
  const at = (timestamp: string, fields = {}) =>
    new Log('r').user('u', 'x').compaction('k', 'S.', 'u', { timestamp, ...fields });

  it.each([
    ['was said', '2026-01-01T00:00:00Z', { usage: {} }, 'after-compaction', 'after-compaction', 'said'],
    ['has the field usage', '2026-01-01T00:00:00Z', { usage: null }, undefined, 'kept-boundary', 'fields'],
    [
      'has the field systemMessage',
      '2026-01-01T00:00:00Z',
      { systemMessage: {} },
      undefined,
      'kept-boundary',
      'fields',
    ],
    ['is older', '2026-03-26T23:59:59.999Z', {}, undefined, 'after-compaction', 'date'],
    ['is as old', '2026-03-27T00:00:00.000Z', {}, undefined, 'kept-boundary', 'assumed'],
    ['has no time', 'never', {}, undefined, 'kept-boundary', 'assumed'],
  ] as const)('is known for one that %s', async (_, timestamp, fields, said, rule, from) => {
    const session = await opened(at(timestamp, fields));
    expect(findInputRule(session, session.tree.leaf!, said)).toEqual({ rule, from });
  });

  /** Of the last compaction. */
  async function range(log: Log, rule: InputRule, isTransformed = false) {
    const session = await opened(log);
    const path = pathTo(session.tree, session.tree.leaf!);
    const places = new Map(path.map(({ index }, place) => [index, place]));
    const compactions = path.flatMap(({ type }, place) => (type === 'compaction' ? [place] : []));
    const [before = -1, last] = compactions.length > 1 ? compactions.slice(-2) : [-1, ...compactions];
    const placeOf = (index: number): number => places.get(index) ?? -1;
    return findCompactionRange({ session, path, rule, placeOf, before, isTransformed }, last!);
  }

  const twice = (first: string | undefined, second: string | undefined) =>
    new Log('twice').twoTurns().compaction('k1', 'One.', first).user('u3', 'Go.').compaction('k2', 'Two.', second);

  it.each<readonly [string, Log, InputRule, boolean, number, number | null]>([
    [
      'begins at the root where there is none before',
      new Log('x').twoTurns().compaction('k1', 'One.', 'u2'),
      'after-compaction',
      false,
      0,
      2,
    ],
    ['begins behind the one before, by the old rule', twice('u2', 'u3'), 'after-compaction', false, 5, 5],
    ['begins with what the one before kept, by the new one', twice('u2', 'u3'), 'kept-boundary', false, 2, 5],
    ['begins behind the one before if that kept nothing', twice('k1', 'u3'), 'kept-boundary', false, 4, 5],
    [
      'begins behind the one before if nobody knows what that kept',
      twice('elsewhere', 'u3'),
      'kept-boundary',
      false,
      5,
      5,
    ],
    ['begins at the root where a transform changed what there was', twice('u2', 'u3'), 'after-compaction', true, 0, 5],
    ['ends at the compaction that keeps nothing', twice('u2', 'k2'), 'kept-boundary', false, 2, 6],
    ['ends nowhere if the compaction keeps from elsewhere', twice('u2', 'elsewhere'), 'kept-boundary', false, 2, null],
    ['ends nowhere if the compaction names nothing', twice('u2', undefined), 'kept-boundary', false, 2, null],
    ['ends at the root if that is kept', twice('u2', 'u1'), 'kept-boundary', false, 2, 0],
  ])('%s', async (_, log, rule, isTransformed, inputFrom, keptFrom) => {
    expect(await range(log, rule, isTransformed)).toEqual({ inputFrom, keptFrom });
  });

  it('ends nowhere if what is kept stands below or on another branch', async () => {
    const below = twice('u2', 'u4').user('u4', 'Later.');
    expect(await range(below, 'kept-boundary')).toMatchObject({ keptFrom: null });
    const beside = new Log('x').twoTurns().from('a1').user('b2', 'Other.').compaction('k1', 'One.', 'u2');
    expect(await range(beside, 'kept-boundary')).toEqual({ inputFrom: 0, keptFrom: null });
  });
});
