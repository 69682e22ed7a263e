import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SessionFollower } from '#context/follow.js';
import type { Files } from '#platform/files/files.js';
import { readBeginning } from '#platform/files/peek-file.js';
import { openFile } from '#session/scan/open-file.js';
import { nodeFiles } from '../../src/platform/files/node-files.js';
import { projectFolder } from '../support/files.js';
import { type Printed, Resident } from '../support/resident.js';

const plain = path.join(projectFolder, 'fixtures/agents/codex/continued');
/** Those rollouts, as Codex 0.169.0 compressed them after its call `rollout/compress`. */
const compressed = path.join(projectFolder, 'test/fixtures/codex-compressed');
const names = readdirSync(plain).filter((name) => name.endsWith('.jsonl'));
const WEEK = Date.parse('2026-11-16T00:00:00Z') / 1000;

/** Older versions of Node.js cannot decompress: then the same calls have to say so. */
const isSupported = 'zstdDecompressSync' in zlib;
const UNSUPPORTED = 'reading a file compressed with zstd needs Node.js 22.15';

let root = '';
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'ctx-compressed-'));
  for (const [home, from, end] of [
    ['plain', plain, ''],
    ['compressed', compressed, '.zst'],
    ['gzipped', plain, '.gz'],
  ] as const) {
    const folder = path.join(root, home, '.codex/sessions/2026/11/24');
    mkdirSync(folder, { recursive: true });
    for (const name of names) {
      if (end === '.gz')
        writeFileSync(path.join(folder, name + end), zlib.gzipSync(readFileSync(path.join(from, name))));
      else copyFileSync(path.join(from, name + end), path.join(folder, name + end));
      utimesSync(path.join(folder, name + end), WEEK, WEEK);
    }
  }
});
/** The program in each home. */
const residents = new Map<string, Resident>();
afterAll(() => {
  for (const resident of residents.values()) resident.close();
  rmSync(root, { recursive: true });
});

async function run(home: string, line: string): Promise<Printed> {
  const cwd = path.join(root, home);
  const resident = residents.get(home) ?? new Resident(500, { cwd, env: { HOME: cwd, CODEX_HOME: '' } });
  residents.set(home, resident);
  const { all, exitCode } = await resident.run(line.split(' ').map((word) => word.replaceAll('_', ' ')));
  return { all: withoutPlace(all, home), exitCode };
}

/** A compressed file has another name and size. Tables contain the names. */
function withoutPlace(text: string, home: string): string {
  return text
    .replaceAll(path.join(root, home), '~')
    .replaceAll(/\.(?:zst|gz)\b/g, '')
    .replaceAll(/"size":\d+|[\d,]+ bytes/g, '');
}

const LAST = /"(?:last|modified)":(?:"[^"]*"|\d+|null),?/g;

const ORIGIN = '01a20ba1-c690-7760-a0ca-2f9830e5231b';
const FORK = '01a20ba1-ca40-7ca1-9de0-5d88ba1aa6ab';

const LINES = [
  'ls --agent codex --json',
  'ls .codex --json',
  'ls --agent all --json',
  `show ${FORK} --json`,
  `show ${ORIGIN} --json`,
  'show latest:codex --json',
  'stats .codex --json',
  'grep Three .codex --json',
  'check .codex',
  'query SELECT_COUNT(*)_AS_n_FROM_entries .codex',
  'export .codex --format parquet -o tables --force',
];

/** The time of the last entry, by which sessions are listed, is not read from a compressed file: its own time counts. */
function inAnyOrder(ran: Printed, line: string): unknown {
  return line.startsWith('ls ') ? { ...ran, all: ran.all.replaceAll(LAST, '').split('\n').toSorted() } : ran;
}

it.each(LINES)('rollouts that Codex has compressed give the same output as before: ctx %s', async (line) => {
  const [before, after] = await Promise.all([run('plain', line), run('compressed', line)]);
  if (isSupported) expect(inAnyOrder(after, line)).toEqual(inAnyOrder(before, line));
  else expect(after.all).toMatch(/needs Node\.js 22\.15|no session was found/);
  expect(before.all).not.toBe('');
});

