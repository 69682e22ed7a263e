import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { READING } from './every-command.js';
import { fixtureText } from './hostile-session.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
const traps = path.join(projectFolder, 'test/security/traps.cjs');
const program = path.join(projectFolder, 'test/security/run-all.cjs');

/** What a command line did. */
interface Run {
  readonly argv: readonly string[];
  readonly exitCode: number;
  /** Calls for the network, or for another program. */
  readonly asked: readonly string[];
}

let folder = '';
let here = '';
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'ctx-security-'));
  here = path.join(folder, 'work');
  for (const name of ['work', 'home', 'home/.cache', 'tmp']) fs.mkdirSync(path.join(folder, name));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** What would be asked is known, so that nothing is left undone for the want of a key. */
const KEYS = { ANTHROPIC_API_KEY: 'key', OPENAI_API_KEY: 'key', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };

/** The commands that read all of a configuration. */
const BY_CONFIG = ['status', 'prune', 'check', 'doctor', 'simulate', 'engine'];

const ENGINES = [
  ['simulate', 's.jsonl', '--engine', 'three-phase', '--limit', '9000'],
  ['engine', 'check', 'three-phase', 's.jsonl', '--limit', '9000'],
];

/** A text that shells, templates and loaders would run. */
const COMMANDS = (canary: string): string =>
  `$(touch ${canary}) \`touch ${canary}\` ; touch ${canary} | touch ${canary} && touch ${canary} \${require('fs').writeFileSync('${canary}','')} <script>1</script> {{7*7}}`;

const RUNS: readonly (readonly string[])[] = [
  ['--help'],
  ['help', 'revisions'],
  ['--version'],
  ...Object.entries(READING).flatMap(([command, runs]) =>
    (runs.length === 0 ? [['--help']] : runs.map((flags) => ['s.jsonl', ...flags])).map((words) => [
      ...command.split(' '),
      ...words,
    ]),
  ),
  ['ls', '.'],
  ['stats', '.'],
  ['check', '.'],
  ['completion', 'bash'],
  ['completion', 'zsh', '--', 'show', 's.jsonl', '--at', ''],
  ['completion', 'bash', '--', 'ctx show s.jsonl --at $(touch canary) '],
  ['show', 'no such session'],
  ['no-such-command'],
];

/** Runs command lines with nothing but the folder, an empty home and an empty folder for temporary files. */
function runAll(
  commandLines: readonly (readonly string[])[],
  env: Readonly<Record<string, string>> = {},
): readonly Run[] {
  const answer = path.join(folder, 'answer.json');
  const { status, stderr } = spawnSync(process.execPath, [program, binary, JSON.stringify(commandLines), answer], {
    cwd: here,
    env: {
      HOME: path.join(folder, 'home'),
      TMPDIR: path.join(folder, 'tmp'),
      PATH: process.env['PATH'],
      NODE_OPTIONS: `--require ${traps}`,
      ...env,
    },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(stderr.slice(-2000));
  const runs = JSON.parse(fs.readFileSync(answer, 'utf8')) as readonly Run[];
  fs.rmSync(answer);
  return runs;
}

/** The folder of the index, which is the one place where commands that read may write. */
const INDEX = 'home/.cache';

/** Names, contents and times of all that there is, without the index. */
function everything(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith(INDEX))
      .toSorted()
      .map((name) => {
        const stat = fs.lstatSync(path.join(folder, name));
        const hash = stat.isFile()
          ? createHash('sha256')
              .update(fs.readFileSync(path.join(folder, name)))
              .digest('hex')
          : '';
        return [name, `${stat.mode} ${stat.mtimeMs} ${hash}`];
      }),
  );
}

const canary = (): string => path.join(folder, 'canary');

beforeAll(() => {
  const hostile = JSON.stringify(`isoDate ${COMMANDS(canary())}`).slice(1, -1);
  const text = fixtureText('weather.jsonl').replaceAll('isoDate', hostile);
  // The index has no results about files that were written a moment ago.
  const before = new Date(Date.now() - 60_000);
  for (const name of ['s.jsonl', 'a.jsonl', 'b.jsonl']) {
    fs.writeFileSync(path.join(here, name), text);
    fs.utimesSync(path.join(here, name), before, before);
  }
});

