import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { projectFolder } from './support/files.js';

const source = path.join(projectFolder, 'src');

/** What each layer may import besides itself, `errors` and the layers' own files. Everything not listed stands on top. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  nearest: [],
  session: ['errors', 'nearest', 'node:buffer'],
  context: ['errors', 'session', 'zod/mini', 'node:crypto'],
  facts: ['session', 'context'],
  loss: ['errors', 'session', 'context', 'facts', 'zod/mini'],
  ledger: ['errors', 'session', 'context', 'facts', 'plan', 'zod/mini'],
  prune: ['errors', 'session', 'context', 'facts', 'ledger', 'cache', 'plan', 'picomatch', 'zod/mini', 'node:crypto'],
  injectors: ['session', 'context', 'facts', 'ledger', 'minisearch'],
  compact: ['errors', 'session', 'context', 'plan'],
  processes: ['execa'],
  guest: ['jiti', 'node:child_process', 'node:module', 'node:path', 'node:stream', 'node:url'],
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
  stats: ['errors', 'session', 'context', 'tokenizers', 'zod/mini', 'node:crypto'],
  tokenizers: ['context', 'gpt-tokenizer/encoding/o200k_base', 'gpt-tokenizer/encoding/cl100k_base'],
  diff: ['session', 'context', 'ops', '@jest/diff-sequences', 'diff', 'zod/mini'],
  secrets: ['session', 'node:buffer', '@secretlint/secretlint-rule-preset-recommend'],
  checks: ['errors', 'session', 'context', 'ops', 'format', 'secrets', 'snapshot', 'zod/mini', 'node:crypto'],
  render: ['errors', 'chalk', 'string-width'],
  views: [
    'errors',
    'session',
    'context',
    'cache',
    'ledger',
    'loss',
    'prune',
    'diff',
    'stats',
    'hooks',
    'render',
    'engines',
    'simulation',
  ],
  walk: ['node:fs', 'node:path'],
  threads: ['tinypool', 'node:os'],
  output: ['errors', 'node:fs'],
  'config-files': ['errors', 'jiti', 'node:fs', 'node:path'],
  plan: ['errors', 'session', 'context', 'ops', 'diff', 'zod/mini', 'node:crypto'],
  writing: ['errors', 'session', 'context', 'ops', 'plan', 'proper-lockfile', 'node:crypto', 'node:fs', 'node:path'],
  repair: ['errors', 'session', 'context', 'ops', 'checks'],
  migration: ['errors', 'session', 'context', 'repair'],
  'open-file': ['errors', 'session', 'node:fs'],
  hooks: ['errors', 'session', 'context', 'ops', 'plan', 'diff', 'cache', 'compact', 'guest', 'zod/mini'],
  io: [
    'errors',
    'open-file',
    'config-files',
    'output',
    'pager',
    'processes',
    'guest',
    'session',
    'terminal',
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
  'read-json': ['errors', 'session', 'context', 'io'],
  'scan-together': ['session', 'threads'],
  config: [
    'errors',
    'config-files',
    'nearest',
    'session',
    'checks',
    'injectors',
    'prune',
    'io',
    'read-json',
    'zod/mini',
    'node:path',
  ],
  engines:
    'errors session context ops facts ledger injectors prune compact plan cache summarizers guest zod/mini node:crypto'.split(
      ' ',
    ),
  simulation: ['session', 'context', 'facts', 'cache', 'stats', 'engines', 'zod/mini'],
  open: ['errors', 'session', 'context', 'ops', 'io', 'scan-together'],
  following: ['errors', 'session', 'io', 'open'],
  terminal: ['node:child_process'],
  explore: [
    'errors',
    'session',
    'context',
    'cache',
    'render',
    'views',
    'io',
    'open',
    'following',
    'paging',
    'terminal',
    'ink',
    'react',
    'react/jsx-runtime',
  ],
  jobs: 'errors session checks context engines simulation stats tokenizers views io open scan-together'.split(' '),
  folder: ['errors', 'session', 'checks', 'views', 'io', 'locate', 'walk', 'jobs', 'open', 'node:path'],
  reporters: ['errors', 'checks', 'render', 'views', 'schemas', 'version', 'sarif', 'node:crypto'],
  commands:
    'errors nearest topics injectors engines simulation session context ops facts ledger loss compact prune summarizers plan cache diff stats tokenizers snapshot checks config repair migration reporters writing render views io hooks walk locate open following explore read-json jobs folder report schemas version node:path'.split(
      ' ',
    ),
  // The page's own program is in it too.
  report: ['session', 'context', 'cache', 'loss', 'stats', 'render', 'views', 'uplot', '@jest/diff-sequences'],
  documents: ['zod/mini'],
  schemas: [
    'hooks',
    'cache',
    'ledger',
    'loss',
    'prune',
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
    'engines',
    'simulation',
  ],
  topics: ['errors', 'render'],
  help: ['errors', 'commands', 'nearest', 'topics'],
  program: ['errors', 'commands', 'help', 'render', 'nearest', 'commander'],
  pager: ['node:child_process', 'node:fs', 'node:path'],
  paging: ['io', 'output', 'pager', 'render'],
  'default-flags': ['errors', 'commands', 'nearest', 'program', 'node:path'],
  defaults: ['config-files', 'default-flags', 'io', 'program'],
  print: ['commands', 'hyperlinks', 'io', 'output', 'render'],
  hyperlinks: ['io', 'node:path', 'node:url'],
  main: ['errors', 'io', 'commands', 'defaults', 'jobs', 'paging', 'print', 'program', 'render', 'schemas', 'version'],
  'print-version': ['version'],
  index: 'errors session context format ops diff cache stats loss compact migration checks config jobs open'.split(' '),
  version: ['../package.json'],
};

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !/\.as\.ts$|\.d\.ts$/.test(name),
);

function layerOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.tsx?$/, '');
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
    ['render', ['define', 'index', 'batches', 'doc', 'json-bytes', 'ruler', 'shell-word', 'style', 'visible']],
    [
      'reporters',
      ['define', 'index', 'fingerprint', 'json-values', 'places', 'text-layout', 'totals', 'wrapped', 'xml'],
    ],
    [
      'injectors',
      'define index assembly budget canonical-tools compose moved-values observed own rank snippets variation'.split(
        ' ',
      ),
    ],
    ['commands', ['define', 'index', 'flags', 'common']],
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