it.each(LINES.filter((line) => !/all|ORIGIN|latest|check|export/.test(line)))(
  'rollouts in gzip give the same output as before, on every Node.js: ctx %s',
  async (line) => {
    const [before, after] = await Promise.all([run('plain', line), run('gzipped', line)]);
    expect(inAnyOrder(after, line)).toEqual(inAnyOrder(before, line));
    expect(before.all).not.toBe('');
  },
);

it('sessions of Pi, of subagents and documents in gzip are those that they were', async () => {
  const folders = ['before', 'after'].map((name) => path.join(root, 'plain', name, 'sessions'));
  for (const [at, folder] of folders.entries()) {
    for (const [name, from] of [
      ['pi.jsonl', 'weather.jsonl'],
      ['0f6d3c1e.jsonl', 'agents/claude-code/session.jsonl'],
      ['0f6d3c1e/subagents/agent-a1b2c3d.jsonl', 'agents/claude-code/requests.jsonl'],
      ['export.json', 'agents/opencode/export.json'],
    ] as const) {
      const bytes = readFileSync(path.join(projectFolder, 'fixtures', from));
      const file = path.join(folder, at === 0 ? name : `${name}.gz`);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, at === 0 ? bytes : zlib.gzipSync(bytes));
      utimesSync(file, WEEK, WEEK);
    }
  }
  for (const line of ['ls . --json', 'stats . --json', 'stats . --by session', 'grep -c a . --where all']) {
    const [before, after] = await Promise.all(
      ['before', 'after'].map((name) => run(`plain/${name}`, line.replace(' . ', ' sessions '))),
    );
    expect(inAnyOrder(after!, line)).toEqual(inAnyOrder(before!, line));
    expect(before!.all).toContain('0f6d3c1e');
  }
});

it('a rollout that Codex has decompressed to go on with it counts once', async () => {
  const folder = path.join(root, 'compressed/.codex/sessions/2026/11/24');
  for (const name of names) copyFileSync(path.join(plain, name), path.join(folder, name));
  try {
    const [before, after] = await Promise.all(['plain', 'compressed'].map((home) => run(home, 'stats .codex --json')));
    expect(after).toEqual(before);
  } finally {
    for (const name of names) rmSync(path.join(folder, name));
  }
});

const [NAME = ''] = names;
const whole = readFileSync(path.join(plain, NAME));
const packed = readFileSync(path.join(compressed, `${NAME}.zst`));

async function contentOf(bytes: Uint8Array): Promise<Buffer> {
  const file = path.join(root, 'one.jsonl.zst');
  writeFileSync(file, bytes);
  const source = await openFile(file);
  return Buffer.from(source.read(0, source.size));
}

it('a file in gzip is its members, and a damaged one is an error', async () => {
  const member = zlib.gzipSync(whole);
  expect((await contentOf(member)).equals(whole)).toBe(true);
  expect((await contentOf(Buffer.concat([member, member]))).equals(Buffer.concat([whole, whole]))).toBe(true);
  const wrong = Buffer.from(member);
  wrong[wrong.length - 6]! ^= 1;
  const cut = [member.subarray(0, 2000), member.subarray(0, -1), Buffer.concat([member, Buffer.from('{}\n')]), wrong];
  for (const bytes of cut) await expect(contentOf(bytes)).rejects.toThrow('this compressed file is damaged');
  const zeros = zlib.gzipSync(Buffer.alloc(1 << 26));
  const bomb = Buffer.concat(Array.from({ length: 9 }, () => zeros));
  await expect(contentOf(bomb)).rejects.toThrow('this compressed file has more than 512 MB');
});

it('all frames of a file are its content, and a damaged one is an error', async () => {
  if (!isSupported) return expect(contentOf(packed)).rejects.toThrow(UNSUPPORTED);
  expect((await contentOf(packed)).equals(whole)).toBe(true);
  expect((await contentOf(Buffer.concat([packed, packed]))).equals(Buffer.concat([whole, whole]))).toBe(true);
  const cut = [packed.subarray(0, 2000), packed.subarray(0, -1), Buffer.concat([packed, Buffer.from('{}\n')])];
  for (const bytes of cut) await expect(contentOf(bytes)).rejects.toThrow('this compressed file is damaged');
});

