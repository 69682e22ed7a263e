import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANSWER, ANSWERED, entry, HEADER, NEXT, QUESTION, tearLine, user } from '#analysis/check/example.js';
import type { JsonObject } from '#base/json.js';
import { check } from '../../support/check.js';

const tree = { rules: ['tree'] };

/** A chain of so many questions. */
function chain(length: number): readonly JsonObject[] {
  return Array.from({ length }, (_, place) => user(`u${place}`, place === 0 ? null : `u${place - 1}`, 'on'));
}

function at(minute: number, line: JsonObject): JsonObject {
  return { ...line, timestamp: new Date(Date.UTC(2026, 2, 2, 9, minute)).toISOString() };
}

describe('links', () => {
  it('to a line that was taken out are found, wherever it stood', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 30 }), fc.nat(), async (length, place) => {
        const entries = chain(length);
        const gone = place % (length - 1);
        const found = await check([HEADER, ...entries.toSpliced(gone, 1)], { rules: ['orphan'] });
        expect(found).toMatchObject([{ entryId: `u${gone + 1}`, line: gone + 2 }]);
      }),
    );
  });

  it('to what stood on a damaged line say so', async () => {
    const damaged = [HEADER, QUESTION, tearLine(ANSWER), NEXT];
    expect(await check(damaged, { rules: ['orphan'] })).toMatchObject([
      {
        line: 4,
        message:
          'its parent "a1" is not in the file, so the path begins here; the parent may be on the damaged line before it',
      },
    ]);
  });

  it('back into the chain are cycles, found once each', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.nat(), fc.nat(), async (length, one, other) => {
        const [from, to] = [Math.min(one % length, other % length), Math.max(one % length, other % length)];
        const entries = chain(length).map((line, index) => (index === from ? { ...line, parentId: `u${to}` } : line));
        expect(await check([HEADER, ...entries], { rules: ['cycle'] })).toMatchObject([{ entryId: `u${to}` }]);
      }),
    );
  });

  it('are quoted, whatever they are', async () => {
    const evil = `"\u001b[31m${'x'.repeat(500)}`;
    const found = await check(
      [
        HEADER,
        { ...QUESTION, parentId: evil },
        entry('label', 'l1', 'u1', { targetId: evil, label: 'x' }),
        entry('branch_summary', 'b1', 'u1', { fromId: evil, summary: 'x' }),
      ],
      tree,
    );
    expect(found.map(({ rule }) => rule)).toEqual([
      'orphan',
      'dangling-label',
      'dangling-branch-summary',
      'abandoned-leaves',
    ]);
    for (const { message } of found) {
      expect(message.length).toBeLessThan(200);
      expect(message).not.toContain('\u001b');
    }
  });
});

describe('the rule dangling-branch-summary', () => {
  it.each([['root'], ['u1'], ['b1'], [undefined], [null], [7], [{}]])('is silent about %j', async (fromId) => {
    const lines = [HEADER, QUESTION, entry('branch_summary', 'b1', 'u1', { fromId, summary: 'We tried.' })];
    expect(await check(lines, { rules: ['dangling-branch-summary'] })).toEqual([]);
  });

  it('is about version 2 as well', async () => {
    const lines = [{ ...HEADER, version: 2 }, QUESTION, entry('branch_summary', 'b1', 'u1', { fromId: 'gone' })];
    expect(await check(lines, { rules: ['dangling-branch-summary'] })).toMatchObject([{ entryId: 'b1' }]);
  });
});

