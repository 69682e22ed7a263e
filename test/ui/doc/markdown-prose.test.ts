import * as fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { expect, it } from 'vitest';
import { buildDrawing } from '#analysis/reading/draw-blocks.js';
import type { Block } from '#ui/doc/doc.js';
import markdown from '#ui/doc/markdown.js';
import { runs } from '../../support/runs.js';

function prose(text: string): Block {
  const drawing = buildDrawing({ text, language: 'markdown' });
  return { kind: 'verbatim', text, language: '', ...(drawing.form === 'markdown' && { nodes: drawing.nodes }) };
}

function pageOf(...blocks: readonly Block[]): string {
  return markdown.render({ data: null, doc: () => blocks }, { format: 'markdown', columns: 80, rows: 40 });
}

it.each([
  ['headings below those of the document', '# A\n\n## B', '#### A\n\n##### B'],
  ['marks', 'a **b** *c* `d`', 'a **b** *c* `d`'],
  ['a list', '- a\n  - b\n- c', '- a\n  - b\n- c'],
  ['a list that counts', '3. a\n4. b', '3. a\n4. b'],
  ['tasks', '- [x] a\n- [ ] b', '- [x] a\n- [ ] b'],
  ['a quote', '> a\n> b', '> a\n> b'],
  ['a table', '| a | b |\n|---|---|\n| `x` | 1 |', '| a | b |\n| --- | --- |\n| `x` | 1 |'],
  ['code', '```ts\nconst a = 1;\n```', '```ts\nconst a = 1;\n```'],
  ['a fence in code', '````\n```\n````', '````\n```\n````'],
  ['code in a list', '- a\n\n  ```\n  b\n  ```', '- a\n\n  ```\n  b\n  ```'],
  ['a link', '[a](https://x.example/y)', '[a](<https://x.example/y>)'],
  ['an address', 'see https://x.example/y', 'see <https://x.example/y>'],
])('prose keeps %s', (_name, text, shown) => {
  expect(pageOf(prose(text))).toBe(`${shown}\n`);
});

it.each([
  ['HTML', '<script>alert(1)</script>', String.raw`\<script\>alert(1)\</script\>`],
  ['an image', '![a](https://x.example/y.png)', '!\\[a\\](`https://x.example/y.png`)'],
  ['an image by way of a link', String.raw`\![a](https://x.example)`, String.raw`\![a](<https://x.example>)`],
  ['a mention', 'ask @octocat', 'ask `@octocat`'],
  ['an issue', 'see #12', 'see `#12`'],
  ['a link to a script', '[a](javascript:x)', 'a (javascript:x)'],
  [
    'a link that names another address',
    '[https://a.example](https://b.example)',
    '`https://a.example` (`https://b.example`)',
  ],
])('prose has %s as text', (_name, text, shown) => {
  expect(pageOf(prose(text))).toContain(shown);
});

const PIECES = [
  ...'`*_~#>|-+=[]()<>!&\\{}$:;.,1 ab@/^"\'\n\t'.split(''),
  '```',
  '~~~',
  '\n\n',
  '    ',
  '\u0000\u001b[1m\u202e',
  'https://evil.example/x',
  'www.evil.example',
  'me@evil.example',
  '@octocat',
  '#12',
  '[a](https://x.y)',
  '[a](<https://x.y/`b>)',
  '[https://a.example](https://b.example)',
  '![a](x.png)',
  '\\![a](https://x.y)',
  '**b!**[a](https://x.y)',
  '[^1]: note',
  '[a]: x',
  '- [x] ',
  '<script>',
  '</details>',
  '<!-- ',
  '&lt;',
  '# a\n',
  '1. ',
  '> ',
  '| a | b |\n|---|---|\n| c | d |\n',
  '**b**',
  '*c*',
  '`d`',
  'word',
];
const hostile = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));

const ALLOWED: ReadonlySet<string> = new Set(
  'root heading paragraph text strong emphasis inlineCode link list listItem blockquote code table tableRow tableCell break'.split(
    ' ',
  ),
);

function assertHarmless(node: Nodes, isInLink = false): void {
  expect([...ALLOWED]).toContain(node.type);
  if (node.type === 'link') expect(node.url).toMatch(/^(?:https?:\/\/|mailto:)/i);
  // A forge links these in the rendered text, in which no escape is left.
  if (node.type === 'text' && !isInLink)
    expect(node.value).not.toMatch(/(?<![\w.])@\w|:\/\/|[#!]\d|(?<![a-z0-9])(?:www\.|mailto:|xmpp:|GH-\d)/i);
  if ('children' in node) for (const child of node.children) assertHarmless(child, isInLink || node.type === 'link');
}

it('prose holds nothing that a forge runs, loads or notifies, and ends within its fold, whatever the text', () => {
  fc.assert(
    fc.property(hostile, hostile, (text, title) => {
      const fold: Block = { kind: 'fold', summary: [{ text: title, tone: 'code' }], body: [prose(text)] };
      const page = pageOf(fold, { kind: 'heading', level: 2, text: 'End' });
      const tree = fromMarkdown(page, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
      const [open, ...rest] = tree.children;
      expect(open).toMatchObject({
        type: 'html',
        value: expect.stringMatching(/^<details>\n<summary><code>[^<>]*<\/code><\/summary>$/),
      });
      const close = rest.findIndex(({ type }) => type === 'html');
      // Text without a word is no part of the page.
      if (close !== -1) expect(rest[close]).toMatchObject({ value: '</details>' });
      expect(rest.slice(close + 1)).toMatchObject([{ type: 'heading', depth: 2 }]);
      for (const node of rest.slice(0, close)) assertHarmless(node);
    }),
    { numRuns: runs(400) },
  );
});
