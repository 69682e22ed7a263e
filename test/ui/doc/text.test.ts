import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it, vi } from 'vitest';
import {
  type Block,
  cell,
  type Column,
  cutLine,
  type Doc,
  fileHeading,
  fileSpan,
  flexible,
  gap,
  heading,
  left,
  line,
  pair,
  type Span,
  span,
  verbatim,
} from '#ui/doc/doc.js';
import { plainStyle, type Style } from '#ui/doc/style.js';
import text from '#ui/doc/text.js';
import { renderSuggestedCommand } from '#ui/parts/suggested-command.js';
import { runs } from '../../support/runs.js';

/** Says what is coloured how. */
const tagged: Style = (tone, shown) => (tone === 'plain' || shown === '' ? shown : `<${tone}>${shown}</${tone}>`);

async function show(
  doc: Doc,
  { columns = 80, style = plainStyle, isTerminal = false } = {},
): Promise<readonly string[]> {
  const view = { format: 'text', columns, rows: 40, isTerminal };
  const shown = await text.render({ data: null, doc: () => doc }, view, style);
  expect(shown.endsWith('\n')).toBe(true);
  return shown.slice(0, -1).split('\n');
}

function table(columns: readonly Column[], rows: readonly (readonly (string | Span)[])[], hasTitles = false): Block {
  const spans = rows.map((row) => row.map((item) => (typeof item === 'string' ? span(item) : item)));
  return { kind: 'table', columns, rows: spans, hasTitles };
}

function asSpan(part: string | Span): Span {
  return typeof part === 'string' ? span(part) : part;
}

function bar(total: number, ...values: readonly number[]): Block {
  const tones = ['system', 'tools', 'messages'] as const;
  const segments = values.map((value, at) => ({ tone: tones[at % tones.length]!, value }));
  return { kind: 'bar', segments, total, label: [span('label')] };
}

const NAME: Column = { title: 'name', align: 'left' };
const COUNT: Column = { title: 'count', align: 'right' };
const WORDS: Column = { title: 'words', align: 'left', isFlexible: true };

