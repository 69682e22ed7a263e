import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawLanes } from '#analysis/listing/lanes.js';

function draw(...parents: readonly number[]): readonly string[] {
  return drawnOf(Int32Array.from(parents));
}

function drawnOf(parents: Int32Array, isActive = (_at: number): boolean => true): readonly string[] {
  const lanes = drawLanes(parents);
  return Array.from(parents, (_, at) => lanes.drawn(at, isActive(at)));
}

const SIGNS = /^(?:[│●├┤┼─… ])+$/;

describe('the lanes of a list of entries', () => {
  it('are one where nothing branches', () => {
    expect(draw(-1, 0, 1, 2)).toEqual(['●', '●', '●', '●']);
  });

  it('leave a fork until its last child, which takes its lane over', () => {
    expect(draw(-1, 0, 1, 0, 3, 0, 5)).toEqual(['●', '├─●', '│ ●', '├─●', '│ ●', '●', '●']);
  });

  it('cross lanes that lie between, and turn back where a lane is free', () => {
    expect(draw(-1, 0, 1, 1, 0, 3, 4, 0)).toEqual([
      '●', // 0: 1, 4 and 7 follow
      '├─●', // 1: 2 and 3 follow
      '│ ├─●', // 2 ends
      '│ ●', // 3 takes over from 1
      '├─┼─●', // 4 leaves 0, past 3
      '│ ● │', // 5 ends
      '│   ●', // 6 ends
      '●', // 7 takes over from 0
    ]);
    expect(draw(-1, 0, 1, 0, 1, 1)).toEqual(['●', '├─●', '│ ├─●', '● │', '●─┤', '  ●']);
  });

  it('mark what is active', () => {
    const parents = Int32Array.from([-1, 0, 1, 0, 3]);
    expect(drawnOf(parents, (at) => at === 0 || at > 2)).toEqual(['●', '├─○', '│ ○', '●', '●']);
  });

  it('restart at every root, and where the parent comes later', () => {
    expect(draw(-1, -1, 0, 1, 5, -1)).toEqual(['●', '│ ●', '● │', '  ●', '●', '●']);
    expect(draw(0, 2, 1)).toEqual(['●', '●', '●']);
  });

  it('are at most twelve, and one for all the others', () => {
    const entries = Array.from({ length: 16 }, (_, at) => at);
    const drawn = draw(...entries.map(() => -1), ...entries);
    expect(drawn[11]).toBe(`${'│ '.repeat(11)}●`);
    expect(drawn[12]).toBe(`${'│ '.repeat(12)}●`);
    expect(drawn[15]).toBe(`${'│ '.repeat(12)}●`);
    expect(drawn[16]).toBe(`● ${'│ '.repeat(11)}…`);
    // Now that there is room, what follows on the hidden ones comes forward.
    expect(drawn.slice(28)).toEqual(Array.from({ length: 4 }, () => `●${'─'.repeat(23)}…`));
  });

  it('show every entry once, in a drawing of the stated width at most', () => {
    const lists = fc
      .array(fc.nat(1000), { maxLength: 80 })
      .map((picks) => Int32Array.from(picks, (pick, at) => (pick % (at + 2)) - 1));
    fc.assert(
      fc.property(lists, (parents) => {
        const drawn = drawnOf(parents);
        const width = drawLanes(parents).cells;
        expect(drawn.length).toBe(parents.length);
        for (const text of drawn) {
          expect(text).toMatch(SIGNS);
          expect(text.split('●').length).toBe(2);
          expect(text.length).toBeLessThanOrEqual(width);
        }
        expect(Math.max(1, ...drawn.map(({ length }) => length))).toBe(width);
        expect(width).toBeLessThanOrEqual(25);
      }),
    );
  });

  it('keep the lane of an entry that is not last: its next child leaves from there', () => {
    const lists = fc
      .array(fc.nat(1000), { minLength: 2, maxLength: 12 })
      .map((picks) => Int32Array.from(picks, (pick, at) => (at === 0 ? -1 : pick % at)));
    fc.assert(
      fc.property(lists, (parents) => {
        const drawn = drawnOf(parents);
        for (let at = 1; at < parents.length; at += 1) {
          const lane = drawn[parents[at]!]!.indexOf('●');
          expect(['●', '├', '┤']).toContain(drawn[at]![lane]);
        }
      }),
    );
  });

  it('are drawn in one go, however many there are', () => {
    const length = 200_000;
    const parents = Int32Array.from({ length }, (_, at) => (at < length / 2 ? at - 1 : length - 1 - at));
    expect(drawnOf(parents).length).toBe(length);
  });
});