it('a small file with a huge content is refused', async () => {
  // A frame with a window of 1 MB, and 4,200 blocks that each repeat one byte 128 kB long: 525 MB in 17 kB.
  const block = (isLast: boolean): readonly number[] => {
    const header = (0x20000 << 3) | (1 << 1) | Number(isLast);
    return [header & 255, (header >> 8) & 255, header >> 16, 0x20];
  };
  const blocks = Array.from({ length: 4200 }, (_, at) => block(at === 4199)).flat();
  const bomb = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3, ...blocks]);
  const reason = isSupported ? 'this compressed file has more than 512 MB' : UNSUPPORTED;
  await expect(contentOf(bomb)).rejects.toThrow(reason);
  expect(readBeginning(path.join(root, 'one.jsonl.zst'), 1000)).toHaveLength(0);
});

it('the beginning of a compressed file is that of its content', () => {
  const file = path.join(compressed, `${NAME}.zst`);
  const first = Buffer.from(readBeginning(file, 1000));
  expect(first.equals(isSupported ? whole.subarray(0, 1000) : Buffer.alloc(0))).toBe(true);
});

it('a followed session that is compressed is not decompressed at each check', async () => {
  const file = path.join(root, 'one.jsonl.zst');
  writeFileSync(file, packed);
  let opened = 0;
  const open: Files['open'] = (name) => {
    opened += 1;
    return nodeFiles.open(name);
  };
  const following = SessionFollower.open(file, { ...nodeFiles, open });
  if (!isSupported) return expect(following).rejects.toThrow(UNSUPPORTED);
  const live = await following;
  expect([await live.grow(), await live.grow(), opened]).toEqual(['nothing', 'nothing', 1]);
  live.close();
});

it('what a followed session continues is opened once, and again if the file is replaced', async () => {
  const name = names.find((each) => readFileSync(path.join(plain, each), 'utf8').includes('"history_base"')) ?? '';
  const folder = path.join(root, 'followed');
  cpSync(plain, folder, { recursive: true });
  const file = path.join(folder, name);
  const text = readFileSync(file, 'utf8');
  const opened: string[] = [];
  const open: Files['open'] = (each) => {
    opened.push(path.basename(each));
    return nodeFiles.open(each);
  };
  const live = await SessionFollower.open(file, { ...nodeFiles, open });
  const count = (await live.session()).tree.heads.length;
  const before = opened.filter((each) => each !== name);
  expect(before.length).toBeGreaterThan(0);
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  for (const times of [1, 2]) {
    appendFileSync(file, `${last}\n`);
    expect(await live.grow()).toBe('more');
    expect(await live.grow()).toBe('nothing');
    const { source } = await live.session();
    expect(source.size - (source.parts?.at(-1) ?? 0)).toBe(Buffer.byteLength(text) + times * (last.length + 1));
  }
  expect(opened.filter((each) => each !== name)).toEqual(before);
  writeFileSync(file, `${text.split('\n').slice(0, -2).join('\n')}\n`);
  expect(await live.grow()).toBe('rewritten');
  expect(opened.filter((each) => each !== name)).toEqual([...before, ...before]);
  expect((await live.session()).tree.heads.length).toBeLessThanOrEqual(count);
  live.close();
});

it('nothing is appended to a compressed session of Pi', async () => {
  const file = path.join(root, 'pi.jsonl.zst');
  // A frame with one block as it is.
  const text = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'));
  const header = (text.length << 3) | 1;
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3, header & 255, (header >> 8) & 255, header >> 16];
  const bytes = Buffer.concat([Buffer.from(frame), text]);
  writeFileSync(file, bytes);
  const { exitCode, all } = await run('plain', 'compact ../pi.jsonl.zst --yes --keep-recent 100');
  expect([exitCode, all]).toEqual(
    isSupported ? [4, expect.stringContaining('the file is compressed')] : [3, expect.stringContaining(UNSUPPORTED)],
  );
  expect(readFileSync(file).equals(bytes)).toBe(true);
});