describe('text', () => {
  it('shows every kind of block', async () => {
    const doc: Doc = [
      heading(1, 'Title'),
      gap,
      line('a ', span('b', 'id')),
      { kind: 'bullets', items: [[span('one')], [span('two'), span('!')]] },
      verbatim('first\n\n  second\n'),
    ];
    expect(await show(doc)).toEqual(['Title', '', 'a b', '  one', '  two!', '  first', '', '    second']);
  });

  it('keeps a command whole that a user may paste, and puts what it does below it where it is too long', async () => {
    const suggest = (command: string): Doc => [renderSuggestedCommand(command, 'prints an entry whole')];
    expect(await show(suggest('ctx cat s.jsonl e1'))).toEqual(['ctx cat s.jsonl e1  prints an entry whole']);
    const long = `ctx cat ${'folder/'.repeat(12)}s.jsonl e1`;
    expect(await show(suggest(long))).toEqual([long, '  prints an entry whole']);
  });

  it('gives each span its tone', async () => {
    const doc = [heading(2, 'Title'), line('plain ', span('faint', 'faint'), span('', 'error'))];
    expect(await show(doc, { style: tagged })).toEqual(['<strong>Title</strong>', 'plain <faint>faint</faint>']);
  });

  it('goes on in the next line where the terminal ends, and colours each part', async () => {
    const doc = [
      heading(1, 'a long heading'),
      line(span('123456', 'id'), span('789012', 'faint'), 'never'),
      { kind: 'bullets', items: [[span('a long item')]] } as const,
    ];
    expect(await show(doc, { columns: 10, style: tagged })).toEqual([
      '<strong>a long</strong>',
      '  <strong>heading</strong>',
      '<id>123456</id><faint>7890</faint>',
      '  <faint>12</faint>never',
      '  a long',
      '    item',
    ]);
  });

  it('makes everything visible', async () => {
    const evil = '\x1b[2J\u202e\n';
    const doc: Doc = [
      heading(1, evil),
      line(evil),
      { kind: 'bullets', items: [[span(evil)]] },
      table([NAME, COUNT], [[evil, '1'], [evil]]),
      { ...bar(1, 1), label: [span(evil)] } as Block,
      pair([span(evil)], [span(evil)]),
      verbatim(evil),
    ];
    const shown = (await show(doc)).join('');
    expect(shown.match(/␛\[2J<U\+202E>/g)).toHaveLength(9);
    expect(shown).not.toMatch(/[\x1b\u202e]/);
  });
});

describe('a table in text', () => {
  it('is as wide as its cells, and keeps to the left or the right', async () => {
    const doc = [
      table(
        [NAME, COUNT],
        [
          ['a', '1000'],
          ['long name', '7'],
        ],
        true,
      ),
    ];
    expect(await show(doc)).toEqual(['  name       count', '  a           1000', '  long name      7']);
  });

  it('has faint titles, or none', async () => {
    const rows = [['a', '1']];
    expect(await show([table([NAME, COUNT], rows, true)], { style: tagged })).toEqual([
      '  <faint>name</faint>  <faint>count</faint>',
      '  a         1',
    ]);
    expect(await show([table([NAME, COUNT], rows)])).toEqual(['  a  1']);
  });

  it('has no white space at the end of a line', async () => {
    expect(
      await show([
        table(
          [NAME, WORDS],
          [
            ['a', 'long'],
            ['b', ''],
          ],
        ),
      ]),
    ).toEqual(['  a  long', '  b']);
  });

  it('lines up wide and combining characters', async () => {
    const doc = [
      table(
        [NAME, COUNT],
        [
          ['日本', '1'],
          ['e\u0301', '2'],
          ['abcd', '3'],
        ],
      ),
    ];
    expect(await show(doc)).toEqual(['  日本  1', '  e\u0301     2', '  abcd  3']);
  });

  it('cuts the flexible column, and no other, where the line is too long', async () => {
    const doc = [table([NAME, WORDS, COUNT], [['name', 'a text that is too long', '12345']])];
    expect(await show(doc, { columns: 30 })).toEqual(['  name  a text that is…  12345']);
    expect(await show(doc, { columns: 80 })).toEqual(['  name  a text that is too long  12345']);
  });

  it('pads a flexible first column without a terminal', async () => {
    const rows = [
      ['a long name', '1'],
      ['b', '22'],
    ];
    expect(await show([table([WORDS, COUNT], rows)], { columns: Infinity })).toEqual([
      '  a long name   1',
      '  b            22',
    ]);
    expect(await show([table([WORDS, COUNT], rows)], { columns: 16 })).toEqual([
      '  a long na…   1',
      '  b           22',
    ]);
  });

  it('leaves the flexible column eight cells', async () => {
    const doc = [table([NAME, WORDS], [['a long name', 'a text that is too long']])];
    expect(await show(doc, { columns: 12 })).toEqual(['  a long name  a text …']);
  });

  it('has remarks that run across all columns and do not widen any', async () => {
    const doc = [
      table([NAME, COUNT], [['a', '1'], [span('a remark that is longer than the row', 'faint')], ['b', '2']]),
    ];
    expect(await show(doc, { columns: 20 })).toEqual([
      '  a  1',
      '  a remark that is',
      '    longer than the',
      '    row',
      '  b  2',
    ]);
  });

  it('may lack cells at the end of a row', async () => {
    expect(
      await show([
        table(
          [NAME, COUNT, WORDS],
          [
            ['a', '1', 'x'],
            ['b', '2'],
          ],
        ),
      ]),
    ).toEqual(['  a  1  x', '  b  2']);
  });

  it('may have no rows', async () => {
    expect(await show([table([NAME, COUNT], [], true)])).toEqual(['  name  count']);
  });
});

describe('a bar in text', () => {
  it.each([
    ['halves and quarters', bar(8, 4, 2, 2), '████████████████████▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒'],
    ['thirds, rounded', bar(3, 1, 1), `${'█'.repeat(13)}${'▓'.repeat(13)}${'░'.repeat(14)}`],
    ['what is free', bar(4, 1), '██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░'],
    ['nothing', bar(0, 0, 0), '░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░'],
    ['one cell for the least there is', bar(1e6, 1, 0, 1), '█▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░'],
    ['more than there is room for', bar(10, 8, 8), '████████████████████████████████▓▓▓▓▓▓▓▓'],
  ])('shows %s', async (_name, block, cells) => {
    const shades: Style = (tone, shown) =>
      shown.replaceAll('█', tone === 'tools' ? '▓' : tone === 'messages' ? '▒' : '█');
    expect(await show([block], { style: shades })).toEqual([`  ${cells}  label`]);
  });

  it.each([
    [80, 40],
    [72, 40],
    [71, 39],
    [50, 18],
    [42, 10],
    [20, 10],
  ])('leaves room for its label: in %d columns it has %d cells', async (columns, cells) => {
    const [shown = ''] = await show([bar(3, 1, 1, 1)], { columns });
    expect(shown.match(/[█░]/g)).toHaveLength(cells);
    expect(shown.trimEnd().length).toBeLessThanOrEqual(columns);
  });

  const values = fc.array(fc.oneof(fc.nat({ max: 1_000_000 }), fc.constantFrom(0, 1)), { minLength: 1, maxLength: 5 });

  it('always has as many cells, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.nat({ max: 1_000_000 }), async (parts, total) => {
        const [shown = ''] = await show([bar(total, ...parts)]);
        expect(shown.match(/[█░]/g)).toHaveLength(40);
      }),
    );
  });

  it('has at least one cell for everything that is there', async () => {
    await fc.assert(
      fc.asyncProperty(values, async (parts) => {
        const total = parts.reduce((sum, value) => sum + value, 0);
        const shown: string[] = [];
        const watched: Style = (tone, cells) => {
          if (tone !== 'faint') shown.push(cells);
          return cells;
        };
        await show([{ ...bar(total, ...parts), label: [] } as Block], { style: watched });
        const present = parts.filter((value) => value > 0);
        expect(shown.filter((cells) => cells !== '')).toHaveLength(present.length);
      }),
    );
  });
});

