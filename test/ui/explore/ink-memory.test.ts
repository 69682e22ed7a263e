import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import * as ink from 'ink';
import { createElement } from 'react';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inkMemory, Recent } from '../../../src/ui/explore/ink/ink-memory.mjs';

const folder = await mkdtemp(path.join(os.tmpdir(), 'ctx-ink-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

let remembering: typeof ink;
beforeAll(async () => {
  const outfile = path.join(folder, 'ink.mjs');
  await build({
    stdin: { contents: `export * from 'ink'; export { createElement } from 'react';`, resolveDir: import.meta.dirname },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    alias: { 'react-devtools-core': 'data:text/javascript,' },
    plugins: [inkMemory()],
  });
  remembering = await import(outfile);
});

const LINES = [
  'plain',
  '\u001b[1mbold\u001b[22m and \u001b[38;5;12mblue\u001b[39m',
  '一二三 wide, é́ combined, 👩‍👩‍👧 one',
  '\u001b[7m─┬▁▂▃ signs\u001b[27m',
  'a line that is longer than its column of thirty cells',
  'two\nlines',
];

function screen({ Box, Text, renderToString }: typeof ink, create: typeof createElement, first: number): string {
  const texts = LINES.map((_, at) => LINES[(first + at) % LINES.length] ?? '');
  const rows = texts.map((text, at) => create(Text, { key: at, wrap: 'truncate' }, text));
  return renderToString(
    create(
      Box,
      null,
      create(Box, { flexDirection: 'column', width: 30 }, rows),
      create(Box, { flexDirection: 'column', width: 12, height: 3, overflow: 'hidden' }, rows),
    ),
    { columns: 60 },
  );
}

it('draws each frame as Ink does, whatever was drawn before', () => {
  const { createElement: create } = remembering as unknown as { createElement: typeof createElement };
  for (const first of [0, 1, 2, 0, 1, 5])
    expect(screen(remembering, create, first)).toBe(screen(ink, createElement, first));
});

it('remembers recent texts, and forgets others', () => {
  const recent = new Recent(10);
  for (let at = 0; at < 1000; at += 1) {
    recent.set(at, `text ${at}`);
    expect(recent.get(0)).toBe('text 0');
  }
  expect(recent.get(999)).toBe('text 999');
  expect(recent.get(500)).toBeUndefined();
  expect(recent.newer.size + recent.older.size).toBeLessThanOrEqual(20);
});
