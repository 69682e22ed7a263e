import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildDrawing } from '#analysis/reading/draw-blocks.js';
import { type Drawing, type MarkdownNode, drawing as schema, type TextRun } from '#analysis/reading/reading-block.js';
import { runs } from '../../support/runs.js';

function markdown(text: string): readonly MarkdownNode[] {
  const drawing = schema.parse(buildDrawing({ text, language: 'markdown' }));
  return drawing.form === 'markdown' ? drawing.nodes : [];
}

function inline(text: string): readonly TextRun[] {
  const [node] = markdown(text);
  return node?.kind === 'paragraph' ? node.runs : [];
}

describe('a link in Markdown', () => {
  it.each<[text: string, drawn: readonly TextRun[]]>([
    ['[a](https://x.example)', [['link', 'a', 'https://x.example']]],
    ['[**a** `b`](HTTP://x.example)', [['link', 'a b', 'HTTP://x.example']]],
    ['<mailto:a@x.example>', [['link', 'mailto:a@x.example', 'mailto:a@x.example']]],
    ['[a](javascript:alert(1))', ['a', ['quiet', ' (javascript:alert(1))']]],
    ['[a](data:text/html,x)', ['a', ['quiet', ' (data:text/html,x)']]],
    ['[a](//x.example)', ['a', ['quiet', ' (//x.example)']]],
    ['[a](java\u0000script:x)', ['a', ['quiet', ' (java␀script:x)']]],
    ['[a](src/a.ts)', ['a', ['quiet', ' (src/a.ts)']]],
  ])('%j shows its target, and leads only to a web or mail address', (text, drawn) => {
    expect(inline(text)).toEqual(drawn);
  });
});

describe('Markdown', () => {
  it('keeps HTML, images and definitions as text', () => {
    for (const text of ['<script>x</script>', 'a <img src=x> b', '![a](https://x.example/a.png)', '[a]: https://x'])
      expect(JSON.stringify(markdown(text))).toContain(JSON.stringify(text).slice(1, -1));
  });

  it('makes what a terminal obeys visible, in texts, code and addresses', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('\u001b[31m', '\u202e', '\u0007', '[', '](https://x/', ')', '`', '```\n', '**', 'a'), {
          maxLength: 20,
        }),
        (parts) => {
          // oxlint-disable-next-line no-control-regex -- control characters are what this is about
          expect(JSON.stringify(buildDrawing({ text: parts.join(''), language: 'markdown' }))).not.toMatch(
            /\\u00(?:0[0-8]|1b)|\u202e/,
          );
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it.each(['>'.repeat(20_000), '> '.repeat(2000), '- '.repeat(2000), `${'['.repeat(2000)}a`])(
    'of any depth is drawn, and its data stays shallow',
    (text) => {
      const drawing: Drawing = buildDrawing({ text, language: 'markdown' });
      expect(depthOf(drawing)).toBeLessThan(150);
    },
  );

  it('highlights code in fences', () => {
    expect(markdown('```ts\nconst a = 1;\n```')).toEqual([
      { kind: 'code', language: 'ts', runs: [['keyword', 'const'], ' a = ', ['value', '1'], ';'] },
    ]);
  });
});

function depthOf(value: unknown): number {
  let depth = 0;
  for (let level: unknown[] = [value]; level.length > 0; depth += 1)
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  return depth;
}

describe('a diff', () => {
  const drawn = (text: string): unknown => {
    const drawing = buildDrawing({ text, language: 'diff' });
    return drawing.form === 'diff' ? drawing.lines : null;
  };

  it('marks the changed words of lines that replace others', () => {
    expect(drawn(' x\n-const a = 1;\n+const a = 2;\n@@\n y')).toEqual([
      [' ', ['x']],
      ['-', ['const a = ', ['removed', '1'], ';']],
      ['+', ['const a = ', ['added', '2'], ';']],
      ['@', ['@@']],
      [' ', ['y']],
    ]);
  });

  it('marks none where little is the same, and none in a long change', () => {
    expect(drawn('-alpha\n+beta\n')).toEqual([
      ['-', ['alpha']],
      ['+', ['beta']],
      [' ', []],
    ]);
    const long = `-${'word '.repeat(2000)}\n+${'word '.repeat(1999)}`;
    expect(JSON.stringify(drawn(long))).not.toContain('removed');
  });

  it('loses no line and no character', () => {
    const lines = fc.array(fc.constantFrom('-a b', '+a c', ' d', '@@', '', '-', '+', '+a\tb'), { maxLength: 12 });
    fc.assert(
      fc.property(lines, (all) => {
        const text = (drawn(all.join('\n')) as readonly [string, readonly TextRun[]][]).map(([sign, line]) => {
          const words = line.map((run) => (typeof run === 'string' ? run : run[1])).join('');
          return sign === '@' || (sign === ' ' && words === '') ? words : sign + words;
        });
        expect(text).toEqual(all.length === 0 ? [''] : all);
      }),
      { numRuns: runs(300) },
    );
  });
});
