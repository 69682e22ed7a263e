import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { appears } from '../support/appears.js';
import { projectFolder } from '../support/files.js';
import { Random } from '../support/random.js';
import { runs } from '../support/runs.js';

/** A second each: `CTX_KILLS=200` tries more of them. */
const KILLS = Number(process.env['CTX_KILLS'] ?? Math.max(6, runs(40)));
const SESSIONS = 8;

const home = fs.mkdtempSync(path.join(tmpdir(), 'ctx-archive-killed-'));
afterAll(() => fs.rmSync(home, { recursive: true }));
const project = path.join(home, '.claude/projects/-home-ada-app');
const archive = path.join(home, 'archive');
const copies = path.join(archive, 'claude-code/projects/-home-ada-app');
for (const folder of [project, archive]) fs.mkdirSync(folder, { recursive: true });

const random = new Random(46);
/** All contents that each session has had. */
const states = new Map<string, string[]>();

/** A session that cannot be compressed well, so that writing it takes a while. */
function write(name: string, isRewritten: boolean): void {
  const file = path.join(project, name);
  const before = isRewritten || !fs.existsSync(file) ? '' : fs.readFileSync(file, 'utf8');
  const text = Array.from({ length: random.int(100, 3000) }, () => `${random.next()}${random.next()}`).join('');
  fs.writeFileSync(file, `${before}{"type":"user","text":"${text}"}\n`);
  const own = states.get(name) ?? [];
  states.set(name, [...own, fs.readFileSync(file, 'utf8')]);
}

function start() {
  const argv = [path.join(projectFolder, 'bin/ctx.js'), 'archive', '--to', archive, '--json'];
  return execa(process.execPath, argv, { env: { HOME: home, CTX_INDEX_DIR: '' }, reject: false });
}

/** Waits for the lock of a killed process to expire. */
async function finish(): Promise<void> {
  for (let at = 0; at < 30; at += 1) {
    const { exitCode } = await start();
    if (exitCode !== 4) return expect(exitCode).toBe(0);
    fs.rmSync(path.join(archive, '.ctx-archive.lock'), { recursive: true, force: true });
  }
  throw new Error('the archive stays locked');
}

function listCopies(): readonly string[] {
  return fs.existsSync(copies) ? fs.readdirSync(copies) : [];
}

it(`has whole copies after ${KILLS} runs that were killed, and loses no state that it had`, async () => {
  /** The states that are in the archive, which have to stay. */
  const kept = new Set<string>();
  for (let at = 0; at < KILLS; at += 1) {
    for (let session = 0; session < SESSIONS; session += 1) write(`${session}.jsonl`, random.next() < 0.4);
    const running = start();
    await appears(archive, () => fs.existsSync(path.join(archive, '.ctx-archive.lock')), running);
    await new Promise((resolve) => void setTimeout(resolve, random.next() * 700));
    running.kill(random.next() < 0.7 ? 'SIGKILL' : 'SIGTERM');
    await running;
    fs.rmSync(path.join(archive, '.ctx-archive.lock'), { recursive: true, force: true });
    const contents = listCopies()
      .filter((name) => name.endsWith('.gz'))
      .map((name) => zlib.gunzipSync(fs.readFileSync(path.join(copies, name))).toString());
    const known = new Set([...states.values()].flat());
    expect(contents.filter((content) => !known.has(content))).toEqual([]);
    for (const content of kept) expect(contents.some((one) => one.startsWith(content))).toBe(true);
    for (const content of contents) kept.add(content);
  }
  await finish();
  const names = listCopies();
  expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  for (const [name, own] of states) {
    expect(fs.readFileSync(path.join(project, name), 'utf8')).toBe(own.at(-1));
    expect(zlib.gunzipSync(fs.readFileSync(path.join(copies, `${name}.gz`))).toString()).toBe(own.at(-1));
  }
});