describe('the rule abandoned-leaves', () => {
  const only = { rules: ['abandoned-leaves'] };

  it('says how many there are, and where', async () => {
    const branches = Array.from({ length: 20 }, (_, number) => user(`b${number}`, 'u1', 'again'));
    const [finding, ...others] = await check([HEADER, QUESTION, ...branches], only);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      entryId: 'b0',
      line: 3,
      message: '19 other branches end outside the active path, which has 2 of 21 entries',
    });
    expect(finding?.related).toEqual(['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9']);
  });

  it('counts every root', async () => {
    const found = await check([HEADER, ...ANSWERED, user('r', null, 'Anew.')], only);
    expect(found).toMatchObject([
      { entryId: 'a1', message: 'another branch ends outside the active path, which has 1 of 3 entries' },
    ]);
  });

  it('does not take entries for leaves that nothing can follow', async () => {
    const { id: _id, ...noId } = ANSWER;
    expect(await check([HEADER, QUESTION, noId, { ...NEXT, parentId: 'u1' }], only)).toEqual([]);
    expect(await check([HEADER, QUESTION, ANSWER, { ...NEXT, id: 'a1', parentId: 'u1' }], only)).toEqual([]);
  });

  it('ends where the parents of the leaf lead back to it', async () => {
    const own = { ...NEXT, parentId: 'u2' };
    const found = await check([HEADER, ...ANSWERED, own], only);
    expect(found).toMatchObject([{ message: 'another branch ends outside the active path, which has 1 of 3 entries' }]);
  });

  it('is silent where nothing is active', async () => {
    expect(await check([HEADER], only)).toEqual([]);
  });
});

describe('the rule late-parent', () => {
  const only = { rules: ['late-parent'] };

  it('finds the first entry whose parent is later, and counts the others', async () => {
    expect(await check([HEADER, NEXT, ANSWER, QUESTION], only)).toMatchObject([
      {
        entryId: 'u2',
        severity: 'warning',
        message: 'its parent "a1" is later in the file; the parent of 1 other entry is later too',
        related: ['a1'],
      },
    ]);
    const three = await check([HEADER, user('u3', 'u2', 'Why?'), NEXT, ANSWER, QUESTION], only);
    expect(three.map(({ message }) => message)).toEqual([
      'its parent "u2" is later in the file; the parents of 2 other entries are later too',
    ]);
    const [one] = await check([HEADER, ANSWER, QUESTION], only);
    expect(one?.message).toBe('its parent "u1" is later in the file');
  });

  it('is silent where the id of the parent is repeated, and about a cycle', async () => {
    expect(await check([HEADER, QUESTION, ANSWER, { ...NEXT, id: 'u1' }], only)).toEqual([]);
    expect(await check([HEADER, { ...QUESTION, parentId: 'u2' }, ANSWER, NEXT], only)).toEqual([]);
  });
});

describe('the rule time-runs-backwards', () => {
  const only = { rules: ['time-runs-backwards'] };

  it.each([
    [59, 'a minute', false],
    [58, '2 minutes', true],
    [0, '60 minutes', true],
    [-180, '4 hours', true],
    [-60 * 24 * 3, '3 days', true],
  ])('finds an entry of minute %d behind one of minute 60: %s', async (minute, words, isFound) => {
    const found = await check([HEADER, at(60, QUESTION), at(minute, ANSWER)], only);
    const message = `it is ${words} older than its parent`;
    expect(found.map((finding) => [finding.message, finding.related])).toEqual(isFound ? [[message, ['u1']]] : []);
  });

  it('looks at the parent, not at the line before', async () => {
    const lines = [HEADER, at(0, QUESTION), at(60, ANSWER), at(30, { ...NEXT, parentId: 'u1' })];
    expect(await check(lines, only)).toEqual([]);
  });

  it('is silent about labels and about times that say nothing', async () => {
    const label = entry('label', 'l1', 'u1', { targetId: 'u1', label: 'start' });
    const timeless = { ...ANSWER, timestamp: 'yesterday' };
    expect(await check([HEADER, at(60, QUESTION), at(0, label), timeless, at(0, NEXT)], only)).toEqual([]);
  });
});

describe('the rule newer-version', () => {
  it.each([
    [undefined, false],
    [3, false],
    ['3', false],
    [{}, false],
    ['new', false],
    [4, true],
    ['99', true],
  ])('of %j: %j', async (version, isFound) => {
    const found = await check([{ ...HEADER, version }, ...ANSWERED], { rules: ['newer-version'] });
    expect(found.map(({ line }) => line)).toEqual(isFound ? [1] : []);
  });
});