describe('two texts beside each other', () => {
  it('are wrapped within their halves, and go on a little further in', async () => {
    const doc = [pair([span('- abcdefghijklm', 'error')], [span('+ ', 'good'), 'no', span('pq', 'good')].map(asSpan))];
    expect(await show(doc, { columns: 28, style: tagged })).toEqual([
      '    <error>-</error>         <faint> │</faint> <good>+ </good>no<good>pq</good>',
      '      <error>abcdefgh</error><faint> │</faint>',
      '      <error>ijklm</error>   <faint> │</faint>',
    ]);
  });

  it('line up where characters are wide, and cut none apart', async () => {
    const doc = [pair([span('- 日本語の文字')], [span(`+ ${'👨‍👩‍👧'.repeat(5)}`)]), pair([span('- e\u0301')], [])];
    expect(await show(doc, { columns: 28 })).toEqual([
      '    -          │ +',
      '      日本語の │   👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧',
      '      文字     │   👨‍👩‍👧',
      '    - e\u0301        │',
    ]);
  });

  it('lose nothing', async () => {
    const texts = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 90 }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(texts, texts, fc.integer({ min: 28, max: 200 }), async (before, after, columns) => {
        const solid = (parts: readonly string[]): Span[] => parts.map((part) => span(part.replace(/[ │]/g, '_')));
        const [was, is] = [solid(before), solid(after)];
        const shown = await show([pair(was, is)], { columns });
        const side = (at: number): string => shown.map((each) => each.split(' │')[at]?.replaceAll(' ', '')).join('');
        expect([side(0), side(1)]).toEqual([was, is].map((parts) => parts.map((part) => part.text).join('')));
      }),
    );
  });

  it('have halves of a usual width where nothing limits a line', async () => {
    const [shown = ''] = await show([pair([span('x'.repeat(300))], [span('y')])], { columns: Infinity });
    expect(shown).toBe(`    ${'x'.repeat(76)} │ y`);
  });
});

