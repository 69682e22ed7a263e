import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { Log } from '../fixtures/log.js';
import { appears } from '../support/appears.js';
import { projectFolder } from '../support/files.js';
import { Random } from '../support/random.js';
import { runs } from '../support/runs.js';

/** A second each: `CTX_KILLS=300` tries more of them. */
const KILLS = Number(process.env['CTX_KILLS'] ?? Math.max(5, runs(40)));
const SESSIONS = 12;
const OLD = new Date('2026-05-01T00:00:00Z');

const root = mkdtempSync(path.join(tmpdir(), 'ctx-index-killed-'));
afterAll(() => rmSync(root, { recursive: true }));
const [sessions, index] = [path.join(root, 'sessions'), path.join(root, 'index')];
for (const folder of [sessions, index]) mkdirSync(folder);

function fileOf(at: number): string {
  return path.join(sessions, `${at}.jsonl`);
}

function textOf(at: number, turns: number): string {
  const log = new Log(`s${at}`);
  for (let turn = 1; turn <= turns; turn += 1) {
    const usage = { input: turn, output: at, cacheRead: 0, cacheWrite: 0, cost: { total: turn / 100 } };
    log.user(`u${turn}`, `What is ${turn}? ${'Please. '.repeat(200)}`).assistant(`a${turn}`, 'It is late.', { usage });
  }
  return log.text();
}

/** Replaces or extends a session. The time is old, so that its results are remembered. */
function change(random: Random): void {
  const file = fileOf(random.int(0, SESSIONS - 1));
  if (random.next() < 0.5) writeFileSync(file, textOf(random.int(0, 9), random.int(1, 30)));
  else appendFileSync(file, `${JSON.stringify({ type: 'session_info', id: `i${random.next()}`, name: 'Grown' })}\n`);
  utimesSync(file, OLD, OLD);
}

const QUESTIONS = [
  ['ls', sessions, '--json'],
  ['stats', sessions, '--by', 'session', '--json'],
  ['check', sessions, '--format', 'json'],
  ['grep', 'late', sessions, '--count', '--where', 'all'],
  ['query', 'SELECT session_id, count(*), sum(length(text)) FROM messages GROUP BY 1 ORDER BY 1, 2', sessions],
] as const;

function ask(question: number, folder: string) {
  const argv = [path.join(projectFolder, 'bin/ctx.js'), ...(QUESTIONS[question] ?? [])];
  return execa(process.execPath, argv, { env: { CTX_INDEX_DIR: folder }, reject: false });
}

/** Kills a command at any moment, or shortly after it began to write a file of the index. */
async function kill(question: number, random: Random, duration: number): Promise<void> {
  const running = ask(question, index);
  const isWriting = (): boolean => readdirSync(index).some((name) => name.endsWith('.tmp'));
  if (random.next() < 0.5) await appears(index, isWriting, running);
  else await new Promise((resolve) => void setTimeout(resolve, random.next() * duration));
  running.kill('SIGKILL');
  await running;
}

it(`gives right answers after ${KILLS} commands that were killed while they filled the index`, async () => {
  const random = new Random(23);
  for (let at = 0; at < SESSIONS; at += 1) writeFileSync(fileOf(at), textOf(at, 20));
  let duration = 1000;
  for (let at = 0; at < KILLS; at += 1) {
    const question = at % QUESTIONS.length;
    change(random);
    await kill(question, random, duration);
    if (random.next() < 0.3) change(random);
    const start = Date.now();
    const [indexed, whole] = [await ask(question, index), await ask(question, '')];
    duration = Date.now() - start;
    expect(whole.stdout).not.toBe('');
    expect([indexed.stdout, indexed.stderr, indexed.exitCode]).toEqual([whole.stdout, whole.stderr, whole.exitCode]);
  }
  expect(readdirSync(index).some((name) => !name.endsWith('.tmp'))).toBe(true);
});
