import { readdirSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';

const folder = path.join(projectFolder, 'fixtures/engines');
const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join(folder, name));

describe('pi-ctx/engine', () => {
  it('has the types that the examples are written against', () => {
    const program = ts.createProgram(examples, {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ['node'],
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
      paths: {
        'pi-ctx/engine': [path.join(projectFolder, 'src/engines/api.ts')],
        'pi-ctx/engines': [path.join(projectFolder, 'src/engines/portable/api.ts')],
      },
    });
    const complaints = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(complaints).toEqual([]);
    expect(examples.length).toBeGreaterThan(2);
  });

  it('can be imported as it is published', async () => {
    const script = `
      import { defineEngine, whyNotAnAnswer } from 'pi-ctx/engine';
      const engine = {};
      console.log(defineEngine(engine) === engine, whyNotAnAnswer('assemble', { messages: 1 }), whyNotAnAnswer('ingest', { ingested: true }));`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', script], { cwd: projectFolder });
    expect(stdout).toBe('true messages must be array null');
  });
});

describe('pi-ctx/engines', () => {
  it('can be imported as it is published', async () => {
    const script = `
      import * as engines from 'pi-ctx/engines';
      console.log(Object.values(engines).map((make) => make().info.id).join(' '));`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', script], { cwd: projectFolder });
    expect(stdout.split(' ').toSorted()).toEqual(['none', 'pi', 'recorded', 'three-phase', 'turn-prune']);
  });
});
