import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';

const folder = path.join(projectFolder, 'fixtures/hooks');
const examples = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const api = path.join(projectFolder, 'src/lab/hooks/api.ts');

/** What the compiler says of a module that imports the types of `pi-ctx/hooks`. */
function complaints(names: readonly string[], sources: Readonly<Record<string, string>> = {}): readonly string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    paths: { 'pi-ctx/hooks': [api] },
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (name) => name in sources || fileExists(name);
  host.readFile = (name) => sources[name] ?? readFile(name);
  host.getSourceFile = (name, language, ...rest) =>
    name in sources ? ts.createSourceFile(name, sources[name]!, language) : getSourceFile(name, language, ...rest);
  const program = ts.createProgram(names, options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('pi-ctx/hooks', () => {
  it('has the types that the examples are written against, and refuses what breaks a rule', () => {
    const wrong = path.join(folder, 'wrong.ts');
    const source = `
      import type { HookAPI } from 'pi-ctx/hooks';
      export default (pi: HookAPI) => pi.on('context', () => ({ patch: [{ op: 'tools_remove', scope: 'cached', toolNames: [] }] }));`;
    const names = examples.map((name) => path.join(folder, name));
    expect(complaints([...names, wrong], { [wrong]: source })).toEqual([
      expect.stringContaining('No overload matches this call'),
    ]);
  });

  it('has no types from elsewhere, so that nothing has to be installed beside it', () => {
    expect(readFileSync(api, 'utf8')).not.toMatch(/^import|from '/m);
  });

  it('can be imported as it is published', async () => {
    const script = `
      import { defineHook } from 'pi-ctx/hooks';
      const hook = () => {};
      console.log(defineHook(hook) === hook);`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', script], { cwd: projectFolder });
    expect(stdout).toBe('true');
    const { exports } = JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8')) as {
      exports: Readonly<Record<string, unknown>>;
    };
    expect(exports['./hooks']).toEqual({ types: './dist/types/hooks.d.ts', default: './dist/hooks.js' });
  });
});
