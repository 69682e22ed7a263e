import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { projectFolder } from './support/files.js';
import { ROOMS } from './support/rooms.js';

/** The packages that each room may import. */
const PACKAGES: Readonly<Record<string, string>> = {
  base: '../../package.json node:path leven zod/mini',
  session:
    'escape-string-regexp node:buffer node:crypto node:fs node:os node:path node:v8 node:worker_threads zod/mini',
  platform:
    'node:child_process node:crypto node:fs node:module node:os node:path node:readline node:stream node:url node:zlib @duckdb/node-api execa jiti node-sqlite3-wasm proper-lockfile supports-hyperlinks tinyglobby tinypool which',
  context: 'node:crypto gpt-tokenizer zod/mini',
  analysis:
    'node:buffer node:crypto node:util node:vm @jest/diff-sequences diff escape-string-regexp lowlight marked zod/mini',
  change: 'node:buffer node:crypto @ai-sdk/anthropic @ai-sdk/openai-compatible ai picomatch zod/mini',
  lab: 'node:child_process node:crypto node:fs node:module node:path node:stream node:url jiti minisearch zod/mini',
  ui: 'node:path node:url @jest/diff-sequences chalk escape-string-regexp fast-wrap-ansi ink minisearch preact react string-width uplot zod/mini',
  live: 'node:fs node:os node:path zod/mini',
  cli: 'node:buffer node:crypto node:path node:url node:v8 node:zlib @modelcontextprotocol/server commander hyparquet-writer sarif zod/mini',
};

/** Imports that a room may not have, each as `file imports name`; those for types and those on demand count too. */
function violationsOf(file: string, text: string): readonly string[] {
  const [room = ''] = file.split('/');
  const isAllowed = (name: string): boolean => {
    const inSource = inRooms(file, name);
    if (inSource === null) return packagesOf(room).some((one) => name === one || name.startsWith(`${one}/`));
    return ROOMS.includes(inSource) && ROOMS.indexOf(inSource) <= ROOMS.indexOf(room);
  };
  const names = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName);
  return names.filter((name) => !isAllowed(name)).map((name) => `${file} imports ${name}`);
}

const packagesOf = (room: string): readonly string[] => (PACKAGES[room] ?? '').split(' ');

/** The room that holds an imported file; null for a package, and for the project's own package.json. */
function inRooms(file: string, name: string): string | null {
  if (name.startsWith('#')) return name.slice(1).split('/')[0] ?? '';
  if (!name.startsWith('.') || name.endsWith('/package.json')) return null;
  return path.posix.join(path.posix.dirname(file), name).split('/')[0] ?? '';
}

/** The files and folders at the root; hidden ones are configuration of tools. */
const ROOT =
  'CHANGELOG.md CONTRIBUTING.md Dockerfile LICENSE README.md SECURITY.md action.yml bin build.mjs docs fixtures package-lock.json package.json plugin scripts skills src stryker.config.mjs test tsconfig.json tsconfig.types.json vitest.config.ts'.split(
    ' ',
  );

const source = path.join(projectFolder, 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.includes('/') && /\.tsx?$/.test(name) && !/\.as\.ts$|\.d\.ts$/.test(name),
);

it('the root holds what an npm project has there, and nothing that a command left', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: projectFolder, encoding: 'utf8' }).split('\n');
  const names = new Set(tracked.map((name) => name.split('/')[0] ?? '').filter((name) => !name.startsWith('.')));
  expect([...names].filter((name) => !ROOT.includes(name) && name !== '')).toEqual([]);
});

