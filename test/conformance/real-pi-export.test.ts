import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { openSession, type OpenSession } from '#context/open.js';
import {
  type Asked,
  comparable,
  digest,
  goldenFile,
  type Ours,
  partsOf,
  payloadsAt,
  TALKS,
} from '../cli/commands/export/payloads.js';
import { talk } from '../cli/commands/export/talks.js';
import { fixtures, NO_SAMPLES, projectFolder, recordings } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { withRealPi } from '../support/real-pi.js';
import { GENERATED, generatedBytes, isComparable } from './judged.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-payloads-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Parts = Readonly<Record<string, string>>;

async function askPi(asked: readonly Asked[]): Promise<readonly Parts[]> {
  const cwd = path.join(projectFolder, 'test/pi');
  const input = asked.map((one) => JSON.stringify(one)).join('\n');
  const { stdout } = await execa('node', ['payloads.mjs'], { cwd, input, maxBuffer: 1e9 });
  return stdout.split('\n').map((line) => JSON.parse(line) as Parts);
}

interface Compared {
  /** Payloads that Pi could make. */
  readonly count: number;
  readonly differences: readonly string[];
  /** Of Pi's payloads, in order; null where it could make none. */
  readonly digests: readonly (string | null)[];
}

/** Our payloads of sessions, at their ends and at so many other places, and what Pi would send. */
async function compared(files: readonly string[], places: number): Promise<Compared> {
  const all: Ours[] = [];
  for (const [number, file] of files.entries()) {
    const session = await openSession(file).catch(() => null);
    if (session === null) continue;
    const { length } = session.tree.heads;
    const indexes = Array.from({ length: places }, (_, at) => Math.floor((at * length) / places));
    for (const index of [null, ...indexes]) {
      if (index !== null && !isNamed(session, index)) continue;
      all.push(...(await payloadsAt(session, index, number % 3 === 0)));
    }
    session.close();
  }
  const theirs = (await askPi(all.map(({ asked }) => asked))).map((parts, at) =>
    parts['error'] === undefined ? comparable(parts, all[at]) : null,
  );
  return {
    count: theirs.filter((parts) => parts !== null).length,
    differences: all.flatMap((ours, at) => difference(ours, theirs[at] ?? null)),
    digests: theirs.map((parts) => parts && digest(parts)),
  };
}

function difference(ours: Ours, pis: Parts | null): readonly string[] {
  if (pis === null) return [];
  const mine = comparable(partsOf(ours), ours);
  const names = [...new Set([...Object.keys(mine), ...Object.keys(pis)])].filter((name) => mine[name] !== pis[name]);
  return names.length === 0 ? [] : [`${JSON.stringify(ours.asked)} ${names.join(' ')}`];
}

/** Whether an entry is the one that its id leads to. */
function isNamed({ tree: { heads } }: OpenSession, index: number): boolean {
  const head = heads.at(index);
  return typeof head?.id === 'string' && heads.entryOfIdAt(index) === index;
}

withRealPi('real Pi would send the same', () => {
  it('for the fixtures', async () => {
    const { count, differences } = await compared(
      fixtures.filter((file) => isComparable(file) && !file.includes('damaged')),
      8,
    );
    expect(differences).toEqual([]);
    expect(count).toBeGreaterThan(100);
  });

  it('for recorded sessions', async ({ skip }) => {
    skip(recordings.length === 0, NO_SAMPLES);
    const { differences } = await compared(recordings, 2);
    expect(differences).toEqual([]);
  });

  it('for generated sessions', async () => {
    const files = GENERATED.slice(0, 60).map((shape) => written(`generated-${shape.seed}`, generatedBytes(shape)));
    const { count, differences } = await compared(files, 0);
    expect(differences).toEqual([]);
    expect(count).toBeGreaterThan(100);
  });

  it('for talks with models of every API', async () => {
    const files = Array.from({ length: TALKS }, (_, seed) => written(`talk-${seed}`, talk(seed)));
    const { count, differences, digests } = await compared(files, 0);
    expect(differences).toEqual([]);
    expect(count).toBeGreaterThan(550);
    const golden = `${JSON.stringify(digests)}\n`;
    expectGenerated(goldenFile, golden);
  });
});

function written(name: string, bytes: string | Uint8Array): string {
  const file = path.join(folder, `${name}.jsonl`);
  writeFileSync(file, bytes);
  return file;
}
