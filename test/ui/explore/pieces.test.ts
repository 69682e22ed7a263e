import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSessionIndex, findPathThrough, listTreeRows } from '#analysis/listing/session-index.js';
import { readTypedPattern } from '#analysis/search/list-search.js';
import { forestOf } from '#session/tree/forest.js';
import { span } from '#ui/doc/doc.js';
import { joinSpans, wrapSpans } from '#ui/doc/spans.js';
import { loadColourStyle, THEMES } from '#ui/doc/style.js';
import { TONES } from '#ui/doc/tone.js';
import { formatClipboardCopy, hasClipboard } from '#ui/explore/clipboard.js';
import { highlightMatches } from '#ui/explore/highlight.js';
import { layOutDoc, readStyledLines, type ScreenLine } from '#ui/explore/lines.js';
import { editPrompt, EMPTY_PROMPT, PASTE_PREFIX, type PromptLine } from '#ui/explore/prompt.js';
import { findTargetLine, moveCursor, SCROLL_START } from '#ui/explore/scroll.js';
import { buildStrip } from '#ui/explore/strip.js';
import { createConnectors } from '#ui/parts/connectors.js';
import { outlineOf } from '../../../src/session/tree/outline.js';
import { Log } from '../../fixtures/log.js';
import { ruler, sessionIn } from '../../support/exploring.js';
import { runs } from '../../support/runs.js';

describe('rows', () => {
  it('are connected as ctx tree connects them, also when they are looked at one by one', async () => {
    const parents = fc.array(fc.nat(), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(parents, async (choices) => {
        const log = new Log('forks').user('u0', 'x');
        for (const [at, choice] of choices.entries()) log.from(`u${choice % (at + 1)}`).user(`u${at + 1}`, 'x');
        const session = await sessionIn(log.text());
        const known = buildSessionIndex(session, () => 0);
        const rows = listTreeRows(known, 'all');
        const connect = createConnectors(Infinity);
        const choice = { isVisible: () => true, from: null, depth: Infinity };
        const expected = [...outlineOf(forestOf(session.tree), choice)].map((row) =>
          connect(row).replaceAll('│  ', '│ ').replaceAll('   ', '  ').replaceAll('─ ', ' '),
        );
        expect(expected.map((_, row) => rows.drawConnector(row, Infinity))).toEqual(expected);
        for (let row = 0; row < rows.length; row += 1) expect(rows.rowOf(rows.indexAt(row))).toBe(row);
      }),
      { numRuns: runs(100) },
    );
  });

  it('leave out outer forks where there are too many', async () => {
    const log = new Log('deep');
    for (let at = 0; at < 20; at += 1) log.user(`u${at}`, 'x').user(`side${at}`, 'y').from(`u${at}`);
    const rows = listTreeRows(
      buildSessionIndex(await sessionIn(log.text()), () => 0),
      'all',
    );
    const deepest = Array.from({ length: rows.length }, (_, row) => rows.drawConnector(row, 4));
    expect(Math.max(...deepest.map(({ length }) => length))).toBe(9);
    expect(deepest.at(-1)).toMatch(/^…/);
  });
});

describe('the tree', () => {
  it('is made once for each filter, and again when more is known of what the filter looks at', async () => {
    const session = await sessionIn(
      new Log('filters').user('u1', 'Read it.').assistant('a1', '').user('u2', 'Thanks.').text(),
    );
    const known = buildSessionIndex(session, () => 0);
    const before = listTreeRows(known, 'default');
    expect([listTreeRows(known, 'default') === before, listTreeRows(known, 'all') === before]).toEqual([true, false]);
    for (const _ of known.filtering.read());
    expect([before.length, listTreeRows(known, 'default').length]).toEqual([3, 2]);
  });
});

describe('scrolling', () => {
  const extents = fc.record({ length: fc.integer({ min: 1, max: 50 }), height: fc.integer({ min: 1, max: 20 }) });
  const keys = fc.array(fc.constantFrom('j', 'k', 'g', 'G', ' ', 'b', 'ctrl-d', 'ctrl-u'), { maxLength: 30 });

  it('always shows the cursor, and nothing behind the end', () => {
    fc.assert(
      fc.property(extents, keys, (extent, pressed) => {
        let scroll = SCROLL_START;
        for (const key of pressed) scroll = moveCursor(scroll, findTargetLine(key, scroll.cursor, extent)!, extent);
        expect(scroll.cursor).toBeGreaterThanOrEqual(scroll.top);
        expect(scroll.cursor).toBeLessThan(Math.min(extent.length, scroll.top + extent.height));
        expect(scroll.top).toBeLessThanOrEqual(Math.max(0, extent.length - extent.height));
      }),
    );
  });
});