describe('the rooms', () => {
  it('are all that src holds, beside the program, the extension and the library', () => {
    expect(readdirSync(source).toSorted()).toEqual(
      [...ROOMS, 'index.ts', 'inside-agent.ts', 'main.ts', 'pi-extension.ts'].toSorted(),
    );
  });

  it('import only the rooms before them, and their own packages', () => {
    const all = files.flatMap((file) => violationsOf(file, readFileSync(path.join(source, file), 'utf8')));
    expect(all).toEqual([]);
  });

  it('live imports of ui only documents and their parts', () => {
    const imports = files
      .filter((file) => file.startsWith('live/'))
      .flatMap((file) => ts.preProcessFile(readFileSync(path.join(source, file), 'utf8')).importedFiles);
    const ofUi = imports.map(({ fileName }) => fileName).filter((name) => name.startsWith('#ui/'));
    expect(ofUi.filter((name) => !/^#ui\/(?:doc|parts)\//.test(name))).toEqual([]);
  });

  it.each([
    ["import { a } from '#cli/a.js';", 'a later room'],
    ["import type { A } from '../ui/a.js';", 'a type of a later room'],
    ["const a = await import('#lab/a.js');", 'a later room, on demand'],
    ["import fs from 'node:fs';", 'a package of another room'],
    ["import { a } from '../../test/a.js';", 'a file outside of src'],
  ])('may not have %s (%s)', (text) => {
    expect(violationsOf('context/a.ts', text)).toHaveLength(1);
  });

  it.each([
    "import { a } from '#session/a.js';",
    "import { a } from './replay/a.js';",
    "import * as z from 'zod/mini';",
  ])('may have %s', (text) => {
    expect(violationsOf('context/a.ts', text)).toEqual([]);
  });

  it.each(ROOMS)('%s says in at most ten lines what it is', (room) => {
    const lines = readFileSync(path.join(source, room, 'README.md'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(10);
  });
});

/** Folders of tests that have no source: the cases that each agent has to pass. */
const WITHOUT_SOURCE: ReadonlySet<string> = new Set(['session/agents/kit']);

/** The files that are in a circle of imports, or between two circles. Imports on demand do not count. */
function listCircular(texts: ReadonlyMap<string, string>): readonly string[] {
  const rest = new Map([...texts].map(([file, text]) => [file, listStaticImports(file, text)] as const));
  const isImported = (file: string): boolean => [...rest.values()].some((imports) => imports.includes(file));
  for (let size = -1; size !== rest.size;) {
    size = rest.size;
    for (const [file, imports] of rest) if (!imports.some((one) => rest.has(one))) rest.delete(file);
  }
  return [...rest.keys()].filter(isImported).toSorted();
}

function listStaticImports(file: string, text: string): readonly string[] {
  const names = [...text.matchAll(/^(?:import|export)\b[^;'"]*?\bfrom '([#.][^']+)'/gm)].map(([, name = '']) => name);
  return names.flatMap((name) => {
    const target = name.startsWith('#') ? name.slice(1) : path.posix.join(path.posix.dirname(file), name);
    return [target.replace(/\.js$/, '.ts'), target.replace(/\.js$/, '.tsx')];
  });
}

describe('imports', () => {
  it('have no circles, not of types either', () => {
    const texts = new Map(files.map((name) => [name, readFileSync(path.join(source, name), 'utf8')]));
    expect(listCircular(texts)).toEqual([]);
  });

  it('that go in a circle are found, also of types', () => {
    const texts = new Map([
      ['base/a.ts', "import type { B } from './b.js';"],
      ['base/b.ts', "import {\n  a,\n} from './a.js';"],
      ['base/c.ts', "import { a } from '#base/a.js';"],
    ]);
    expect(listCircular(texts)).toEqual(['base/a.ts', 'base/b.ts']);
  });
});

it('the tests of a room are in the folders of its source', () => {
  const tests = path.join(projectFolder, 'test');
  const folders = readdirSync(tests, { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.test.ts') && ROOMS.includes(name.split('/')[0] ?? '') ? [path.dirname(name)] : [],
  );
  const lost = [...new Set(folders)].filter((folder) => !existsSync(path.join(source, folder)));
  expect(lost.filter((folder) => !WITHOUT_SOURCE.has(folder))).toEqual([]);
});

/** The beginning of a line that names a test, or a row of a table of tests, by what only the line above explains. */
const LEANING = /^\s*(?:\[|it[.\w]*\(|describe[.\w]*\(|.*\)\()?['"`](?:and|but|nor|or|one that) [a-z%].*/gm;

it('the name of a test says without the line above what is tested', () => {
  const tests = path.join(projectFolder, 'test');
  const names = readdirSync(tests, { recursive: true, encoding: 'utf8' });
  const found = names.flatMap((name) =>
    name.endsWith('.test.ts') ? (readFileSync(path.join(tests, name), 'utf8').match(LEANING) ?? []) : [],
  );
  expect(found).toEqual([]);
});
