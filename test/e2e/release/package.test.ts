import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectFolder } from '../../support/files.js';

/** Without the vocabularies of tokenizers, which are 1.6 MB. */
const LIMIT = 3_800_000;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

const files = new Set<string>();
let size = 0;
let work = '';

/** As it would be published, but for the types, which only packing itself writes; installed in a folder of its own. */
beforeAll(() => {
  work = mkdtempSync(path.join(tmpdir(), 'ctx-package-'));
  const command = ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', work];
  const [packed] = JSON.parse(execaSync('npm', command, { cwd: projectFolder }).stdout) as [Packed];
  for (const file of packed.files) files.add(file.path);
  size = packed.size;
  const modules = path.join(work, 'node_modules');
  for (const name of ['.bin', 'pi-ctx']) mkdirSync(path.join(modules, name), { recursive: true });
  execaSync('tar', ['-xzf', packed.filename, '--strip-components=1', '-C', 'node_modules/pi-ctx'], { cwd: work });
  const { dependencies } = JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8')) as Manifest;
  for (const name of Object.keys(dependencies))
    symlinkSync(path.join(projectFolder, 'node_modules', name), path.join(modules, name));
  symlinkSync('../pi-ctx/bin/ctx.js', path.join(modules, '.bin/ctx'));
});
afterAll(() => rmSync(work, { recursive: true }));

/** A page of the manual that people wrote. */
const PAGE = /^docs\/(?:use|reference|lab|contributing)\//;

describe('the package', () => {
  it('holds nothing but the program and what it refers to', () => {
    const groups = new Set(
      [...files].map((file) =>
        file
          .split('/')
          .slice(0, PAGE.test(file) ? 3 : 2)
          .join('/'),
      ),
    );
    const known =
      'CHANGELOG.md LICENSE README.md package.json bin/ctx.js bin/package.json dist/THIRD-PARTY-LICENSES.txt dist/sbom.cdx.json dist/cli ' +
      'dist/engine.js dist/engines.js dist/hooks.js dist/index dist/index.js dist/live dist/pi-extension.js dist/types dist/vocabularies docs/contributing/add-an-agent.md docs/use/agents.md ' +
      'docs/use/check.md docs/reference/configuration.md docs/use/guard.md docs/use/live.md docs/man docs/reference/ops.md docs/rules docs/schema docs/use/secrets.md ' +
      'fixtures/agents fixtures/engines fixtures/hooks fixtures/weather.jsonl .claude-plugin/marketplace.json ' +
      'plugin/.claude-plugin plugin/.codex-plugin plugin/.mcp.json plugin/README.md plugin/hooks plugin/skills';
    expect([...groups].filter((group) => !known.split(' ').includes(group))).toEqual([]);
  });

  it('holds what an agent reads about it', () => {
    expect([...files].filter((file) => /^(plugin\/skills|docs\/use\/agents)/.test(file)).toSorted()).toEqual([
      'docs/use/agents.md',
      'plugin/skills/cache-miss/SKILL.md',
      'plugin/skills/compaction-loss/SKILL.md',
      'plugin/skills/context-use/SKILL.md',
      'plugin/skills/ctx/SKILL.md',
      'plugin/skills/find-session/SKILL.md',
      'plugin/skills/slim-session/SKILL.md',
    ]);
  });

  it('holds engines to start from, and none that lie', () => {
    expect(files).toContain('fixtures/engines/last-turns.ts');
    expect([...files].filter((file) => file.includes('liars'))).toEqual([]);
  });

  it('holds every page that the program names', () => {
    const source = path.join(projectFolder, 'src');
    const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readFileSync(path.join(source, name), 'utf8').replaceAll(/^\s*(\/\*\*|\*|\/\/).*$/gm, ''));
    const named = new Set(texts.flatMap((text) => [...text.matchAll(/docs\/[\w/-]+(?:\.(?:md|json))?/g)].map(String)));
    const isThere = (name: string): boolean =>
      files.has(name) || [...files].some((file) => file.startsWith(`${name}/`));
    expect(named).toContain('docs/reference/configuration.md');
    expect([...named].filter((name) => !isThere(name.replace(/\/$/, '')))).toEqual([]);
  });

  it('is small', () => {
    const vocabularies = path.join(projectFolder, 'dist/vocabularies');
    const packed = readdirSync(vocabularies).map(
      (name) => gzipSync(readFileSync(path.join(vocabularies, name))).length,
    );
    expect(size - packed.reduce((sum, one) => sum + one, 0)).toBeLessThan(LIMIT);
  });
});

describe('a newcomer', () => {
  const readme = readFileSync(path.join(projectFolder, 'README.md'), 'utf8');
  const [, part = ''] = /^## Ten questions\n(.*?)^## /ms.exec(readme) ?? [];
  const home = (): string => path.join(work, 'home');

  beforeAll(() => {
    mkdirSync(home());
    cpSync(path.join(work, 'node_modules/pi-ctx/fixtures'), path.join(work, 'fixtures'), { recursive: true });
  });

  /** Runs it as in a terminal of somebody who has nothing but the package. */
  function run(command: string): { readonly exitCode?: number; readonly stderr: string } {
    const env = { PATH: `${path.join(work, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`, HOME: home() };
    return execaSync('bash', ['--norc', '-c', command], { cwd: work, env, extendEnv: false, reject: false });
  }

  it('gets through the README in an empty folder with an empty home, without a warning', () => {
    const commands = [...part.matchAll(/^\$ (.+)$/gm)].map(([, command = '']) => command);
    const failing = commands.flatMap((command) => {
      const { exitCode, stderr } = run(command);
      return exitCode === 0 && stderr === ''
        ? []
        : [`${command.replace(/^.*; /, '')}${stderr} [exit code ${exitCode}]`];
    });
    expect(commands.length).toBeGreaterThan(4);
    expect(failing).toEqual(['ctx check /tmp/ctx-torn.jsonl [exit code 1]']);
    // The index, which holds nothing about files that were written a moment ago, such as these.
    expect(readdirSync(home()).filter((name) => name !== '.cache')).toEqual([]);
  });

  it('gates sessions with the workflow of the manual', () => {
    const [, yaml = ''] =
      /^```yaml\n(.*?)^```$/ms.exec(readFileSync(path.join(projectFolder, 'docs/ci/README.md'), 'utf8')) ?? [];
    const workflow = parse(yaml) as { jobs: { check: { steps: readonly { run?: string }[] } } };
    const [command = ''] = workflow.jobs.check.steps.flatMap((step) => step.run ?? []);
    expect(command).toMatch(/^npx --yes pi-ctx check /);
    const ctx = command.replace('npx --yes pi-ctx', 'ctx');
    mkdirSync(path.join(work, 'sessions'));
    cpSync(path.join(work, 'fixtures/weather.jsonl'), path.join(work, 'sessions/weather.jsonl'));
    expect(run(ctx).exitCode).toBe(0);
    expect(run(`head -c 20000 fixtures/weather.jsonl > sessions/torn.jsonl; ${ctx}`).exitCode).toBe(1);
  });
});
