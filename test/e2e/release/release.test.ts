import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa, execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';

const script = path.join(projectFolder, '.ci/release.mjs');
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0 - 2026-01-01\n\n- All.\n';
let work = '';

beforeAll(() => {
  work = mkdtempSync(path.join(tmpdir(), 'ctx-release-'));
});
afterAll(() => rmSync(work, { recursive: true }));

const identity = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b.c',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b.c',
};

function git(folder: string, ...args: readonly string[]): string {
  return execaSync('git', args, { cwd: folder, env: identity }).stdout;
}

/** A small package in a repository of its own. */
function project(changelog = CHANGELOG, owner = 'acme'): string {
  const folder = mkdtempSync(path.join(work, 'project-'));
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  mkdirSync(path.join(folder, 'docs/man'), { recursive: true });
  const repository = { type: 'git', url: `git+https://github.com/${owner}/small.git` };
  const manifest = { name: 'small', version: '0.1.0', files: ['docs'], repository };
  write('package.json', JSON.stringify(manifest));
  write('CHANGELOG.md', changelog);
  write('docs/use.yml', 'run: npx small@0.1.0 # not 10.1.0, see OWNER/small\n');
  write('docs/man/ctx.1', '.TH CTX 1 2026-01-01 "small 0.1.0"\n');
  git(folder, 'init', '--quiet');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message', 'all');
  return folder;
}

async function release(folder: string, ...args: readonly string[]): Promise<{ exitCode?: number; all: string }> {
  return await execa('node', [script, ...args], { cwd: folder, all: true, reject: false });
}

function versions(folder: string): readonly string[] {
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  return [(JSON.parse(read('package.json')) as { version: string }).version, read('docs/use.yml')];
}

describe('the release script', () => {
  it('shows what would be packed, and changes nothing without --write', async () => {
    const folder = project();
    const { all, exitCode } = await release(folder, '0.2.0', '--checks', 'grep 0.2.0 package.json docs/use.yml');
    expect(exitCode).toBe(0);
    expect(all).toMatch(/small-0\.2\.0\.tgz: \d+ kB packed/);
    expect(all).toContain('npm publish ./*.tgz --provenance');
    expect(git(folder, 'status', '--porcelain', '--ignored')).toBe('');
    expect(git(folder, 'tag')).toBe('');
  });

  it('sets the version and the owner in every file, and moves the changelog on', async () => {
    const folder = project();
    await release(folder, '0.2.0', '--checks', 'true', '--write');
    expect(versions(folder)).toEqual(['0.2.0', 'run: npx small@0.2.0 # not 10.1.0, see acme/small\n']);
    const changelog = readFileSync(path.join(folder, 'CHANGELOG.md'), 'utf8');
    expect(changelog).toMatch(
      /## Unreleased\n\n## 0\.2\.0 - \d{4}-\d\d-\d\d\n\n### Added\n\n- A thing\.\n\n## 0\.1\.0/,
    );
    const [, day] = /^## 0\.2\.0 - (.*)$/m.exec(changelog) ?? [];
    expect(readFileSync(path.join(folder, 'docs/man/ctx.1'), 'utf8')).toBe(`.TH CTX 1 ${day} "small 0.2.0"\n`);
    expect(git(folder, 'log', '--oneline').split('\n')).toHaveLength(1);
  });

  it('writes nothing where the checks fail', async () => {
    const folder = project();
    const { all, exitCode } = await release(folder, '0.2.0', '--checks', 'exit 3', '--write');
    expect({ exitCode, versions: versions(folder)[0] }).toEqual({ exitCode: 1, versions: '0.1.0' });
    expect(all).toContain('release: the checks failed: exit 3');
  });

  it('refuses to write a release without an owner, and states it in a dry run', async () => {
    const folder = project(CHANGELOG, 'OWNER');
    const dry = await release(folder, '0.2.0', '--checks', 'true');
    expect(dry.exitCode).toBe(0);
    expect(dry.all).toContain('with --write this is refused: package.json must name the repository, with its owner');
    const { all, exitCode } = await release(folder, '0.2.0', '--checks', 'true', '--write');
    expect({ exitCode, all }).toMatchObject({
      exitCode: 1,
      all: expect.stringContaining('git+https://github.com/OWNER/'),
    });
    expect(versions(folder)[0]).toBe('0.1.0');
  });

  it('releases the version that the changelog has a section for', async () => {
    const changelog = '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-01-01\n\n- All.\n';
    const folder = project(changelog);
    const { exitCode } = await release(folder, '0.2.0', '--checks', 'true', '--write');
    expect({ exitCode, changelog: readFileSync(path.join(folder, 'CHANGELOG.md'), 'utf8') }).toEqual({
      exitCode: 0,
      changelog,
    });
  });

  it.each([
    ['not clean', '0.2.0', (folder: string) => writeFileSync(path.join(folder, 'new'), '')],
    ['there already', '0.2.0', (folder: string) => git(folder, 'tag', 'v0.2.0')],
    ['older than', '0.0.9', () => {}],
    ['usage', '1.2', () => {}],
  ])('refuses: %s', async (said, version, prepare) => {
    const folder = project();
    prepare(folder);
    const { all, exitCode } = await release(folder, version, '--checks', 'false');
    expect(exitCode).toBe(1);
    expect(all).toContain(said);
    expect(all).not.toContain('the checks failed');
  });

  it('refuses a release about which the changelog says nothing', async () => {
    const folder = project('# Changelog\n\n## Unreleased\n\n### Added\n\n## 0.1.0\n\n- All.\n');
    expect((await release(folder, '0.2.0', '--checks', 'false')).all).toContain('nothing under Unreleased');
  });
});
