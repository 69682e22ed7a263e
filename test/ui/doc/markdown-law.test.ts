import * as fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { expect, it } from 'vitest';
import { toVisible, toVisibleLine } from '#base/visible.js';
import type { Block, Span } from '#ui/doc/doc.js';
import markdown from '#ui/doc/markdown.js';
import { runs } from '../../support/runs.js';

/** The parts of a page as GitHub's parser reads it: each block with its kind and text. */
function partsOf(node: Nodes): readonly string[] {
  switch (node.type) {
    case 'root':
    case 'list':
      return node.children.flatMap(partsOf);
    case 'heading':
      return [`${'#'.repeat(node.depth)} ${textIn(node)}`];
    case 'paragraph':
      return [`line ${textIn(node)}`];
    case 'listItem':
      expect(node.checked ?? null).toBe(null);
      return node.children.flatMap(partsOf).map((part) => part.replace(/^line/, 'item'));
    case 'table':
      return node.children.map((row) => `row ${row.children.map(textIn).join(' / ')}`);
    case 'code':
      return [`code ${node.lang ?? ''} ${node.meta ?? ''} ${node.value}`];
    default:
      return [node.type];
  }
}

function textIn(node: Nodes): string {
  if (node.type === 'text') {
    // A forge links these in the rendered text, in which no escape is left.
    expect(node.value).not.toMatch(/@|:\/\/|[#!]\d|(?<![a-z0-9])(?:www\.|mailto:|xmpp:|GH-\d)/i);
    return node.value;
  }
  if (node.type === 'inlineCode') return node.value.replaceAll('ˋ', '`').replaceAll('¦', '|');
  return 'children' in node && ['heading', 'paragraph', 'tableCell', 'strong'].includes(node.type)
    ? node.children.map(textIn).join('')
    : `<${node.type}>`;
}

function expectedOf(block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return [`${'#'.repeat(block.level)} ${toVisibleLine(block.text)}`];
    case 'line':
      return [`line ${textOf(block.spans)}`];
    case 'bar':
      return [`line ${textOf(block.label)}`];
    case 'whole':
      return [`line ${toVisibleLine(block.text)}`];
    case 'bullets':
      return block.items.map((item) => `item ${textOf(item)}`);
    case 'row':
      return [`item ${block.cells.map((cell) => textOf([cell])).join(' ')}`];
    case 'pair':
      return [`item ${textOf(block.left)} → ${textOf(block.right)}`];
    case 'table': {
      const titles = block.columns.map(({ title }) => title).join(' / ');
      return [`row ${titles}`, ...block.rows.map((row) => `row ${row.map((cell) => textOf([cell])).join(' / ')}`)];
    }
    case 'verbatim':
      return [`code ${block.language === 'markdown' ? '' : block.language}  ${toVisible(block.text)}`];
    case 'fold':
      return [`line ${textOf(block.summary)}`];
    case 'gap':
      return [];
  }
}

function textOf(spans: readonly Span[]): string {
  return toVisibleLine(spans.map(({ text }) => text).join(''));
}

/** Without spaces outside of code, and without the marks of strong text, which some neighbours turn into text. */
function plain(parts: readonly string[]): readonly string[] {
  return parts.map((part) => (part.startsWith('code') ? part : part.replaceAll(/[\s*]/g, '')));
}

const PIECES = [
  ...'`*_~#>|-+=[]()<>!&\\{}$:;.,1 ab@/^"\'\n\t'.split(''),
  '``',
  '```',
  '**',
  '~~',
  '---',
  '    ',
  '\u0000\u001b[1m\u202e',
  'https://evil.example/x',
  'ftp://evil.example',
  'www.evil.example',
  'me@evil.example',
  'mailto:a',
  '@octocat',
  '#12',
  '!7',
  'GH-3',
  'a/b#1',
  '[a](https://x.y)',
  '![a](x.png)',
  '[^1]',
  '[^1]: note',
  '[a]: x',
  '[x] ',
  '<script>',
  '<!-- ',
  '<https://x.y>',
  '&lt;',
  '&#64;a',
  '# a',
  '1. ',
  '| - |',
  'word',
];
const hostile = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
  .map((parts) => `${parts.join('')}.`);
const tone = fc.constantFrom('plain', 'strong', 'id', 'faint', 'error');
const part: fc.Arbitrary<Span> = fc.record({ text: hostile, tone });
const spans = fc.array(part, { minLength: 1, maxLength: 4 });
const cell = fc.tuple(part).map(([one]) => ({ ...one, width: 0, align: 'left' as const }));
const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constant('heading'), level: fc.constantFrom(1, 2, 3), text: hostile }),
  fc.record({ kind: fc.constant('line'), spans }),
  fc.record({ kind: fc.constant('bullets'), items: fc.array(spans, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constant('row'), cells: fc.array(cell, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constant('bar'), segments: fc.constant([]), total: fc.constant(0), label: spans }),
  fc.record({ kind: fc.constant('pair'), left: spans, right: spans }),
  fc.record({ kind: fc.constant('whole'), text: hostile }),
  fc.record({ kind: fc.constant('verbatim'), text: hostile, language: fc.constantFrom('', 'json', 'markdown') }),
  fc.array(fc.tuple(part, part), { maxLength: 3 }).map((rows) => ({
    kind: 'table' as const,
    columns: [
      { title: 'one', align: 'left' as const },
      { title: 'two', align: 'right' as const },
    ],
    rows,
    hasTitles: true,
  })),
);

it('a page in Markdown is for the parser of GitHub what the document is, whatever the texts', () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), (doc) => {
      const report = { data: null, doc: () => doc };
      const page = markdown.render(report, { format: 'markdown', columns: 80, rows: 40 });
      const tree = fromMarkdown(page, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
      expect(plain(partsOf(tree))).toEqual(plain(doc.flatMap(expectedOf)));
    }),
    { numRuns: runs(500) },
  );
});
