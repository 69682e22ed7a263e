import * as fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { expect, it } from 'vitest';
import markdownReporter from '#cli/commands/check/reporters/markdown.js';
import { checkedFile, files, orphan, printed, runOver } from '../../../../support/check-run.js';
import { runs } from '../../../../support/runs.js';

/** The parts of the page that ctx writes itself; anything else would be markup of a session. */
const PLAIN = new Set(['root', 'heading', 'table', 'tableRow', 'tableCell', 'paragraph', 'text', 'inlineCode']);

function listTypes(node: Nodes): Set<string> {
  const below = 'children' in node ? node.children.flatMap((child) => [...listTypes(child)]) : [];
  return new Set([node.type, ...below]);
}

const MARKDOWN = { view: { format: 'markdown', columns: Infinity, rows: Infinity } };

it('every row of the table has all cells, and holds no markup of a session', async () => {
  await fc.assert(
    fc.asyncProperty(files, async (all) => {
      const text = await printed(markdownReporter, runOver(all, MARKDOWN));
      const lines = text.split('\n');
      const rows = lines.filter((line) => line.startsWith('| '));
      const findings = all.reduce((sum, { findings: found }) => sum + found.length, 0);
      expect(rows).toHaveLength(findings === 0 ? 0 : findings + 2);
      for (const row of rows) {
        expect(row.match(/(?<!\\)(?:\\\\)*\|/g)).toHaveLength(7);
        const words = row.replaceAll(/(?<!\\)(?:\\\\)*`[^`]*`/g, '');
        expect(words).not.toMatch(/@|:\/\/|www\./);
      }
      const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
      expect([...listTypes(tree)].filter((type) => !PLAIN.has(type))).toEqual([]);
    }),
    { numRuns: runs(300) },
  );
});

it('has a hundred rows, and says how many it leaves out', async () => {
  const findings = Array.from({ length: 150 }, (_, at) => orphan(at + 1));
  const text = await printed(markdownReporter, runOver([checkedFile('a.jsonl', findings, 900)], MARKDOWN));
  expect(text.match(/^\| error /gm)).toHaveLength(100);
  expect(text).toMatch(/^### ctx check: 1,050 errors in 1 session$/m);
  expect(text).toMatch(/\nand 950 more findings\n$/);
});

it('is a title alone where nothing was found', async () => {
  expect(await printed(markdownReporter, runOver([checkedFile('a.jsonl', [])], MARKDOWN))).toBe(
    '### ctx check: no problems in 1 session\n',
  );
});
