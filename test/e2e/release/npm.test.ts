import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';

interface Manifest {
  readonly version: string;
  readonly homepage: string;
  readonly bugs: { readonly url: string };
  readonly repository: { readonly url: string };
  readonly scripts?: unknown;
}

const script = path.join(projectFolder, 'scripts/package.mjs');
const FILES = ['package.json', 'README.md'];
let work = '';

beforeAll(() => {
  work = mkdtempSync(path.join(tmpdir(), 'ctx-npm-'));
  for (const file of FILES) cpSync(path.join(projectFolder, file), path.join(work, file));
});
afterAll(() => rmSync(work, { recursive: true }));

function read(name: string, folder = work): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

function run(action: string): void {
  execaSync('node', [script, action], { cwd: work });
}

const manifest = JSON.parse(read('package.json', projectFolder)) as Manifest;
const page = manifest.repository.url.slice('git+'.length, -'.git'.length);

it('package.json names one owner', () => {
  expect(manifest).toMatchObject({ homepage: `${page}#readme`, bugs: { url: `${page}/issues` } });
});

describe('while npm packs', () => {
  beforeAll(() => run('--pack'));

  it('package.json has no scripts, and nothing that only a clone needs', () => {
    const packed = JSON.parse(read('package.json')) as Manifest;
    expect(Object.keys(manifest).filter((key) => !(key in packed))).toEqual(
      expect.arrayContaining(['scripts', 'devDependencies', 'imports']),
    );
    expect(packed).toMatchObject({ name: 'pi-ctx', exports: {}, dependencies: {} });
  });

  it('every link of README leads to a file of the repository, or to another site', () => {
    const links = [...read('README.md').matchAll(/(?:\]\(|src(?:set)?=")([^)"\s]+)/g)].map(([, link = '']) => link);
    const raw = page.replace('github.com', 'raw.githubusercontent.com');
    const bases = [`${page}/blob/v${manifest.version}/`, `${raw}/v${manifest.version}/`];
    const files = links.flatMap((link) => {
      const base = bases.find((one) => link.startsWith(one));
      return base === undefined ? [] : [link.slice(base.length).replace(/#.*$/, '')];
    });
    expect(files.length).toBeGreaterThan(15);
    expect(files.filter((file) => !existsSync(path.join(projectFolder, file)))).toEqual([]);
    expect(links.filter((link) => !/^https:|^#/.test(link))).toEqual([]);
  });

  it('a second attempt begins with the files of the repository', () => {
    run('--pack');
    run('--restore');
    expect(FILES.map((file) => read(file))).toEqual(FILES.map((file) => read(file, projectFolder)));
    expect(existsSync(path.join(work, '.packing'))).toBe(false);
  });
});
