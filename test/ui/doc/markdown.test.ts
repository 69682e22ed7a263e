import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, type Doc, gap, heading, line, span, verbatim } from '#ui/doc/doc.js';
import markdown from '#ui/doc/markdown.js';
import type { Renderer } from '#ui/doc/renderer.js';
import { plainStyle } from '#ui/doc/style.js';

const renderer: Renderer = markdown;

async function show(...doc: Doc): Promise<string> {
  return renderer.render({ data: null, doc: () => doc }, { format: 'markdown', columns: 20, rows: 40 }, plainStyle);
}

function table(...rows: readonly (readonly string[])[]): Block {
  return {
    kind: 'table',
    columns: [
      { title: 'na|me', align: 'left', isFlexible: true },
      { title: 'count', align: 'right' },
    ],
    rows: rows.map((row) => row.map((cell) => span(cell))),
    hasTitles: true,
  };
}

describe('markdown', () => {
  it.each<[name: string, block: Block, shown: string]>([
    ['a heading', heading(2, 'Title'), '## Title'],
    [
      'a line, however long',
      line('a line that is longer than the terminal'),
      'a line that is longer than the terminal',
    ],
    ['a strong span', line('a ', span('b', 'strong')), 'a **b**'],
    ['an id as code', line(span('deadbeef', 'id')), '`deadbeef`'],
    ['an id with backticks', line(span('a`b', 'id')), '`aˋb`'],
    ['no code for an empty id', line(span('', 'id'), 'x'), 'x'],
    ['other tones as text', line(span('faint', 'faint'), span(' bad', 'error')), 'faint bad'],
    ['bullets', { kind: 'bullets', items: [[span('one')], [span('two'), span('!')]] }, '- one\n- two!'],
    ['the label of a bar', { kind: 'bar', segments: [], total: 0, label: [span('10 tokens')] }, '10 tokens'],
    [
      'two texts beside each other on one line',
      { kind: 'pair', left: [span('was')], right: [span('is', 'strong')] },
      '- was → **is**',
    ],
    ['verbatim text', verbatim('{\n}', 'json'), '```json\n{\n}\n```'],
    ['a table', table(['a', '1'], ['b|c', '2']), '| na\\|me | count |\n| --- | ---: |\n| a | 1 |\n| b\\|c | 2 |'],
  ])('shows %s', async (_name, block, shown) => {
    expect(await show(block)).toBe(`${shown}\n`);
  });

  it('parts blocks by one blank line', async () => {
    expect(await show(heading(1, 'Title'), gap, line('text'), gap, gap)).toBe('# Title\n\ntext\n');
  });
});

describe('a fence in markdown', () => {
  it.each([
    ['no backticks', '```'],
    ['`code`', '```'],
    ['```\nfenced\n```', '````'],
    ['`````', '``````'],
    ['a ```` b ``` c', '`````'],
  ])('around %j is %s', async (text, fence) => {
    expect(await show(verbatim(text))).toBe(`${fence}\n${text}\n${fence}\n`);
  });

  it('is never closed by what it holds', async () => {
    const text = fc
      .array(fc.constantFrom('`', '```', '~~~', '\n', 'word', ' '), { maxLength: 20 })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const [opening = '', ...rest] = (await show(verbatim(content))).trimEnd().split('\n');
        const closing = rest.findIndex((shown) => shown.trim().startsWith(opening));
        expect(closing).toBe(rest.length - 1);
      }),
    );
  });

  it('holds nothing that a terminal obeys', async () => {
    expect(await show(verbatim('\x1b[1m\n\u202e'))).toBe('```\n␛[1m\n<U+202E>\n```\n');
  });
});

