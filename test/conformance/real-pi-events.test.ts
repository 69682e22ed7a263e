import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { PI_EVENTS } from '#lab/hooks/events.js';
import { PI_MEMBERS } from '#lab/hooks/plugin/pi-object.js';
import { projectFolder } from '../support/files.js';

const CORE = 'test/pi/node_modules/@earendil-works/pi-coding-agent/dist/core';
const TYPES = 'extensions/types.d.ts';

function textOf(file: string): string {
  return readFileSync(path.join(projectFolder, CORE, file), 'utf8');
}

it('the events of Pi are those that its types declare, and "message" of the proposal', () => {
  const declared = [...textOf(TYPES).matchAll(/\bon\(event: "(\w+)"/g)].map(([, name]) => name);
  expect(declared.length).toBeGreaterThan(0);
  expect(new Set([...declared, 'message'])).toEqual(new Set(PI_EVENTS));
});

/** The public members of an interface or a class of Pi. */
function membersOf(file: string, type: string): readonly string[] {
  const { statements } = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.ES2023, true);
  const hidden = new Set([ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.StaticKeyword]);
  const names = statements.flatMap((statement) => {
    if (!ts.isInterfaceDeclaration(statement) && !ts.isClassDeclaration(statement)) return [];
    if (statement.name?.text !== type) return [];
    return statement.members.flatMap((member) => {
      const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
      const isHidden = modifiers.some(({ kind }) => hidden.has(kind));
      return member.name && !isHidden ? [member.name.getText()] : [];
    });
  });
  return [...new Set(names)];
}

it.each([
  ['pi', TYPES, 'ExtensionAPI'],
  ['ctx', TYPES, 'ExtensionContext'],
  ['ctx.ui', TYPES, 'ExtensionUIContext'],
  ['ctx.sessionManager', 'session-manager.d.ts', 'SessionManager'],
  ['ctx.modelRegistry', 'model-registry.d.ts', 'ModelRegistry'],
] as const)('the members of %s are those that the types of Pi declare', (name, file, type) => {
  const declared = membersOf(file, type);
  expect(declared.length).toBeGreaterThan(0);
  expect(new Set(PI_MEMBERS[name])).toEqual(new Set(declared));
});
