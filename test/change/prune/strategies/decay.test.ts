import { describe, expect, it } from 'vitest';
import { readMessageText } from '#analysis/facts/text.js';
import { prune } from '#change/prune/prune.js';
import { decay } from '#change/prune/strategies/decay.js';
import {
  answered,
  asked,
  call,
  historyFrom,
  proposed,
  prunedBy,
  result,
  type Said,
  SAID,
  talk,
} from '../../../support/history.js';

const LONG = Array.from({ length: 60 }, (_, at) => `line ${at + 1} of a file`).join('\n');

function turn(at: number): readonly Said[] {
  return [
    asked(`u${at}`, 'Read it.'),
    answered(`a${at}`, call(`c${at}`, 'read', { path: `${at}.ts` })),
    result(`r${at}`, `c${at}`, LONG),
    answered(`b${at}`, SAID),
  ];
}

const SEVEN = historyFrom(talk(...[1, 2, 3, 4, 5, 6, 7].flatMap(turn)));
const ZONES = { fullTurns: 2, foldTurns: 3 };

describe('decay', () => {
  it('keeps the newest turns, folds those before them and drops the rest', () => {
    const { history, decisions, refusals } = prunedBy(SEVEN, [decay, ZONES]);
    expect(
      history.items.map(({ from, message }) => (readMessageText(message).startsWith('[Turn ') ? 'line' : from.entryId)),
    ).toEqual(
      [3, 4, 5]
        .flatMap((at) => [`u${at}`, `a${at}`, 'line', `b${at}`])
        .concat([6, 7].flatMap((at) => [`u${at}`, `a${at}`, `r${at}`, `b${at}`])),
    );
    expect(decisions.filter(({ message }) => message !== null).map(({ reason }) => reason)).toEqual([
      '4 turns old',
      '3 turns old',
      '2 turns old',
    ]);
    expect(new Set(decisions.filter(({ message }) => message === null).map(({ reason }) => reason))).toEqual(
      new Set(['6 turns old', '5 turns old']),
    );
    expect(refusals).toEqual([]);
  });

  it('does nothing again', () => {
    const { history } = prunedBy(SEVEN, [decay, ZONES]);
    expect(prunedBy(history, [decay, ZONES]).decisions).toEqual([]);
  });

  it('folds nothing without turns for that', () => {
    const { history } = prunedBy(SEVEN, [decay, { ...ZONES, foldTurns: 0 }]);
    expect(history.items.map(({ message }) => message)).toEqual(SEVEN.items.slice(-8).map(({ message }) => message));
  });

  it('leaves a short history alone', () => {
    expect(proposed(decay, historyFrom(talk(...turn(1), ...turn(2), ...turn(3))))).toEqual([]);
  });

  it('at least folds a turn that must stay', () => {
    const steps = [{ strategy: decay, options: ZONES }];
    const isKept = ({ from }: { readonly from: { readonly entryId: string | null } }): boolean => from.entryId === 'b1';
    const { history } = prune(SEVEN, steps, {
      protects: (item) => (isKept(item) ? 'protected' : null),
      forbids: () => null,
    });
    expect(history.items.slice(0, 5).map(({ from }) => from.entryId)).toEqual(['u1', 'a1', 'r1', 'b1', 'u3']);
    expect(readMessageText(history.items[2]!.message)).toBe(
      '[Turn 1] read 1.ts → 60 lines, 1.1 kB; ctx cat the-session r1',
    );
  });
});
