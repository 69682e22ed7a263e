import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';
import type { Ran } from '../../support/memory-io.js';
import { Random } from '../../support/random.js';
import { runs } from '../../support/runs.js';
import { envelopeComplaints } from './envelope-oracles.js';
import { type Case, caseOf } from './fuzz-case.js';
import { complaints, judged } from './oracles.js';
import { smallest } from './smallest.js';

/** Without a time, the same few cases each time. */
const SECONDS = Number(process.env['CTX_FUZZ_SECONDS'] ?? 0);
const SEED = Number(process.env['FUZZ_SEED'] ?? (SECONDS > 0 ? Date.now() % 2 ** 31 : 7));
const CASES = runs(250, 80);
const corpus = path.join(projectFolder, 'test/laws/fuzz/corpus');

/** A case as it is kept: bytes as base64. */
interface Kept {
  readonly argv: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

function read(file: string): Case {
  const { argv, files } = JSON.parse(readFileSync(path.join(corpus, file), 'utf8')) as Kept;
  const bytes = Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'base64')]);
  return { argv, files: Object.fromEntries(bytes) as Case['files'] };
}

function keep(name: string, { argv, files }: Case): void {
  const texts = Object.entries(files).map(([file, bytes]) => [file, Buffer.from(bytes).toString('base64')]);
  mkdirSync(corpus, { recursive: true });
  writeFileSync(path.join(corpus, name), `${JSON.stringify({ argv, files: Object.fromEntries(texts) }, null, 2)}\n`);
}

async function all(each: Case): Promise<readonly string[]> {
  return [...(await complaints(each)), ...(await envelopeComplaints(each.files['s.jsonl'] ?? Buffer.from('')))];
}

it.each(readdirSync(corpus))('what was found before is not found again: %s', async (file) => {
  expect(await all(read(file))).toEqual([]);
});

describe('a run is not let through', () => {
  const files = { 's.jsonl': Buffer.from('{}\n') };
  const each = { argv: ['show', 's.jsonl', '--json'], files };
  const fine: Ran = { exitCode: 0, stdout: '', stderr: '', bytes: Buffer.from(''), files };

  it('unless something is wrong with it', () => {
    expect(judged(each, fine, fine)).toEqual([]);
  });

  it.each<readonly [string, Partial<Ran>]>([
    ['that ends in a bug', { exitCode: 70 }],
    ['that prints what a terminal obeys', { stderr: '\u001b[2J' }],
    ['that prints no JSON', { stdout: '{"schema":' }],
    ['that prints JSON without a schema', { stdout: '{"schema":"ctx/none"}' }],
    ['that prints JSON unlike its schema', { stdout: '{"schema":"ctx/entry","schemaVersion":1}' }],
    ['that fails without a word', { exitCode: 3 }],
    ['that changes what was there', { files: { 's.jsonl': '{]' } }],
    ['that fails and writes', { exitCode: 3, files: { 's.jsonl': '{}\n{}\n' } }],
  ])('%s', (_what, wrong) => {
    const bad = { ...fine, ...wrong };
    expect(judged(each, bad, bad).length).toBeGreaterThan(0);
  });

  it('that the strict reader contradicts', () => {
    expect(judged(each, fine, { ...fine, stdout: 'x' })).toHaveLength(1);
  });
});

it(
  'command lines and files by the grammar keep all laws',
  async () => {
    const end = performance.now() + SECONDS * 1000;
    const found: (readonly [number, readonly string[]])[] = [];
    const goesOn = (at: number): boolean => (SECONDS > 0 ? performance.now() < end : at < CASES);
    for (let at = 0; goesOn(at); at += 1) {
      const each = caseOf(new Random(SEED + at));
      const wrong = await all(each);
      if (wrong.length === 0) continue;
      found.push([SEED + at, wrong]);
      if (SECONDS > 0) keep(`found-${SEED + at}.json`, await smallest(each, wrong, all));
    }
    expect({ seed: SEED, found }).toEqual({ seed: SEED, found: [] });
  },
  60_000 + SECONDS * 1000,
);
