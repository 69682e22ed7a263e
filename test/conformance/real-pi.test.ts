import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { once } from '#base/once.js';
import { completeWeather } from '../fixtures/engineered.js';
import { fixtures, projectFolder, recordings } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { type Golden, GENERATED, generatedBytes, goldenFile, goldenLine, isComparable, judge } from './judged.js';

/** The verdict of real Pi on a file, as `test/pi/judge.mjs` prints it. */
interface Verdict {
  readonly file: string;
  readonly ok: boolean;
  readonly entries: readonly {
    readonly id: string | null;
    readonly index: number;
    readonly sha256?: string;
    readonly error?: string;
  }[];
}

const comparable = fixtures.filter(isComparable);
const folder = mkdtempSync(path.join(tmpdir(), 'ctx-pi-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function inPiFolder(args: readonly string[], input = ''): Promise<string> {
  const { stdout } = await execa('node', args, { cwd: path.join(projectFolder, 'test/pi'), input, maxBuffer: 1e9 });
  return stdout;
}

async function askPi(files: readonly string[]): Promise<readonly Verdict[]> {
  const lines = await inPiFolder(['judge.mjs', '--hash'], files.join('\n'));
  return lines.split('\n').map((line) => JSON.parse(line) as Verdict);
}

/** What Pi sees at each entry that it can build a context for: not at a cycle, nor where an edit says nothing. */
function hashesOf(verdict: Verdict): readonly (readonly [number | null, string])[] | null {
  if (!verdict.ok) return null;
  return verdict.entries.flatMap(({ id, index, sha256 }) =>
    sha256 === undefined ? [] : [[id === null ? null : index, sha256] as const],
  );
}

function differences(verdict: Verdict): readonly string[] {
  const ours = judge(readFileSync(verdict.file));
  const pis = hashesOf(verdict);
  if (pis === null || ours === null)
    return (pis === null) === (ours === null) ? [] : [`${verdict.file}: only one reads it`];
  return pis.flatMap(([index, sha256]) =>
    ours.get(index) === sha256 ? [] : [`${verdict.file}: entry ${index ?? 'HEAD'}`],
  );
}

/** The verdicts of Pi on the fixtures, and behind them on the recordings. */
const stockVerdicts = once(() => askPi([...comparable, ...recordings]));
const generatedVerdicts = once(async (): Promise<readonly Verdict[]> => {
  const files = GENERATED.map((shape) => {
    const file = path.join(folder, `${shape.seed}.jsonl`);
    writeFileSync(file, generatedBytes(shape));
    return file;
  });
  return askPi(files);
});

describe('real Pi', () => {
  it.each(['weather', 'tool-change'])('recorded fixtures/%s.jsonl', async (name) => {
    const file = path.join(folder, `${name}-recorded.jsonl`);
    await inPiFolder(name === 'weather' ? ['record.mjs', file] : ['record.mjs', `--${name}`, file]);
    const recording = readFileSync(file, 'utf8');
    const expected = name === 'weather' ? completeWeather(recording) : recording;
    expectGenerated(`fixtures/${name}.jsonl`, expected);
  });

  it('sees the same at every entry of the fixtures and recordings', async () => {
    const verdicts = await stockVerdicts();
    expect(verdicts.flatMap(differences)).toEqual([]);
  });

  it(`sees the same at every entry of ${GENERATED.length} generated sessions`, async () => {
    const verdicts = await generatedVerdicts();
    expect(verdicts.flatMap(differences)).toEqual([]);
    expect(verdicts.filter(({ ok }) => ok).length).toBeGreaterThan(500);
  });

  it('stands behind the golden hashes', async () => {
    const stock = (await stockVerdicts()).slice(0, comparable.length);
    const generated = await generatedVerdicts();
    const golden: Golden = {
      fixtures: Object.fromEntries(
        stock.map((verdict) => [path.relative(projectFolder, verdict.file), goldenLine(hashesOf(verdict))]),
      ),
      generated: generated.map((verdict) => goldenLine(hashesOf(verdict))),
    };
    const text = `${JSON.stringify(golden, null, 1)}\n`;
    expectGenerated(goldenFile, text);
  });
});
