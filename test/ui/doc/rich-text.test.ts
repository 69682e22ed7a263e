import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verbatim } from '#ui/doc/doc.js';
import { renderRichText } from '#ui/doc/rich-text.js';
import { plainStyle, type Style } from '#ui/doc/style.js';
import renderer from '#ui/doc/text.js';
import { runs } from '../../support/runs.js';

const toned: Style = (tone, text) => (tone === 'plain' || text.trim() === '' ? text : `<${tone}>${text}</>`);

function rendered(text: string, language = 'markdown', style = plainStyle, isTerminal = true): Promise<string> {
  const view = { format: 'text', columns: 60, rows: 40, isTerminal };
  return renderer.render({ data: null, doc: () => [verbatim(text, language)] }, view, style);
}

describe('Markdown on a terminal', () => {
  it.each<[what: string, markdown: string, lines: readonly string[]]>([
    ['a heading', '# Cause\n\nIt is `UTC`.', ['<strong>Cause</>', '', 'It is <code>UTC</>.']],
    ['emphasis', 'a **b** *c* ***d***', ['a <strong>b</> <emphasis>c</> <strong>d</>']],
    ['a link with the address that it hides', '[docs](https://x.example/a)', ['docs<faint> (https://x.example/a)</>']],
    ['a bare address', '<https://x.example/a>', ['https://x.example/a']],
    [
      'lists in lists',
      '- a\n  1. b\n  2. c\n- [x] d',
      ['<faint>- </>a', '  <faint>1. </>b', '  <faint>2. </>c', '<faint>- [x] </>d'],
    ],
    ['a quote', '> a\n> b', ['<faint>│ </>a', '<faint>│ </>b']],
    [
      'code with colours',
      '```ts\nconst a = 1; // x\n```',
      ['  <faint>ts</>', '  <system>const</> a = <id>1</>; <faint>// x</>'],
    ],
    ['code in a language without colours', '```nope\na < b\n```', ['  <faint>nope</>', '  <code>a < b</>']],
    ['code of a fence that never ends', '```ts\nconst a', ['  <faint>ts</>', '  <system>const</> a']],
    ['a table', '| a | bb |\n| - | - |\n| ccc | d |', ['<strong>a</>    <strong>bb</>', 'ccc  d']],
    ['HTML as it is', '<b>x</b>\n\n<div>\ny\n</div>', ['<b>x</b>', '', '<div>', 'y', '</div>']],
    ['signs that mean nothing', 'a * b * c_d_e & &amp; 1 < 2', ['a * b * c_d_e & &amp; 1 < 2']],
  ])('shows %s', async (_what, markdown, lines) => {
    expect(await rendered(markdown, 'markdown', toned)).toBe(
      `${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n`,
    );
  });

  it('wraps items of lists below their text, and paragraphs at the margin', async () => {
    const sentence = 'word '.repeat(14).trim();
    expect(await rendered(`${sentence}\n\n- ${sentence}`)).toBe(
      '  word word word word word word word word word word word\n  word word word\n\n' +
        '  - word word word word word word word word word word word\n    word word word\n',
    );
  });

  it('is left to the terminal: other readers get the text as it is', async () => {
    expect(await rendered('# a **b**', 'markdown', plainStyle, false)).toBe('  # a **b**\n');
  });

  it('leaves texts alone that would take long', async () => {
    const long = `**a** ${'b '.repeat(60_000)}`;
    expect(renderRichText(long, 'markdown')).toBeNull();
    expect(await rendered(long)).toContain('**a**');
  });

  it('makes what a terminal obeys visible before anything is rendered', async () => {
    expect(await rendered('**a\u001b]0;x\u0007b** `\u001b[31m`')).not.toContain('\u001b');
  });

  it('loses no word', () => {
    const pieces = fc.constantFrom(
      '# ',
      '- ',
      '1. ',
      '> ',
      '`',
      '```',
      '**',
      '*',
      '_',
      '[',
      '](',
      ')',
      '|',
      '\n',
      '\n\n',
      '    ',
      '---',
      '<',
      '>',
      '&amp;',
      '~~',
      '\\',
      '![',
      ' ',
      'wa',
      'wb',
      'wc',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const shown = (renderRichText(text, 'markdown') ?? [])
          .map(({ spans }) => spans.map((each) => each.text).join(''))
          .join('\n');
        expect(words(shown)).toEqual(expect.arrayContaining([...words(text)]));
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('code on a terminal', () => {
  it.each([
    ['json', '{"a": 1}', '  {<code>"a"</>: <id>1</>}\n'],
    ['diff', '-a\n+b', '  <error>-a</>\n  <good>+b</>\n'],
    ['nope', 'let a', '  let a\n'],
  ])('in %s', async (language, text, shown) => {
    expect(await rendered(text, language, toned)).toBe(shown);
  });
});

function words(text: string): readonly string[] {
  return text.match(/w[abc]/g) ?? [];
}
