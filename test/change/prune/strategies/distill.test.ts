import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import { readMessageText } from '#analysis/facts/text.js';
import type { History } from '#change/prune/history.js';
import distill from '#change/prune/strategies/distill.js';
import { entry } from '../../../support/entries.js';
import {
  answered,
  asked,
  call,
  historyFrom,
  later,
  proposed,
  prunedBy,
  result,
  SAID,
  talk,
} from '../../../support/history.js';
import { runs } from '../../../support/runs.js';

const LINES = Array.from({ length: 600 }, (_, at) => `line ${at + 1} of a long file`);
const LONG = `${LINES.join('\n')}\n`;
const SMALL = { headCharacters: 60, tailCharacters: 40 };

/** A result with this content, as many turns old as asked for. */
function withResult(content: unknown, age = 2, rest: Readonly<Record<string, unknown>> = {}): History {
  const read = answered('a1', call('c1', 'read', { path: 'a.ts' }));
  return historyFrom(talk(asked('u1', 'Read it.'), read, result('r1', 'c1', content, rest), ...later(age)));
}

function shortened(history: History, options: Readonly<Record<string, unknown>> = SMALL): string | null {
  const [proposal] = proposed(distill, history, options);
  const message = proposal?.changes[0]?.message;
  return message ? readMessageText(message) : null;
}

describe('distill', () => {
  it('keeps the beginning and the end of a long result at ends of lines, and says what it was', () => {
    expect(shortened(withResult(LONG), { headCharacters: 60, tailCharacters: 30 })).toBe(
      [
        'line 1 of a long file',
        'line 2 of a long file',
        '[shortened: 600 lines, 14 kB in all, sha256 23a5c064; full data: ctx cat the-session r1]',
        'line 600 of a long file',
        '',
      ].join('\n'),
    );
  });

  it('says why, and changes nothing but the content', () => {
    const history = withResult(LONG, 3, { details: { path: 'a.ts' }, timestamp: 5 });
    const [proposal, ...others] = proposed(distill, history);
    expect(proposal?.reason).toBe('3.6k tokens in a result 3 turns old');
    expect(others).toEqual([]);
    const before = history.items[2]!.message;
    const after = proposal!.changes[0]!.message!;
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect({ ...after, content: null }).toEqual({ ...before, content: null });
  });

  it.each([
    [0, {}],
    [1, {}],
    [2, { afterTurns: 3 }],
  ])('leaves a result alone that is %i turns old (%j)', (age, options) => {
    expect(proposed(distill, withResult(LONG, age), options)).toEqual([]);
  });

  it('shortens results from the age on that is asked for', () => {
    expect(proposed(distill, withResult(LONG, 1), { afterTurns: 1 })).toHaveLength(1);
  });

  it('leaves texts alone that are not over the limit', () => {
    expect(shortened(withResult('x'.repeat(4000)))).toBe(null);
    expect(shortened(withResult('x'.repeat(4001)))).not.toBe(null);
    expect(shortened(withResult('x'.repeat(4001)), { ...SMALL, overTokens: 1001 })).toBe(null);
  });

  it('does nothing that saves almost nothing', () => {
    expect(shortened(withResult('x'.repeat(2800)), { overTokens: 100 })).toBe(null);
    expect(shortened(withResult(LONG), { headCharacters: 100_000, tailCharacters: 100_000 })).toBe(null);
  });

  it('keeps pictures and makes several texts one', () => {
    const picture = { type: 'image', data: PIXEL, mimeType: 'image/png' };
    const content = [picture, { type: 'text', text: 'one' }, picture, { type: 'text', text: LONG }, { type: 'other' }];
    const [proposal] = proposed(distill, withResult(content), SMALL);
    expect(proposal?.changes[0]?.message?.['content']).toEqual([
      picture,
      {
        type: 'text',
        text: expect.stringMatching(
          /^one\nline 1 of a long file\n.*601 lines.*\n of a long file\nline 600 of a long file\n$/s,
        ),
      },
      picture,
      { type: 'other' },
    ]);
  });

  it('does not touch what was pruned before, nor what is no result', () => {
    const edit = (targetId: string): readonly ReturnType<typeof entry>[] => [
      ...talk(
        asked('u1', LONG),
        answered('a1', { type: 'text', text: LONG }, call('c1', 'read', { path: 'a.ts' })),
        result('r1', 'c1', LONG),
        asked('u2', 'And?'),
        answered('a2', SAID),
        asked('u3', 'And?'),
      ),
      entry('context_edit', 'e1', 'u3', { targetId, replacement: { content: [{ type: 'text', text: LONG }] } }),
      entry('message', 'a3', 'e1', { message: answered('', { type: 'text', text: 'No.' })[1] }),
      entry('message', 'u4', 'a3', { message: asked('', 'Why?')[1] }),
    ];
    const places = (targetId: string): readonly number[] =>
      proposed(distill, historyFrom(edit(targetId)), { afterTurns: 1 }).flatMap(({ changes }) =>
        changes.map((each) => each.at),
      );
    expect(places('u2')).toEqual([2]);
    expect(places('r1')).toEqual([]);
  });

  it('names the line of an entry that has no id', () => {
    const named = withResult(LONG);
    const items = named.items.map((item) => ({ ...item, from: { ...item.from, entryId: null, line: 7 } }));
    expect(shortened({ ...named, items })).toContain("; full data: line 7 of this session's file]");
  });
});

describe('where a text is cut', () => {
  it('is never inside a character', () => {
    const text = fc
      .array(fc.constantFrom('😀', 'e', '\n', 'ü', '👩‍💻'), { minLength: 900, maxLength: 1200 })
      .map((all) => all.join(''));
    const size = fc.integer({ min: 0, max: 60 });
    fc.assert(
      fc.property(text, size, size, (content, headCharacters, tailCharacters) => {
        const options = { overTokens: 0, headCharacters, tailCharacters };
        const short = shortened(withResult(content), options) ?? '';
        const [, head = '', tail = ''] = /^([^[]*)\[shortened: [^\]]*\]([^]*)$/.exec(short)!;
        expect(short).not.toMatch(/\p{Surrogate}/u);
        expect(content.startsWith(head.replace(/\n$/, ''))).toBe(true);
        expect(content.endsWith(tail.replace(/^\n/, ''))).toBe(true);
        expect(head.length).toBeLessThanOrEqual(headCharacters + 1);
        expect(tail.length).toBeLessThanOrEqual(tailCharacters + 1);
      }),
      { numRuns: runs(60) },
    );
  });

  it('leaves a result that is not shortened again', () => {
    const { history } = prunedBy(withResult('x'.repeat(9000)), [distill, { overTokens: 0 }]);
    expect(history.tokens).toBeLessThan(800);
    expect(proposed(distill, history, { overTokens: 0 })).toEqual([]);
  });

  it('is the limit itself where a line is longer', () => {
    const text = shortened(withResult(`${'a'.repeat(5000)}${'z'.repeat(5000)}`));
    expect(text).toMatch(/^a{60}\n\[shortened: 1 line, 10 kB in all, sha256 [0-9a-f]{8}; .*\]\nz{40}$/);
  });
});