describe('every line of text fits the terminal', () => {
  const words = fc
    .array(
      fc.constantFrom(
        'a',
        'word',
        ' ',
        '日本',
        '🙂',
        '👩‍👩‍👧',
        'e\u0301',
        'ﾊ',
        '\x1b[1m',
        '\u202e',
        '\n',
        '\t',
        '\ud800',
        '─',
      ),
      { maxLength: 60 },
    )
    .map((parts) => `x${parts.join('')}`);
  const spans = fc.array(
    words.map((word) => span(word)),
    { minLength: 1, maxLength: 4 },
  );
  const short = fc.constantFrom('', 'a', '日本', '123456').map((word) => span(word));
  const row = fc.oneof(
    fc.tuple(
      short,
      words.map((word) => span(word)),
      short,
    ),
    fc.tuple(words.map((word) => span(word))),
  );
  const block: fc.Arbitrary<Block> = fc.oneof(
    words.map((word) => heading(1, word)),
    spans.map((parts) => line(...parts)),
    fc.array(spans).map((items): Block => ({ kind: 'bullets', items })),
    fc.tuple(fc.array(row), fc.boolean()).map(([rows, hasTitles]) => table([NAME, WORDS, COUNT], rows, hasTitles)),
    spans.map((label): Block => ({ ...bar(10, 3, 4), label }) as Block),
    fc.tuple(spans, spans).map(([before, after]) => pair(before, after)),
    fc.constant(gap),
  );

  it('whatever its texts are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 1 }), fc.integer({ min: 28, max: 200 }), async (doc, columns) => {
        for (const shown of await show(doc, { columns })) expect(stringWidth(shown)).toBeLessThanOrEqual(columns);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('a line that is printed whole', () => {
  it('keeps its length, tabs and newlines, and hides nothing', async () => {
    const whole: Block = { kind: 'whole', text: `${'x'.repeat(30)}\ta\nb\u001b[1m` };
    expect(await show([whole, line('y'.repeat(30))], { columns: 20 })).toEqual([
      `${'x'.repeat(30)}\ta`,
      'b␛[1m',
      'y'.repeat(20),
      `  ${'y'.repeat(10)}`,
    ]);
  });
});

describe('where nothing limits a line', () => {
  it('nothing is cut, and columns are in line', async () => {
    const rows = ['日本語', 'a'].map((name) => [span(name), span('🙂'.repeat(200))]);
    const names: Block = { kind: 'table', hasTitles: false, columns: [left('name'), flexible('text')], rows };
    const doc: Doc = [names, { kind: 'row', cells: [cell('é', 4), cell('x'.repeat(300))] }];
    const view = { format: 'text', columns: Infinity, rows: 40 };
    const printed = await text.render({ data: null, doc: () => doc }, view, plainStyle);
    expect(printed).toBe(`  日本語  ${'🙂'.repeat(200)}\n  a       ${'🙂'.repeat(200)}\né     ${'x'.repeat(300)}\n`);
  });
});

describe('the name of a file', () => {
  const id = '0b1c2d3e-5566-4000-8000-000000000001.jsonl';
  const long = `~/.claude/projects/-home-ada-work-weather-worktrees-forecast/${id}`;
  const nameOf = (path: string): Block => line('152 requests, ', fileSpan(path, `/home/ada${path}`), ' and more');

  it.each([
    [
      'comes before its folder on a terminal',
      78,
      [`152 requests, ${id} in`, '  ~/.claude/projects/-home-ada-work-weather-worktrees-forecast and more'],
    ],
    [
      'comes before its folder, whose middle is left out where it does not fit',
      60,
      [`152 requests, ${id} in`, '  ~/.claude/projects/…me-ada-work-weather-worktrees-forecast', '  and more'],
    ],
    [
      'begins a line of its own where it does not fit after what precedes it',
      50,
      ['152 requests,', `  ${id} in`, '    ~/.claude/…ada-work-weather-worktrees-forecast', '    and more'],
    ],
  ])('%s', async (_name, columns, lines) => {
    expect(await show([nameOf(long)], { columns, isTerminal: true })).toEqual(lines);
  });

  it('stays a path elsewhere, and where it is too long itself', async () => {
    expect(await show([nameOf(long)], { columns: 78 })).toEqual(['152 requests,', `  ${long}`, ' and more']);
    const narrow = await show([nameOf(long)], { columns: 40, isTerminal: true });
    expect(narrow).toEqual(['152 requests,', `  ${long}`, ' and more']);
  });

  const file = '/sessions/2026-03-02T09-00-00-000Z_0a1b2c3d.jsonl';

  it('has a line of its own where it would be broken, to be copied whole', async () => {
    const doc = [line('line 5 of ', fileSpan(file, file), ', which has ends'), line('in ', fileSpan('/a', '/a'), '!')];
    expect(await show(doc, { columns: 30 })).toEqual(['line 5 of', `  ${file}`, ', which has ends', 'in /a!']);
    expect(await show([fileHeading(file)], { columns: 30 })).toEqual([file]);
    expect(await show(doc)).toEqual([`line 5 of ${file}, which has ends`, 'in /a!']);
  });

  it('keeps its end in a listing, which tells it from others', async () => {
    const column = table([left('n'), flexible('file')], [['1', fileSpan(file, file)]]);
    expect(await show([column], { columns: 30 })).toEqual(['  1  …0-00-000Z_0a1b2c3d.jsonl']);
    expect(await show([cutLine(fileSpan(file, file))], { columns: 20 })).toEqual(['…000Z_0a1b2c3d.jsonl']);
  });
});

describe('prose in a terminal', () => {
  const words = 'many words that say much about what is there';
  const bare = (lines: readonly string[]): string => lines.map((one) => one.trim()).join(' ');

  it('wraps below itself in rows and tables, whose other cells are cut', async () => {
    const cells = [cell('rule', 6, 'strong'), cell(words)];
    expect(await show([{ kind: 'row', isProse: true, cells }], { columns: 30 })).toEqual([
      'rule    many words that say',
      '        much about what is',
      '        there',
    ]);
    const about = { ...left('about'), isFlexible: true, isProse: true } as const;
    expect(await show([table([left('name'), about], [['id', words]])], { columns: 30 })).toEqual([
      '  id  many words that say much',
      '      about what is there',
    ]);
    const [row = ''] = await show([{ kind: 'row', cells }], { columns: 30 });
    expect(row).toBe('rule    many words that say m…');
  });

  it('is never cut, whatever its blocks are', async () => {
    for (const columns of [24, 40, 80]) {
      const doc: Doc = [line(words), heading(1, words), { kind: 'bullets', items: [[span(words)]] }];
      const lines = await show(doc, { columns });
      expect(bare(lines)).toBe(`${words} ${words} ${words}`);
      for (const each of lines) expect(each.length).toBeLessThanOrEqual(columns);
    }
  });

  it('keeps texts of a session whole on a pipe, and wraps them between words on a terminal', async () => {
    const doc = [verbatim(`    ${words}\n\tif (x)\n${words.replaceAll(' ', '_')}`)];
    const render = (isTerminal: boolean): Promise<string> =>
      Promise.resolve(
        text.render({ data: null, doc: () => doc }, { format: 'text', columns: 30, rows: 40, isTerminal }, plainStyle),
      );
    expect(await render(false)).toBe(`      ${words}\n  \tif (x)\n  ${words.replaceAll(' ', '_')}\n`);
    expect((await render(true)).split('\n')).toEqual([
      '      many words that say much',
      '      about what is there',
      '  \tif (x)',
      '  many_words_that_say_much_abo',
      '  ut_what_is_there',
      '',
    ]);
  });

  it('measures each character of a long text a limited number of times', async () => {
    const long = `${'word '.repeat(400)}${'x'.repeat(2000)}${'漢'.repeat(12_000)}${' 漢字'.repeat(300)}`;
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    await show([line(long)]);
    const measured = segment.mock.calls.reduce((sum, [each]) => sum + each.length, 0);
    segment.mockRestore();
    expect(measured).toBeGreaterThan(12_000);
    // About a hundred times. If the rest of a word were measured for each line, it would be hundreds of times.
    expect(measured).toBeLessThan(long.length * 150);
  });
});
