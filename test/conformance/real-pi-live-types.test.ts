import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { withRealPi } from '../support/real-pi.js';

/** Compiled beside Pi: its API is passed where the extension expects the part of it that it uses. */
const TEXT = `
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from '@earendil-works/pi-coding-agent';
import type { Pi, PiCommandContext, PiContext } from '../../src/live/pi.js';
export const pi = (real: ExtensionAPI): Pi => real;
export const context = (real: ExtensionContext): PiContext => real;
export const command = (real: ExtensionCommandContext): PiCommandContext => real;
export const wrong = (real: ExtensionContext): PiCommandContext => real;
`;

function wrongLines(): readonly string[] {
  const file = path.join(projectFolder, 'test/pi/live-types.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? TEXT : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, TEXT, ts.ScriptTarget.ES2023, true) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return program.getSemanticDiagnostics(program.getSourceFile(file)).map(({ file: of, start = 0, messageText }) => {
    const line = TEXT.split('\n')[of?.getLineAndCharacterOfPosition(start).line ?? 0] ?? '';
    return `${line.split(' ')[2]}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

withRealPi("the types of Pi's extensions", () => {
  it('have the part that the extension uses', () => {
    expect(wrongLines()).toEqual([expect.stringMatching(/^wrong: /)]);
  });
});