describe('lines', () => {
  it('are wrapped without loss, none too wide', () => {
    const texts = fc.array(fc.constantFrom('word ', '漢字', 'x'.repeat(30), ' ', 'é', '👩‍👩‍👧'), { maxLength: 20 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 40 }), (parts, cells) => {
        const lines = wrapSpans(
          parts.map((part) => span(part)),
          cells,
          ruler,
        );
        for (const line of lines) expect(ruler.widthOf(joinSpans(line))).toBeLessThanOrEqual(cells);
        const bare = (text: string): string => text.replaceAll(' ', '');
        expect(bare(lines.map(joinSpans).join(''))).toBe(bare(parts.join('')));
      }),
    );
  });

  it('break between words, and go on as far in', () => {
    const lines = wrapSpans([span('  one two three four')], 12, ruler);
    expect(lines.map(joinSpans)).toEqual(['  one two', '  three four']);
  });

  it('of what was printed keep its colours and nothing else', async () => {
    expect(readStyledLines('\u001b[31mbad\u001b[39m\tx\u001b[2J\n', await loadColourStyle())).toEqual([
      [span('bad', 'error'), span('    x␛[2J', 'plain')],
    ]);
  });

  it.each(THEMES)('have the colours of the theme %s', async (theme) => {
    const style = await loadColourStyle(theme);
    const drawn = (line: ScreenLine): string => line.map(({ tone, text }) => style(tone, text)).join('');
    for (const tone of TONES) expect(drawn(readStyledLines(style(tone, 'x'), style)[0]!)).toBe(style(tone, 'x'));
    const doc = [{ kind: 'line', spans: TONES.map((tone) => span(`${tone} `, tone)) }] as const;
    const [line = []] = layOutDoc(doc, { columns: 200, look: { ruler, style }, isRich: false });
    expect(drawn(line)).toBe(TONES.map((tone) => style(tone, `${tone} `)).join(''));
  });
});

describe('a prompt', () => {
  /** The text after some keys, with `|` as the cursor. */
  const typed = (keys: readonly string[], history: readonly string[] = []): string => {
    const { text, cursor } = keys.reduce<PromptLine>(
      (prompt, key) => editPrompt(prompt, key, history) ?? prompt,
      EMPTY_PROMPT,
    );
    return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
  };

  it.each([
    [['a', 'b', 'left', 'x'], 'ax|b'],
    [['a', 'b', 'home', 'x', 'end', 'y'], 'xaby|'],
    [[`${PASTE_PREFIX}one two\n three`, 'ctrl-w'], 'one two |'],
    [[`${PASTE_PREFIX}one two`, 'alt-b', 'alt-backspace'], '|two'],
    [[`${PASTE_PREFIX}one two`, 'alt-b', 'ctrl-k'], 'one |'],
    [[`${PASTE_PREFIX}one two`, 'alt-b', 'ctrl-u'], '|two'],
    [[`${PASTE_PREFIX}one two`, 'ctrl-a', 'alt-f', 'ctrl-d', 'alt-d'], 'one|'],
    [['a', 'left', 'left', 'backspace', 'f5'], '|a'],
  ])('after %j', (keys, expected) => {
    expect(typed(keys)).toBe(expected);
  });

  it('goes through its history, and back to the typed line', () => {
    const history = ['latest', 'first'];
    expect(typed(['x', 'up'], history)).toBe('latest|');
    expect(typed(['x', 'up', 'up', 'up'], history)).toBe('first|');
    expect(typed(['x', 'up', 'up', 'down', 'down', 'down'], history)).toBe('x|');
  });
});

