import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import ts from 'typescript';
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

it('has examples that compile under strict settings', () => {
  const options = { types: ['node'], strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true, noEmit: true };
  const target = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023 };
  const files = examples.map((_, at) => path.join(projectFolder, `test/e2e/library-example-${at}.mts`));
  const host = ts.createCompilerHost(target);
  const textOf = (file: string): string | undefined => examples[files.indexOf(file)]?.[1];
  const asSource = (code: string): string => code.replaceAll("from 'pi-ctx'", "from '../../src/index.js'");
  const program = ts.createProgram(
    files,
    { ...options, ...target, allowImportingTsExtensions: true },
    {
      ...host,
      fileExists: (file) => files.includes(file) || host.fileExists(file),
      getSourceFile(file, version, ...more) {
        const code = textOf(file);
        return code === undefined
          ? host.getSourceFile(file, version, ...more)
          : ts.createSourceFile(file, asSource(code), version);
      },
    },
  );
  const faults = files.flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)));
  expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});

/** The examples name no types, so they are JavaScript as they are. */
it.each(examples)('runs the example with %s', async (_, code) => {
  copyFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), path.join(folder, 'session.jsonl'));
  const file = path.join(folder, 'example.mjs');
  writeFileSync(file, code.replaceAll("from 'pi-ctx'", `from '${library}'`));
  const { stdout, stderr, exitCode } = await execa('node', [file], { cwd: folder, reject: false });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).not.toBe('');
});
