import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appears } from '../support/appears.js';
import { call, ClaudeCodeLog, textBlock } from '../support/claude-code.js';
import { projectFolder } from '../support/files.js';
import { Random } from '../support/random.js';
import { runs } from '../support/runs.js';

const home = fs.mkdtempSync(path.join(tmpdir(), 'ctx-copies-killed-'));
afterAll(() => fs.rmSync(home, { recursive: true }));

const project = path.join(home, '.claude/projects/-work-app');
const elsewhere = path.join(home, 'elsewhere');
const NAME = '258c7280-ae70-4798-800f-63464d01a85d';
const FILE = path.join(project, `${NAME}.jsonl`);
/** Each takes as long as a start of the program. */
const KILLS = runs(200, 6);

/** Turns with results so long that a write takes a while, and a compaction between them. */
function talk(): string {
  const log = new ClaudeCodeLog();
  for (const turn of [1, 2, 3, 4]) {
    log.user(`What is in it? (${turn})`);
    log.answer(`msg_${turn}a`, call(`t${turn}`));
    log.result(`t${turn}`, 'a line\n'.repeat(20_000));
    log.answer(`msg_${turn}b`, textBlock('Lines.'));
    if (turn !== 2) continue;
    log.boundary();
    log.summary('They asked for files.');
  }
  return log.text;
}

function write(file: string, content: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

beforeAll(() => {
  write(FILE, talk());
  write(path.join(home, 's.md'), 'They asked for the files.');
  fs.mkdirSync(elsewhere);
  const subagent = new ClaudeCodeLog('7');
  subagent.user('A task', { isSidechain: true, agentId: 'a1' }, null);
  for (const at of [1, 2, 3, 4, 5, 6]) {
    write(path.join(project, NAME, `subagents/agent-a${at}.jsonl`), subagent.text.repeat(300));
    write(path.join(project, NAME, `tool-results/toolu_${at}.txt`), 'result\n'.repeat(20_000));
  }
});

const COMMANDS = [
  ['prune', FILE, '--strategy', 'dedupe'],
  ['compact', FILE, '--summary', path.join(home, 's.md'), '--keep-recent', '10'],
  ['revert', FILE, '@{compaction}'],
] as const;

const WAYS = COMMANDS.flatMap((words) => [
  [...words, '--install'],
  [...words, '-o', path.join(elsewhere, 'copy.jsonl')],
]);

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

function start(words: readonly string[]): Running {
  const child = spawn(process.execPath, [path.join(projectFolder, 'bin/ctx.js'), ...words], {
    env: { PATH: process.env['PATH'], HOME: home, CTX_INDEX_DIR: '' },
    stdio: 'ignore',
  });
  return { child, ended: new Promise((resolve) => void child.on('close', resolve)) };
}

/** The files of a folder and their sizes, without those that are not finished. */
function sizesIn(folder: string): Readonly<Record<string, number>> {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.map((name) => [name, fs.statSync(path.join(folder, name))] as const);
  const whole = files.filter(([name, stat]) => stat.isFile() && !path.basename(name).startsWith('.'));
  return Object.fromEntries(whole.map(([name, { size }]) => [name, size]));
}

/** The copies in a folder, each with the sizes of all of its files, under names without its id. */
function copiesIn(folder: string): readonly Readonly<Record<string, number>>[] {
  const sizes = Object.entries(sizesIn(folder));
  const sessions = sizes.flatMap(([name]) => /^([^/]+)\.jsonl$/.exec(name)?.[1] ?? []).filter((id) => id !== NAME);
  return sessions.map((id) => {
    const own = sizes.filter(([name]) => name.startsWith(id));
    return Object.fromEntries(own.map(([name, size]) => [name.slice(id.length), size]));
  });
}

function removeCopies(): void {
  for (const folder of [project, elsewhere])
    for (const name of fs.readdirSync(folder))
      if (!name.startsWith(NAME)) fs.rmSync(path.join(folder, name), { recursive: true });
}

/** Whether a copy has begun to be written. */
const hasBegun = (): boolean => fs.readdirSync(project).length > 2 || fs.readdirSync(elsewhere).length > 0;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

it(`${KILLS} killed processes leave whole copies or none, and the original as it is`, async () => {
  const random = new Random(6);
  const seen = { none: 0, whole: 0 };
  const original = fs.readFileSync(FILE);
  const beside = sizesIn(path.join(project, NAME));
  for (const [at, words] of WAYS.entries()) {
    const folder = words.includes('--install') ? project : elsewhere;
    const first = start(words);
    await appears(folder, hasBegun, first.ended);
    const begun = performance.now();
    await first.ended;
    const writing = performance.now() - begun;
    const [whole, ...others] = copiesIn(folder);
    expect([others, Object.keys(whole ?? {}).length]).toEqual([[], folder === project ? 13 : 1]);
    removeCopies();
    for (let kill = at; kill < KILLS; kill += WAYS.length) {
      const { child, ended } = start(words);
      await appears(folder, hasBegun, ended);
      const moment = kill === 0 ? 0 : random.next() * 1.5 * writing;
      const until = performance.now() + moment;
      while (performance.now() < until) await turn();
      child.kill('SIGKILL');
      await ended;
      const copies = copiesIn(folder);
      for (const copy of copies) expect(copy).toEqual(whole);
      seen[copies.length === 0 ? 'none' : 'whole'] += 1;
      expect(fs.readFileSync(FILE).equals(original)).toBe(true);
      expect(sizesIn(path.join(project, NAME))).toEqual(beside);
      removeCopies();
    }
  }
  expect(seen.none).toBeGreaterThan(0);
  if (process.env['CTX_DEBUG'] === '1') console.log(seen);
}, 1_200_000);
