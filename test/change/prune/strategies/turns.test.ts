import { describe, expect, it } from 'vitest';
import type { History } from '#change/prune/history.js';
import { PACKET_TITLE } from '#change/prune/packet.js';
import { turns } from '#change/prune/strategies/turns.js';
import { PACKET_TYPE } from '#context/replay/ctx-entries.js';
import { compaction, entry } from '../../../support/entries.js';
import {
  answered,
  asked,
  call,
  historyFrom,
  proposed,
  prunedBy,
  result,
  SAID,
  talk,
} from '../../../support/history.js';

/** Five turns of a question and an answer; the second one also reads a file. */
const FIVE = talk(
  asked('u1', 'First.'),
  answered('a1', SAID),
  asked('u2', 'Second.'),
  answered('a2', call('c1', 'read', { path: 'a.ts' })),
  result('r2', 'c1', 'const a = 1;'),
  answered('b2', SAID),
  asked('u3', 'Third.'),
  answered('a3', SAID),
  asked('u4', 'Fourth.'),
  answered('a4', SAID),
  asked('u5', 'Fifth.'),
);

function dropped(history: History, keep?: number): readonly (readonly [string, ...unknown[]])[] {
  return proposed(turns, history, keep === undefined ? {} : { keep }).map(({ reason, changes }) => [
    reason,
    ...changes.map(({ at, message }) => (message === null ? history.items[at]?.from.entryId : 'changed')),
  ]);
}

describe('turns', () => {
  it('drops each older turn whole, oldest first', () => {
    expect(dropped(historyFrom(FIVE), 2)).toEqual([
      ['4 turns old', 'u1', 'a1'],
      ['3 turns old', 'u2', 'a2', 'r2', 'b2'],
      ['2 turns old', 'u3', 'a3'],
    ]);
  });

  it('keeps only the newest turn if that is asked for', () => {
    expect(dropped(historyFrom(FIVE), 1).at(-1)).toEqual(['1 turn old', 'u4', 'a4']);
  });

  it.each([5, 6, undefined])('drops nothing where there are not more turns than stay (%s)', (keep) => {
    expect(dropped(historyFrom(FIVE), keep)).toEqual([]);
  });

  it('leaves a suffix that begins with the user', () => {
    const { history, refusals } = prunedBy(historyFrom(FIVE), [turns, { keep: 3 }]);
    expect(history.items.map(({ from }) => from.entryId)).toEqual(['u3', 'a3', 'u4', 'a4', 'u5']);
    expect(refusals).toEqual([]);
  });

  it.each([0, -1, 1.5, '3'])('does not take %j for a number of turns', (keep) => {
    expect(() => proposed(turns, historyFrom(FIVE), { keep })).toThrow(/keep/);
  });
});

describe('what stands above the first turn', () => {
  const CUT = [...FIVE, compaction('k1', 'u5', 'b2'), entry('message', 'a5', 'k1', { message: answered('', SAID)[1] })];

  it('is the end of a turn, and the oldest one', () => {
    const history = historyFrom(CUT);
    expect(history.items.map(({ from }) => from.entryId)).toEqual(['k1', 'b2', 'u3', 'a3', 'u4', 'a4', 'u5', 'a5']);
    expect(dropped(history, 3)).toEqual([['3 turns old', 'b2']]);
    expect(dropped(history, 4)).toEqual([]);
  });

  it('stays where there is no turn at all', () => {
    const history = historyFrom([...FIVE, compaction('k1', 'u5', 'k1'), answeredBelow('k1')]);
    expect(history.turns).toBe(0);
    expect(dropped(history, 1)).toEqual([]);
  });

  it('is no turn if it is a summary or a packet', () => {
    const packet = { customType: PACKET_TYPE, content: `${PACKET_TITLE}\nGoal: weather.`, display: false };
    const below = entry('custom_message', 'p1', 'k1', packet);
    const question = entry('message', 'u6', 'p1', { message: asked('', 'Sixth.')[1] });
    const history = historyFrom([...FIVE, compaction('k1', 'u5', 'u4'), below, question]);
    expect(history.items.map(({ kind }) => kind)).toEqual([
      'compaction-summary',
      'user',
      'assistant',
      'user',
      'packet',
      'user',
    ]);
    expect(dropped(history, 1).flatMap(([, ...ids]) => ids)).toEqual(['u4', 'a4']);
  });
});

function answeredBelow(parent: string): ReturnType<typeof entry> {
  return entry('message', 'a5', parent, { message: answered('', SAID)[1] });
}

describe('turns that share a call and its result', () => {
  /** A prompt stands between the call and the result. */
  const SHARED = talk(
    asked('u1', 'First.'),
    answered('a1', SAID),
    asked('u2', 'Second.'),
    answered('a2', call('c1', 'bash', { command: 'make' })),
    asked('u3', 'Third.'),
    result('r3', 'c1', 'ok'),
    asked('u4', 'Fourth.'),
    answered('a4', SAID),
    asked('u5', 'Fifth.'),
  );

  it('go together', () => {
    expect(dropped(historyFrom(SHARED), 1)).toEqual([
      ['4 turns old', 'u1', 'a1'],
      ['2 turns old', 'u2', 'a2', 'u3', 'r3'],
      ['1 turn old', 'u4', 'a4'],
    ]);
    expect(prunedBy(historyFrom(SHARED), [turns, { keep: 1 }]).refusals).toEqual([]);
  });

  it('stay where the younger one does, and no other turn with them', () => {
    const { history, refusals } = prunedBy(historyFrom(SHARED), [turns, { keep: 3 }]);
    expect(history.items[0]?.from.entryId).toBe('u2');
    expect(refusals.map(({ because }) => because)).toEqual(['would separate a call from its result']);
  });
});
