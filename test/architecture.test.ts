import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { projectFolder } from './support/files.js';
import { LAYERS } from './support/layers.js';

const source = path.join(projectFolder, 'src');

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
    ['render', 'define index batches doc prose ruler shell-word style visible wrapped'.split(' ')],
    ['reporters', ['define', 'index', 'fingerprint', 'json-values', 'places', 'text-layout', 'totals', 'xml']],
    [
      'injectors',
      'define index assembly budget canonical-tools compose moved-values observed own rank snippets variation'.split(
        ' ',
      ),
    ],
    ['commands', ['define', 'index', 'flags', 'common', 'new-session', 'window']],
    [
      'exports',
      'define index chat-messages chat-providers model-facts payload recipient responses-items short-hash strict-schema transcript transformed'.split(
        ' ',
      ),
    ],
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
