import { Parser } from 'commonmark';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toVisible } from '#base/visible.js';
import { entry, type Entry, HEADER, lines, user } from '../../../support/entries.js';
import { ctx } from '../../../support/memory-io.js';
import { runs } from '../../../support/runs.js';

async function markdown(...parts: readonly Entry[]): Promise<string> {
  const files = { 's.jsonl': lines(HEADER, ...parts) };
  const { exitCode, stdout } = await ctx(['export', 's.jsonl', '--format', 'markdown'], { files });
  expect(exitCode).toBe(0);
  return stdout;
}

/** What a document is made of, in order: the kind of each piece, and its text where it has one. */
function piecesOf(text: string): readonly { readonly type: string; readonly literal: string | null }[] {
  const found = [];
  const walker = new Parser().parse(text).walker();
  for (let event = walker.next(); event; event = walker.next())
    if (event.entering) found.push({ type: event.node.type, literal: event.node.literal });
  return found;
}

const MARKUP: ReadonlySet<string> = new Set([
  'html_block',
  'html_inline',
  'link',
  'image',
  'block_quote',
  'thematic_break',
]);

const PIECES = [
  '```',
  '~~~',
  '````',
  '\n',
  '\n\n',
  '<script>alert(1)</script>',
  '<!--',
  '<img src=x onerror=y>',
  '![a](http://x/y.png)',
  '[a](javascript:x)',
  'http://a.example',
  '# heading',
  '---',
  '| a | b |',
  '    indented',
  '> quote',
  '&lt;',
  '\u0000',
  '\u001b[31m',
  '\u202e',
  '\r',
  '\\',
  '`',
  '*',
  '_',
  'plain',
];
const hostile = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((parts) => parts.join(''));

describe('a transcript in Markdown', () => {
  it('shows hostile text as text', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (said, called) => {
        const text = await markdown(
          user('u1', null, said),
          entry('message', 'a1', 'u1', {
            message: {
              role: 'assistant',
              provider: called,
              model: said,
              stopReason: 'error',
              errorMessage: called,
              content: [
                { type: 'thinking', thinking: said },
                { type: 'toolCall', id: 'c', name: called, arguments: { [said]: called } },
                { type: 'image', mimeType: said, data: called },
                { type: said, other: called },
              ],
            },
          }),
          entry('message', 'r1', 'a1', {
            message: { role: 'toolResult', toolCallId: 'c', toolName: called, isError: true, content: said },
          }),
          entry('message', 'b1', 'r1', {
            message: { role: 'bashExecution', command: said, output: called, exitCode: 1 },
          }),
          entry('session_info', 'n1', 'b1', { name: said }),
          entry('compaction', 'k1', 'n1', { summary: said, firstKeptEntryId: called }),
          entry('context_edit', 'e1', 'k1', { targetId: 'u1', replacement: { content: called } }),
          entry(said, 'x1', 'e1', { [called]: said }),
        );
        const pieces = piecesOf(text);
        expect(pieces.filter(({ type }) => MARKUP.has(type))).toEqual([]);
        // One for the title, one for each entry with a text of its own.
        expect(pieces.filter(({ type }) => type === 'heading')).toHaveLength(7);
        const fenced = pieces.filter(({ type }) => type === 'code_block').map(({ literal }) => literal);
        if (said.trim() !== '') expect(fenced[0]).toBe(`${toVisible(said)}\n`);
      }),
      { numRuns: runs(60) },
    );
  });

  it('reads without empty fences, and has a line for an entry without a text', async () => {
    const text = await markdown(
      entry('model_change', 'm1', null, { provider: 'anthropic', modelId: 'claude-opus-4-5' }),
      user('u1', 'm1', 'Go'),
      entry('message', 'a1', 'u1', {
        message: {
          role: 'assistant',
          content: [
            { type: 'text', text: '' },
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'text', text: '\n' },
            { type: 'text', text: 'Gone.' },
          ],
        },
      }),
    );
    expect(text.match(/^```$/gm)).toHaveLength(6);
    expect(text).toContain('`m1`  model change: anthropic/claude-opus-4-5');
    expect(text).toContain('\nthinking\n\n```\nHm.\n```\n\nanswer\n\n```\nGone.\n```');
    expect(text).not.toMatch(/\\_|^- /m);
  });

  it('is what ctx log --full prints, of the entries that its flags select', async () => {
    const files = {
      's.jsonl': lines(HEADER, user('u1', null, 'one'), user('u2', 'u1', 'two\nlines'), user('u3', 'u2', 'three')),
    };
    const log = async (...argv: readonly string[]): Promise<string> => {
      const { stdout, exitCode } = await ctx(['log', 's.jsonl', '--full', ...argv], { files });
      expect(exitCode).toBe(0);
      return stdout;
    };
    const transcript = (await ctx(['export', 's.jsonl'], { files })).stdout;
    expect(transcript.endsWith(`\n\n${await log()}`)).toBe(true);
    expect(await log('-n', '2')).toMatch(/^user\nu2 [^\n]*\n {2}two\n {2}lines\n\nuser\nu3 [^\n]*\n {2}three\n$/);
    for (const flag of ['--json', '--oneline', '--graph'])
      expect((await ctx(['log', 's.jsonl', '--full', flag], { files })).exitCode).toBe(2);
  });

  it('marks what was edited, and what took its place', async () => {
    const text = await markdown(
      user('u1', null, 'before'),
      entry('context_edit', 'e1', 'u1', { targetId: 'u1', replacement: { content: 'after' } }),
      entry('context_edit', 'e2', 'e1', { targetId: 'u1', replacement: null }),
    );
    expect(text).toContain('edited by e2');
    expect(text).toContain('replaces the content of u1\n\n```\nafter\n```');
    expect(text).toContain('omits u1');
  });

  it('begins with what comes first on the path, and leaves other branches out', async () => {
    const files = {
      's.jsonl': lines(HEADER, user('u1', null, 'root'), user('u2', 'u1', 'one'), user('u3', 'u1', 'other')),
    };
    const { stdout } = await ctx(['export', 's.jsonl', '--at', 'u2'], { files });
    expect(stdout).toContain('root');
    expect(stdout).toContain('one');
    expect(stdout).not.toContain('other');
  });
});