describe('session text in markdown is no markup', () => {
  it.each([
    ['emphasis', '*a* __b__ ~~c~~', String.raw`\*a\* \_\_b\_\_ \~\~c\~\~`],
    ['code', 'a `b`', String.raw`a \`b\``],
    ['a link', '[a](b)', String.raw`\[a\](b)`],
    ['an image', '![a](b)', String.raw`!\[a\](b)`],
    ['HTML', '<img src=x onerror="alert(1)">', String.raw`\<img src=x onerror="alert(1)"\>`],
    ['an entity', '&lt;b&gt;', String.raw`\&lt;b\&gt;`],
    ['a comment', '<!-- x', String.raw`\<!-- x`],
    ['a heading', '# a', String.raw`\# a`],
    ['a quote', '> a', String.raw`\> a`],
    ['a table cell', 'a | b', String.raw`a \| b`],
    ['an escape', String.raw`\*`, String.raw`\\\*`],
    ['a second line', 'a\n# b', String.raw`a ⏎ \# b`],
    ['a template', '{{ x }}', String.raw`\{\{ x \}\}`],
    ['words that a sign joins', 'model_change _x_', String.raw`model_change \_x\_`],
    ['numbers and signs', '~5 of <1% & ~/a', '~5 of <1% & ~/a'],
    ['a formula', '$1^a$, $$b$$ for $2.50', String.raw`$1^a\$, \$\$b\$\$ for $2.50`],
  ])('%s', async (_name, text, shown) => {
    expect(await show(line(text))).toBe(`${shown}\n`);
    expect(await show(line(span(text, 'strong')))).toBe(`**${shown}**\n`);
    expect(await show(heading(3, text))).toBe(`### ${shown}\n`);
  });

  it.each([
    ['- a', String.raw`\- a`],
    ['+ a', String.raw`\+ a`],
    ['1. a', String.raw`1\. a`],
    ['12) a', String.raw`12\) a`],
    ['---', String.raw`\---`],
    ['===', String.raw`\===`],
    ['    - a', String.raw`\- a`],
    ['    a', 'a'],
  ])('at the beginning of a line: %j', async (text, shown) => {
    expect(await show(line(text))).toBe(`${shown}\n`);
    expect(await show({ kind: 'bullets', items: [[span(text)]] })).toBe(`- ${shown}\n`);
    expect(await show({ kind: 'bar', segments: [], total: 0, label: [span(text)] })).toBe(`${shown}\n`);
    expect(await show(line('a', span(text)))).toBe(`a${text}\n`);
  });

  it.each(['a|b', '|'])('an id in a table keeps its cell: %j', async (id) => {
    const rows = [[span(id, 'id'), span('1')]];
    const shown = await show({ ...table(), rows } as Block);
    expect(
      shown
        .trimEnd()
        .split('\n')
        .at(-1)
        ?.match(/(?<!\\)\|/g),
    ).toHaveLength(3);
  });

  it('a line that is printed whole is no markup either', async () => {
    expect(await show({ kind: 'whole', text: '- *a*\n# b' })).toBe('\\- \\*a\\* ⏎ \\# b\n');
  });
});

describe('text that a forge would link or mention is code in Markdown', () => {
  it.each([
    ['a URL', 'see https://evil.example/x now', 'see `https://evil.example/x` now'],
    ['a URL in brackets', '(HTTP://evil.example)', '(`HTTP://evil.example`)'],
    ['a name of the web', 'www.evil.example', '`www.evil.example`'],
    ['a name of the web in emphasis', '_www.evil.example_', '`_www.evil.example_`'],
    ['an e-mail address', 'by <me@evil.example>', String.raw`by \<` + '`me@evil.example`' + String.raw`\>`],
    ['a mention', 'thanks @octocat!', 'thanks `@octocat!`'],
    ['an issue', 'request #10', 'request `#10`'],
    ['an issue elsewhere', 'a/b#1 GH-2', '`a/b#1` `GH-2`'],
    ['a merge request', '!7', '`!7`'],
    ['a mention in backticks', '`@octocat`', '`ˋ@octocatˋ`'],
  ])('%s', async (_name, text, shown) => {
    expect(await show(line(text))).toBe(`${shown}\n`);
    expect(await show(heading(2, text))).toBe(`## ${shown}\n`);
  });

  it('also where two spans meet in it', async () => {
    expect(await show(line(span('www', 'faint'), span('.evil.example')))).toBe('`www.evil.example`\n');
    expect(await show(line(span('a', 'id'), span('@b'), span('c', 'id')))).toBe('`a@bc`\n');
  });

  it('takes time that grows with the length of a word', async () => {
    const long = 'w'.repeat(2_000_000);
    expect(await show(line(long))).toBe(`${long}\n`);
  });
});
