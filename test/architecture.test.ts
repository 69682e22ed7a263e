import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { projectFolder } from './support/files.js';

const source = path.join(projectFolder, 'src');

/** What each layer may import besides itself, `errors` and the layers' own files. Everything not listed stands on top. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  session: ['errors', 'node:buffer'],
  context: ['errors', 'session', 'zod/mini', 'node:crypto'],
  ops: ['errors', 'session', 'context', 'zod/mini'],
  render: ['errors', 'chalk', 'string-width'],
  views: ['errors', 'session', 'context', 'render'],
  walk: ['node:fs', 'node:path'],
  threads: ['tinypool', 'node:os'],
  output: ['errors', 'node:fs'],
  io: ['errors', 'output', 'session', 'threads', 'walk', 'node:fs', 'node:os', 'node:path'],
  locate: ['errors', 'io', 'node:path'],
  'read-json': ['errors', 'context', 'io'],
  'scan-together': ['session', 'threads'],
  open: ['errors', 'session', 'context', 'ops', 'io', 'scan-together'],
  following: ['errors', 'session', 'io', 'open'],
  jobs: ['errors', 'session', 'context', 'views', 'io', 'open', 'scan-together'],
  folder: ['errors', 'session', 'views', 'io', 'locate', 'walk', 'jobs', 'node:path'],
  commands:
    'errors session context render views io walk locate open following read-json jobs folder schemas node:path'.split(
      ' ',
    ),
  schemas: ['context', 'ops', 'zod/mini'],
  program: ['errors', 'commands', 'render', 'commander'],
  print: ['commands', 'io', 'output', 'render'],
  main: ['errors', 'io', 'commands', 'jobs', 'print', 'program', 'render', 'schemas', 'version'],
  'print-version': ['version'],
  index: ['errors', 'session', 'context', 'ops', 'open'],
  version: ['../package.json'],
};

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !/\.as\.ts$|\.d\.ts$/.test(name),
);

function layerOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.ts$/, '');
}

/** The layers and packages that a file imports, lazily or only for their types included. */
function importsOf(file: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(path.join(source, file), 'utf8'));
  return importedFiles.map(({ fileName }) => {
    if (!fileName.startsWith('.')) return fileName;
    const target = path.join(path.dirname(file), fileName);
    return target.startsWith('..') ? target : layerOf(target.replace(/\.js$/, '.ts'));
  });
}

describe('the layers', () => {
  it('are all listed', () => {
    expect([...new Set(files.map(layerOf))].toSorted()).toEqual(Object.keys(LAYERS).toSorted());
  });

  it.each(files)('hold for src/%s', (file) => {
    const layer = layerOf(file);
    const allowed = new Set([layer, ...(LAYERS[layer] ?? [])]);
    expect(importsOf(file).filter((name) => !allowed.has(name))).toEqual([]);
  });
});

describe('a shelf', () => {
  it.each([
    ['ops', ['define', 'index', 'read-patch']],
    ['render', ['define', 'index', 'batches', 'doc', 'json-bytes', 'ruler', 'style', 'visible']],
    ['commands', ['define', 'index', 'flags', 'grep-reports', 'grep-search', 'log-follow', 'log-reports']],
  ])('%s lists every part in its index', (shelf, others) => {
    const parts = files.filter((file) => layerOf(file) === shelf).map((file) => path.basename(file, '.ts'));
    const index = readFileSync(path.join(source, shelf, 'index.ts'), 'utf8');
    const unlisted = parts.filter((part) => !others.includes(part) && !index.includes(`'./${part}.js'`));
    expect(unlisted).toEqual([]);
  });
});
