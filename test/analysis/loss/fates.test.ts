import { describe, expect, it } from 'vitest';
import { auditLoss } from '#analysis/loss/audit.js';
import type { InputRule } from '#analysis/loss/input-rule.js';
import { Log } from '../../fixtures/log.js';
import { accountsAt } from '../../support/losses.js';

/** Of every entry above the last boundary: its id, what became of it, by which entry, and why. */
async function fatesOf(log: Log, rule?: InputRule): Promise<readonly string[]> {
  const session = await log.open();
  const document = auditLoss({ session, rule }, session.tree.leaf!);
  return accountsAt(session, document, rule).map(({ head, fate, by, reason }) =>
    [head.id, fate, by?.id, reason].filter((each) => each !== null && each !== undefined).join(' '),
  );
}

const apply = (summary: string, firstKeptMessageIndex: number) => ({
  op: 'compaction_apply',
  scope: 'cached',
  invalidateCacheReason: 'c',
  summary,
  timestamp: 0,
  firstKeptMessageIndex,
});
const replace = (...messages: readonly object[]) => {
  return { op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'p' };
};
const twoTurns = (): Log => new Log('fates').twoTurns();

describe('what becomes of each entry', () => {
  it.each<readonly [string, Log, readonly string[]]>([
    [
      'a compaction summarises what it does not keep',
      twoTurns().compaction('k1', 'S.', 'u2'),
      ['u1 summarised k1', 'a1 summarised k1', 'u2 kept', 'a2 kept'],
    ],
    [
      'all where it keeps nothing',
      twoTurns().compaction('k1', 'S.', 'k1'),
      ['u1 summarised k1', 'a1 summarised k1', 'u2 summarised k1', 'a2 summarised k1'],
    ],
    [
      'a summary is handed on to the next one',
      twoTurns().compaction('k1', 'S.', 'a2').compaction('k2', 'T.', 'k2'),
      ['u1 summarised k1', 'a1 summarised k1', 'u2 summarised k1', 'a2 unaccounted k2 kept-before', 'k1 summarised k2'],
    ],
    [
      'also by a compaction that keeps from elsewhere, of which nobody can say what else',
      twoTurns().compaction('k1', 'S.', 'a2').compaction('k2', 'T.', 'nowhere'),
      [
        'u1 summarised k1',
        'a1 summarised k1',
        'u2 summarised k1',
        'a2 unaccounted k2 kept-from-elsewhere',
        'k1 summarised k2',
      ],
    ],
    [
      'what an edit leaves out is edited, once',
      twoTurns().edit('e1', 'a1', null).edit('e2', 'a1', null).compaction('k1', 'S.', 'a2'),
      ['u1 summarised k1', 'a1 edited e1', 'u2 summarised k1', 'a2 kept'],
    ],
    [
      'what an edit only changes stays',
      twoTurns().edit('e1', 'a1', { content: 'x' }).compaction('k1', 'S.', 'u1'),
      ['u1 kept', 'a1 kept', 'u2 kept', 'a2 kept'],
    ],
    [
      'an edit of what is gone changes nothing',
      twoTurns()
        .compaction('k0', 'S.', 'u2')
        .edit('e1', 'a1', null)
        .edit('e2', 'nowhere', null)
        .compaction('k1', 'T.', 'u2'),
      ['u1 summarised k0', 'a1 summarised k0', 'u2 kept', 'a2 kept', 'k0 summarised k1'],
    ],
    [
      'what an edit brings back can leave again',
      twoTurns()
        .edit('e1', 'a1', null)
        .edit('e2', 'a1', { content: 'x' })
        .edit('e3', 'a1', null)
        .compaction('k1', 'S.', 'u1'),
      ['u1 kept', 'a1 edited e3', 'u2 kept', 'a2 kept'],
    ],
    [
      'shell commands that are hidden, and what nobody is sent, have no part',
      twoTurns()
        .message('b1', { role: 'bashExecution', command: 'ls', output: '', excludeFromContext: true })
        .message('b2', { role: 'bashExecution', command: 'ls', output: '' })
        .entry('n1', 'custom', { customType: 'x' })
        .message('o1', { role: 'odd', content: 'x' })
        .compaction('k1', 'S.', 'a2'),
      ['u1 summarised k1', 'a1 summarised k1', 'u2 summarised k1', 'a2 kept', 'b2 kept'],
    ],
    [
      'a transform that compacts summarises, whatever its name',
      twoTurns()
        .transform('x1', 'mine', [apply('S.', 2)])
        .compaction('k1', 'T.', 'k1'),
      ['u1 summarised x1', 'a1 summarised x1', 'u2 summarised k1', 'a2 summarised k1', 'x1 summarised k1'],
    ],
    [
      'so does one that is called compaction, whatever it does',
      twoTurns().transform('x1', 'compaction', [replace()]),
      ['u1 summarised x1', 'a1 summarised x1', 'u2 summarised x1', 'a2 summarised x1'],
    ],
    [
      'any other edits',
      twoTurns().transform('x1', 'prune', [replace()]).user('u3', 'Go.').compaction('k1', 'S.', 'u3'),
      ['u1 edited x1', 'a1 edited x1', 'u2 edited x1', 'a2 edited x1', 'u3 kept'],
    ],
    [
      'what a transform put there is summarised with the rest, by whatever rule',
      twoTurns()
        .compaction('k0', 'S.', 'u2')
        .transform('x1', 'mine', [replace({ role: 'user', content: 'New.' })])
        .user('u3', 'Go.')
        .compaction('k1', 'T.', 'u3'),
      [
        'u1 summarised k0',
        'a1 summarised k0',
        'u2 edited x1',
        'a2 edited x1',
        'k0 edited x1',
        'x1 summarised k1',
        'u3 kept',
      ],
    ],
    [
      'what the compaction before kept is summarised too, once a transform has changed anything',
      twoTurns()
        .compaction('k0', 'S.', 'u2')
        .transform('x1', 'mine', [{ op: 'options_set', scope: 'cached', temperature: 1, invalidateCacheReason: 'x' }])
        .user('u3', 'Go.')
        .compaction('k1', 'T.', 'u3'),
      ['u1 summarised k0', 'a1 summarised k0', 'u2 summarised k1', 'a2 summarised k1', 'k0 summarised k1', 'u3 kept'],
    ],
    [
      'what cannot be applied changes nothing',
      twoTurns()
        .transform('x1', 'mine', [{ op: 'no_such_op', scope: 'cached' }])
        .compaction('k1', 'S.', 'u2'),
      ['u1 summarised k1', 'a1 summarised k1', 'u2 kept', 'a2 kept'],
    ],
    [
      'what an edit left out before it was there, and another one brings back, stands in its place',
      twoTurns()
        .edit('e1', 'u3', null)
        .user('u3', 'Go.')
        .user('u4', 'Go on.')
        .edit('e2', 'u3', { content: 'Go!' })
        .compaction('k1', 'S.', 'u2'),
      ['u1 summarised k1', 'a1 summarised k1', 'u2 kept', 'a2 kept', 'u3 kept', 'u4 kept'],
    ],
    [
      'a compaction that repeats a transform does nothing of its own, and its summary is handed on',
      twoTurns()
        .transform('x1', 'compaction', [apply('S.', 2)])
        .compaction('k1', 'S.', 'u2')
        .user('u3', 'Go.')
        .compaction('k2', 'T.', 'u3'),
      [
        'u1 summarised x1',
        'a1 summarised x1',
        'u2 unaccounted k2 kept-before',
        'a2 unaccounted k2 kept-before',
        'x1 summarised k2',
        'u3 kept',
      ],
    ],
    [
      'a compaction behind a transform of another name is one of its own',
      twoTurns()
        .transform('x1', 'mine', [replace({ role: 'user', content: 'New.' })])
        .compaction('k1', 'S.', 'k1'),
      ['u1 edited x1', 'a1 edited x1', 'u2 edited x1', 'a2 edited x1', 'x1 summarised k1'],
    ],
    [
      'messages that come after one that nobody is sent are theirs',
      new Log('fates')
        .message('o1', { role: 'odd', content: 'x' })
        .entry('b1', 'branch_summary', { summary: '' })
        .entry('b2', 'branch_summary', { summary: 'Tried.' })
        .entry('m1', 'custom_message', { content: 'x' })
        .compaction('k1', 'S.', 'm1'),
      ['b2 summarised k1', 'm1 kept'],
    ],
  ])('%s', async (_, log, fates) => {
    expect(await fatesOf(log)).toEqual(fates);
  });

  it('depends on the rule for what the compaction before had kept', async () => {
    const log = twoTurns().compaction('k0', 'S.', 'a1').user('u3', 'Go.').compaction('k1', 'T.', 'u3');
    const summarised = (rule: InputRule) => fatesOf(log, rule);
    expect(await summarised('kept-boundary')).toEqual([
      'u1 summarised k0',
      'a1 summarised k1',
      'u2 summarised k1',
      'a2 summarised k1',
      'k0 summarised k1',
      'u3 kept',
    ]);
    expect(await summarised('after-compaction')).toEqual([
      'u1 summarised k0',
      'a1 unaccounted k1 kept-before',
      'u2 unaccounted k1 kept-before',
      'a2 unaccounted k1 kept-before',
      'k0 summarised k1',
      'u3 kept',
    ]);
  });

  it('is that the old summary is lost where Pi says that it knew of none', async () => {
    const forgot = (summary: unknown) =>
      fatesOf(
        twoTurns()
          .compaction('k0', 'S.', 'a2')
          .compaction('k1', summary as string, 'a2'),
        'kept-boundary',
      );
    expect((await forgot('No prior history.')).at(-1)).toBe('k0 unaccounted k1 summary-forgotten');
    expect((await forgot('There is No prior history.')).at(-1)).toBe('k0 summarised k1');
    expect((await forgot(undefined)).at(-1)).toBe('k0 summarised k1');
  });
});
