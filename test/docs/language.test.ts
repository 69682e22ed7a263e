import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';

const script = path.join(projectFolder, 'scripts/language.mjs');

/** Runs the check on one file of a project, and returns what it reports. */
function check(name: string, text: string): { readonly lines: readonly string[]; readonly exitCode: number } {
  const cwd = mkdtempSync(path.join(tmpdir(), 'ctx-language-'));
  try {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
    const { stderr, exitCode = -1 } = execaSync('node', [script, name], { cwd, reject: false });
    return { lines: stderr.split('\n').filter((line) => line !== ''), exitCode };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const LONG = Array.from({ length: 36 }, (_, at) => `w${at}`).join(' ');

describe('the language check', () => {
  it.each([
    ['docs/a.md', 'Fine.\n\nNobody reads it.', 'docs/a.md:3'],
    ['docs/a.md', '| so many tokens | x |', 'docs/a.md:1'],
    ['docs/a.md', `Short. ${LONG}.`, 'docs/a.md:1  36 words'],
    ['src/a.ts', '/** What a file holds. */', 'src/a.ts:1  a docstring'],
    ['src/a.ts', '\n/**\n * The same for lines.\n */', 'src/a.ts:2  a docstring'],
    ['src/a.ts', "const text = 'mend the file';", 'src/a.ts:1  "mend"'],
    ['test/a.test.ts', "it('mends a line', () => {});", 'test/a.test.ts:1  "mends"'],
  ])('reports in %s: %s', (name, text, expected) => {
    const { lines, exitCode } = check(name, text);
    expect([lines.length, exitCode]).toEqual([1, 1]);
    expect(lines[0]).toContain(expected);
  });

  it.each([
    ['docs/a.md', 'Code is quoted: `nobody`.\n\n```console\n$ echo nobody\n```'],
    ['docs/a.md', `${LONG.slice(0, -4)}. ${LONG.slice(0, -4)}.`],
    ['docs/a.md', '[nobody can count](test/a.test.ts)'],
    ['src/a.ts', '/** Builds what a file holds. */'],
    ['test/a.test.ts', "const text = 'nobody';"],
  ])('accepts in %s: %s', (name, text) => {
    expect(check(name, text)).toEqual({ lines: [], exitCode: 0 });
  });
});