describe('commands that only read', () => {
  let before: ReturnType<typeof everything> = {};
  let runs: readonly Run[] = [];

  beforeAll(() => {
    before = everything();
    runs = runAll(RUNS, KEYS);
  });

  it('have all been run', () => {
    expect(runs.map(({ argv }) => argv)).toEqual(RUNS);
    expect(runs.filter(({ exitCode }) => exitCode > 4)).toEqual([]);
    expect(runs.filter(({ exitCode }) => exitCode <= 1).length).toBeGreaterThan(RUNS.length / 2);
  });

  it('ask for no network, and start no program', () => {
    expect(runs.filter(({ asked }) => asked.length > 0)).toEqual([]);
  });

  it('write nothing but the index, wherever it is, and touch no file', () => {
    expect(everything()).toEqual(before);
    const index = path.join(folder, INDEX, 'ctx');
    const modes = fs.readdirSync(index).map((name) => (fs.statSync(path.join(index, name)).mode & 0o777).toString(8));
    expect(new Set(modes)).toEqual(new Set(['600']));
  });

  it('write nothing at all without an index', () => {
    fs.rmSync(path.join(folder, INDEX, 'ctx'), { recursive: true });
    runAll(
      [
        ['ls', '.'],
        ['stats', '.'],
        ['check', '.'],
      ],
      { CTX_INDEX_DIR: '' },
    );
    expect(fs.readdirSync(path.join(folder, INDEX))).toEqual([]);
  });

  it('run nothing of what a session says', () => {
    expect(fs.existsSync(canary())).toBe(false);
    expect(fs.existsSync(path.join(here, 'canary'))).toBe(false);
  });
});

const COMPACT = ['compact', 's.jsonl', '--dry-run', '--keep-recent', '100'];
const ASKING: readonly (readonly [what: string, argv: readonly string[], call: string])[] = [
  ['the network, for a model', [...COMPACT, '--summarizer', 'model', '--model', 'claude-x'], 'globalThis.fetch'],
  ['a program, for a summary', [...COMPACT, '--summarizer', 'command', '--summarizer-command', 'cat'], 'spawn'],
  ['a hook', ['hooks', 's.jsonl', '--hook', path.join(projectFolder, 'fixtures/hooks/marker.ts')], 'fork'],
  ['an engine', ['engine', 'check', path.join(projectFolder, 'fixtures/engines/last-turns.ts'), 's.jsonl'], 'fork'],
];

it('who asks for the network or for a program gets it', () => {
  const runs = runAll(
    ASKING.map(([, argv]) => argv),
    KEYS,
  );
  expect(runs.map(({ asked }, at) => [ASKING[at]?.[0], asked.at(-1)])).toEqual(
    ASKING.map(([what, , call]) => [what, expect.stringContaining(call)]),
  );
});

it('a configuration that is a program runs for the commands that use it, and not with --no-config', () => {
  const file = path.join(here, 'ctx.config.ts');
  fs.writeFileSync(file, 'globalThis.isRunning();\nexport default {};\n');
  spawnSync(process.execPath, [binary, 'trust', '--yes', file], {
    cwd: here,
    env: { HOME: path.join(folder, 'home') },
  });
  const once = RUNS.filter(([name], at) => RUNS.findIndex(([first]) => first === name) === at);
  const without = [...once.filter(([name]) => BY_CONFIG.includes(name ?? '')), ...ENGINES];
  const runs = runAll([...once, ...ENGINES, ...without.map((argv) => [...argv, '--no-config'])]);
  fs.rmSync(file);
  const names = runs.flatMap(({ argv, asked }) =>
    asked.length > 0 && !argv.includes('--no-config') ? argv.slice(0, 1) : [],
  );
  expect([...new Set(names)]).toEqual(BY_CONFIG);
  expect(runs.filter(({ argv, asked }) => asked.length > 0 && argv.includes('--no-config'))).toEqual([]);
});