it('matches are marked across pieces of a line, and nowhere else', () => {
  const lines = [[span('a needle', 'faint'), span(' in'), span(' hay')]];
  const marked = highlightMatches(lines, 'dle in|h')[0]!;
  expect(marked.filter(({ isInverse }) => isInverse).map(({ text }) => text)).toEqual(['dle', ' in', 'h']);
  expect(marked.map(({ text }) => text).join('')).toBe('a needle in hay');
  expect(highlightMatches(lines, null)).toBe(lines);
});

it('a pattern that hangs is given up', () => {
  const lines = [[span(`${'a'.repeat(60)}!`)]];
  expect(() => highlightMatches(lines, '(a+)+$')).toThrow(/exceeded the time limit/);
});

describe('the strip', () => {
  const usage = (input: number, cacheRead: number) => ({ usage: { input, cacheRead, cacheWrite: 0, output: 1 } });
  const session = sessionIn(
    new Log('strip')
      .user('u1', 'x')
      .assistant('a1', 'one', usage(5000, 1000))
      .assistant('a2', 'two', usage(1000, 6000))
      .assistant('a3', 'again', usage(8000, 0))
      .entry('c1', 'compaction', { summary: 's', firstKeptEntryId: 'a3', tokensBefore: 8000 })
      .assistant('a4', 'after', usage(3000, 0))
      .text(),
  );

  it('marks a compaction that is a transform, and no other transform', async () => {
    const transform = (transformerName: string) => ({ schemaVersion: 1, transformerName, patch: [] });
    const log = new Log('transforms').user('u1', 'x').assistant('a1', 'one', usage(5000, 0));
    log.entry('t1', 'context_transform', transform('release-mode')).assistant('a2', 'two', usage(5000, 0));
    log.entry('t2', 'context_transform', transform('compaction')).assistant('a3', 'three', usage(900, 0));
    const known = buildSessionIndex(await sessionIn(log.text()), () => 0);
    const marked = (): readonly boolean[] => buildStrip(known, 0, 80).columns.map(({ isCompacted }) => isCompacted);
    expect(marked()).toEqual([false, false, false]);
    for (const _ of known.requests.read(known.activePath));
    expect(marked()).toEqual([false, false, true]);
  });

  it('says what was cached, re-billed and compacted, as ctx cache does', async () => {
    const known = buildSessionIndex(await session, () => 0);
    const index = (id: string): number => known.session.tree.heads.find(id)!.index;
    const path = findPathThrough(known, index('a4'));
    for (const _ of known.requests.read(path));
    for (const _ of known.requests.compare(path));
    const { columns, ...place } = buildStrip(known, index('c1'), 80);
    expect(place).toEqual({ requests: 4, number: 3, compared: 1 });
    expect(columns.map(({ prompt, cacheRead }) => [prompt, cacheRead])).toEqual([
      [6000, 1000],
      [7000, 6000],
      [8000, 0],
      [3000, 0],
    ]);
    expect(columns.map(({ isBreak }) => isBreak)).toEqual([false, false, true, true]);
    expect(columns.map(({ isCompacted }) => isCompacted)).toEqual([false, false, false, true]);
    expect(columns.map(({ isSelected }) => isSelected)).toEqual([false, false, true, false]);
  });

  it('puts requests together where there is little room, and loses no break', async () => {
    const known = buildSessionIndex(await session, () => 0);
    for (const _ of known.requests.read(known.activePath));
    for (const _ of known.requests.compare(known.activePath));
    expect(buildStrip(known, 0, 2).columns).toMatchObject([
      { prompt: 7000, isBreak: false, isCompacted: false },
      { prompt: 8000, isBreak: true, isCompacted: true },
    ]);
    expect(buildStrip(known, 0, 2).number).toBe(0);
  });
});

it.each([
  ['temporal', 'Temporal', true],
  ['Temporal', 'temporal', false],
  ['a|b', 'xb', true],
  ['f(', 'f(x)', true],
  ['f(', 'g', false],
])('%j in %j: %s', (typed, text, isFound) => {
  expect(readTypedPattern(typed).test(text)).toBe(isFound);
});

it('copies only where a terminal may take it', () => {
  expect(formatClipboardCopy('é')).toBe('\u001b]52;c;w6k=\u0007');
  expect(['xterm-256color', 'tmux', 'screen', 'linux', 'dumb', ''].map((TERM) => hasClipboard({ TERM }))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(hasClipboard({})).toBe(false);
});
