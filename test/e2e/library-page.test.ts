import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';

const page = readFileSync(path.join(projectFolder, 'docs/reference/library.md'), 'utf8');
const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => [titleOf(code), code] as const);
const library = pathToFileURL(path.join(projectFolder, 'dist/index.js')).href;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-library-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function titleOf(code: string): string {
  return /import \{ (.*) \} from 'pi-ctx'/.exec(code)?.[1] ?? code;
}

it('has an example in each section about functions', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5);
});

/** The examples name no types, so they are JavaScript as they are. `.ci/examples.mjs` compiles them under strict settings. */
it.each(examples)('runs the example with %s', async (_, code) => {
  copyFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), path.join(folder, 'session.jsonl'));
  const file = path.join(folder, 'example.mjs');
  writeFileSync(file, code.replaceAll("from 'pi-ctx'", `from '${library}'`));
  const { stdout, stderr, exitCode } = await execa('node', [file], { cwd: folder, reject: false });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).not.toBe('');
});
