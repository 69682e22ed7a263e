import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import { applyPlan } from '#change/write/apply-plan.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import { nodeFiles } from '../../src/platform/files/node-files.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { appears } from '../support/appears.js';
import { entry, HEADER, lines, TALK, user } from '../support/entries.js';
import { projectFolder } from '../support/files.js';
import { Random } from '../support/random.js';
import { runs } from '../support/runs.js';

const folder = fs.mkdtempSync(path.join(tmpdir(), 'ctx-killed-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** Half a second each: `CTX_KILLS=200` tries more of them. */
const KILLS = Number(process.env['CTX_KILLS'] ?? Math.max(5, runs(20)));
const file = path.join(folder, 's.jsonl');
const planFile = path.join(folder, 'plan.json');
const BEFORE = Buffer.from(lines(HEADER, ...TALK));
fs.writeFileSync(file, BEFORE);

/** So big that its write takes a while, and of several entries that belong together. */
const plan = buildPlan(
  buildDraft(readSession(toByteSource(BEFORE), file), [
    user('u3', 'a2', 'first '.repeat(200_000)),
    entry('context_edit', 'e1', 'u3', { targetId: 'u1', replacement: { content: 'second '.repeat(200_000) } }),
    user('u4', 'e1', 'third '.repeat(200_000)),
  ]),
  'test',
);
fs.writeFileSync(planFile, JSON.stringify(plan));
const LINES = encodeEntries(plan);
const AFTER = Buffer.concat([BEFORE, LINES]);

const journal = `${file}.ctx-journal`;
const hasJournal = (): boolean => fs.existsSync(journal);
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

function startWrite(): Running {
  const child = spawn(process.execPath, ['bin/ctx.js', 'apply', planFile, '--yes'], {
    cwd: projectFolder,
    stdio: 'ignore',
  });
  return { child, ended: new Promise((resolve) => void child.on('close', resolve)) };
}

/** How long a write takes that nobody kills, in milliseconds: all of it, and as long as there is a journal. */
async function timesOfWrite(): Promise<Times> {
  const start = performance.now();
  const { ended } = startWrite();
  await appears(folder, hasJournal, ended);
  const begun = performance.now();
  while (hasJournal()) await turn();
  const writing = performance.now() - begun;
  await ended;
  return { all: performance.now() - start, writing };
}

interface Times {
  readonly all: number;
  readonly writing: number;
}

/** Kills a write at a moment between 0 and 1: of all its time, or after it has begun. */
async function killOne(moment: number, isAnyTime: boolean, { all, writing }: Times): Promise<void> {
  const { child, ended } = startWrite();
  if (isAnyTime) await new Promise((resolve) => void setTimeout(resolve, moment * 1.3 * all));
  else {
    await appears(folder, hasJournal, ended);
    // Most of the bytes are written at the beginning.
    const until = performance.now() + moment ** 3 * writing;
    while (performance.now() < until) await turn();
  }
  child.kill('SIGKILL');
  await ended;
}

type State = 'before' | 'half' | 'after';

/** What is in the file must be the beginning of what should be in it. */
function stateOfFile(): State {
  const bytes = fs.readFileSync(file);
  expect(bytes.length).toBeGreaterThanOrEqual(BEFORE.length);
  expect(Buffer.compare(bytes, AFTER.subarray(0, bytes.length))).toBe(0);
  if (bytes.length === BEFORE.length) return 'before';
  return bytes.length === AFTER.length ? 'after' : 'half';
}

async function nextWrite(): Promise<'written' | 'refused'> {
  // Ten seconds later the lock of a process that is gone is free.
  fs.rmSync(`${file}.lock`, { recursive: true, force: true });
  try {
    await applyPlan({ files: nodeFiles, now: Date.now }, plan);
    return 'written';
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'refused') return 'refused';
    throw error;
  }
}

it(`never contains a partial write by one of ${KILLS} processes that were killed`, async () => {
  const random = new Random(6);
  const seen: Record<State, number> = { before: 0, half: 0, after: 0 };
  const times = await timesOfWrite();
  expect(stateOfFile()).toBe('after');
  fs.writeFileSync(file, BEFORE);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await killOne(kill === 0 ? 0 : random.next(), kill % 5 === 0, times);
    const state = stateOfFile();
    seen[state] += 1;
    expect(await nextWrite()).toBe(state === 'after' ? 'refused' : 'written');
    expect(stateOfFile()).toBe('after');
    expect(fs.readdirSync(folder).toSorted()).toEqual(['plan.json', 's.jsonl']);
    fs.writeFileSync(file, BEFORE);
  }
  expect(seen.before + seen.half).toBeGreaterThan(0);
  if (process.env['CTX_DEBUG'] === '1') console.log(seen);
}, 300_000);

it.skipIf(process.platform === 'win32').each([0, 1, 3000])(
  'a write that the limit of a file size stops %i blocks later reports that, and leaves the session as it was',
  (more) => {
    fs.writeFileSync(file, BEFORE);
    // POSIX counts in blocks of 512 bytes.
    const limit = Math.ceil(BEFORE.length / 512) + more;
    const line = `ulimit -f ${limit}; exec "$0" bin/ctx.js apply "$1" --yes`;
    const ran = spawnSync('sh', ['-c', line, process.execPath, planFile], { cwd: projectFolder, encoding: 'utf8' });
    expect([ran.signal, ran.status, ran.stdout]).toEqual([null, 4, '']);
    expect(ran.stderr).toContain('the file would be too large; nothing was written');
    expect(fs.readFileSync(file)).toEqual(BEFORE);
    expect(fs.readdirSync(folder).toSorted()).toEqual(['plan.json', 's.jsonl']);
  },
);
