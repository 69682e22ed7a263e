import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { projectFolder } from './files.js';

/** Compares a generated file with its content. Its name is absolute, or relative to the project. `UPDATE=1` writes it; without, a difference names the command that does. */
export function expectGenerated(named: string, content: string | Uint8Array): void {
  const file = path.resolve(projectFolder, named);
  const name = path.relative(projectFolder, file);
  if (process.env['UPDATE'] === '1') {
    mkdirSync(path.dirname(file), { recursive: true });
    return writeFileSync(file, content);
  }
  if (!existsSync(file)) expect.fail(`${name} is missing: ${remedy()}`);
  const message = `${name} is out of date: ${remedy()}`;
  if (typeof content === 'string') expect(readFileSync(file, 'utf8'), message).toBe(content);
  else expect(readFileSync(file).equals(content), message).toBe(true);
}

/** Compares the part of a page between the comments `<!-- PART … -->` and `<!-- end -->`, like `expectGenerated`. */
export function expectGeneratedPart(name: string, part: string, content: string): void {
  const page = readFileSync(path.join(projectFolder, name), 'utf8');
  const between = new RegExp(`(<!-- ${part}[^>]*-->\n)[^]*?(<!-- end -->)`);
  expect(page).toMatch(between);
  expectGenerated(
    name,
    page.replace(between, (_all, begin: string, end: string) => `${begin}${content}\n${end}`),
  );
}

function remedy(): string {
  const { testPath = '' } = expect.getState();
  const withPi = process.env['CTX_REAL_PI'] === '1' ? ' CTX_REAL_PI=1' : '';
  return `UPDATE=1${withPi} npx vitest run ${path.relative(projectFolder, testPath)} writes it`;
}
