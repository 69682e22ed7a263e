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
  facts: ['session', 'context'],
  loss: ['errors', 'session', 'context', 'facts', 'zod/mini'],
  compact: ['errors', 'session', 'context', 'plan'],
  processes: ['execa'],
  summarizers: [
    'errors',
    'session',
    'context',
    'facts',
    'compact',
    'processes',
    'ai',
    '@ai-sdk/anthropic',
    '@ai-sdk/openai-compatible',
  ],
  ops: ['errors', 'session', 'context', 'zod/mini'],
  format: ['session', 'ops', 'zod/mini'],
  snapshot: ['session', 'context', 'diff', 'zod/mini', 'node:crypto'],
  cache: ['errors', 'session', 'context', 'zod/mini'],
  stats: ['errors', 'session', 'context', 'zod/mini', 'node:crypto'],
  tokenizers: ['context', 'gpt-tokenizer/encoding/o200k_base', 'gpt-tokenizer/encoding/cl100k_base'],
  diff: ['session', 'context', 'ops', '@jest/diff-sequences', 'diff', 'zod/mini'],
  secrets: ['session', 'node:buffer', '@secretlint/secretlint-rule-preset-recommend'],
  checks: ['errors', 'session', 'context', 'ops', 'format', 'secrets', 'snapshot', 'zod/mini', 'node:crypto'],
  render: ['errors', 'chalk', 'string-width'],
  views: ['errors', 'session', 'context', 'cache', 'loss', 'diff', 'stats', 'render'],
  walk: ['node:fs', 'node:path'],
  threads: ['tinypool', 'node:os'],
  output: ['errors', 'node:fs'],
  'config-files': ['errors', 'jiti', 'node:fs', 'node:path'],
  plan: ['errors', 'session', 'context', 'ops', 'diff', 'zod/mini', 'node:crypto'],
  writing: ['errors', 'session', 'context', 'ops', 'plan', 'proper-lockfile', 'node:crypto', 'node:fs', 'node:path'],
  repair: ['errors', 'session', 'context', 'ops', 'checks'],
  migration: ['errors', 'session', 'context', 'repair'],
  'open-file': ['errors', 'session', 'node:fs'],
  io: [
    'errors',
    'open-file',
    'config-files',
    'output',
    'processes',
    'session',
    'threads',
    'walk',
    'glob',
    'writing',
    'node:fs',
    'node:os',
    'node:path',
  ],
  glob: ['tinyglobby'],
  locate: ['errors', 'io', 'node:path'],
  'read-json': ['errors', 'context', 'io'],
  'scan-together': ['session', 'threads'],
  config: ['errors', 'session', 'checks', 'io', 'read-json', 'zod/mini', 'node:path'],
  open: ['errors', 'session', 'context', 'ops', 'io', 'scan-together'],
  following: ['errors', 'session', 'io', 'open'],
  jobs: ['errors', 'session', 'checks', 'context', 'stats', 'tokenizers', 'views', 'io', 'open', 'scan-together'],
  folder: ['errors', 'session', 'checks', 'views', 'io', 'locate', 'walk', 'jobs', 'open', 'node:path'],
  reporters: ['errors', 'checks', 'render', 'views', 'schemas', 'version', 'sarif', 'node:crypto'],
  commands:
    'errors session context ops facts loss compact summarizers plan cache diff stats tokenizers snapshot checks config repair migration reporters writing render views io walk locate open following read-json jobs folder schemas node:path'.split(
      ' ',
    ),
  documents: ['zod/mini'],
  schemas: [
    'cache',
    'loss',
    'stats',
    'plan',
    'documents',
    'context',
    'checks',
    'config',
    'ops',
    'diff',
    'snapshot',
    'format',
    'zod/mini',
  ],
  program: ['errors', 'commands', 'render', 'commander'],
  print: ['commands', 'io', 'output', 'render'],
  main: ['errors', 'io', 'commands', 'jobs', 'print', 'program', 'render', 'schemas', 'version'],
  'print-version': ['version'],
  index: ['diff', 'checks', 'errors', 'session', 'context', 'config', 'format', 'ops', 'open'],
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
    [
      'reporters',
      ['define', 'index', 'fingerprint', 'json-values', 'places', 'text-layout', 'totals', 'wrapped', 'xml'],
    ],
    ['commands', ['define', 'index', 'flags']],
    ['summarizers', ['define', 'index', 'file-lists', 'prompts', 'prompts-of-pi', 'words']],
    ['tokenizers', ['define', 'index', 'short-runs']],
  ])('%s lists every part in its index', (shelf, others) => {
    const parts = files.filter((file) => layerOf(file) === shelf).map((file) => path.basename(file, '.ts'));
    const index = readFileSync(path.join(source, shelf, 'index.ts'), 'utf8');
    const isListed = (part: string): boolean => index.includes(`'./${part}.js'`);
    // `grep-search` is a piece of `grep`.
    const isPiece = (part: string): boolean => part.includes('-') && isListed(part.slice(0, part.indexOf('-')));
    expect(parts.filter((part) => !others.includes(part) && !isListed(part) && !isPiece(part))).toEqual([]);
  });
});
