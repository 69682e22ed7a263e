import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { once } from '#base/memoize.js';
import { completeWeather } from '../fixtures/engineered.js';
import { fixtures, projectFolder, recordings } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { runs } from '../support/runs.js';
import {
  askPi,
  GENERATED,
  generatedBytes,
  type Golden,
  goldenFile,
  goldenLine,
  isComparable,
  judge,
  untried,
  type Verdict,
} from './judged.js';

const comparable = fixtures.filter(isComparable);
const folder = mkdtempSync(path.join(tmpdir(), 'ctx-pi-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What Pi sees at each entry that it can build a context for: not at a cycle, nor where an edit says nothing. */
function hashesOf(verdict: Verdict): readonly (readonly [number | null, string])[] | null {
  if (!verdict.ok) return null;
  return (verdict.entries ?? []).flatMap(({ id, index, sha256 }) =>
    sha256 === undefined ? [] : [[id === null ? null : index, sha256] as const],
  );
}

/** The entries at which Pi sees something else in a file than we do. */
function differences(verdict: Verdict, bytes: Uint8Array): readonly string[] {
  const ours = judge(bytes);
  const pis = hashesOf(verdict);
  if (pis === null || ours === null)
    return (pis === null) === (ours === null) ? [] : [`${verdict.file}: only one reads it`];
  return pis.flatMap(([index, sha256]) =>
    ours.get(index) === sha256 ? [] : [`${verdict.file}: entry ${index ?? 'HEAD'}`],
  );
}

/** The verdicts of Pi on the fixtures, and behind them on the recordings. */
const stockVerdicts = once(() => askPi([...comparable, ...recordings], '--hash'));
const generated = GENERATED.slice(0, runs(GENERATED.length)).map(generatedBytes);
const generatedVerdicts = once(() => askPi(generated, '--hash'));

describe('real Pi', () => {
  it.each(['weather', 'tool-change'])('recorded fixtures/%s.jsonl', async (name) => {
    const file = path.join(folder, `${name}-recorded.jsonl`);
    const flags = name === 'weather' ? [] : [`--${name}`];
    await execa('node', ['record.mjs', ...flags, file], { cwd: path.join(projectFolder, 'test/pi') });
    const recording = readFileSync(file, 'utf8');
    const expected = name === 'weather' ? completeWeather(recording) : recording;
    expectGenerated(`fixtures/${name}.jsonl`, expected);
  });

  it('sees the same at every entry of the fixtures and recordings', { timeout: 600_000 }, async () => {
    const verdicts = await stockVerdicts();
    expect(verdicts.flatMap((verdict) => differences(verdict, readFileSync(verdict.file)))).toEqual([]);
  });

  it(`sees the same at every entry of ${generated.length} generated sessions`, async () => {
    const verdicts = await generatedVerdicts();
    expect(verdicts.flatMap((verdict, at) => differences(verdict, generated[at]!))).toEqual([]);
    expect(verdicts.filter(({ ok }) => ok).length).toBeGreaterThan(generated.length * 0.8);
  });

  it('stands behind the golden hashes', async () => {
    const stock = (await stockVerdicts()).slice(0, comparable.length);
    const lines = (await generatedVerdicts()).map((verdict) => goldenLine(hashesOf(verdict)));
    const golden: Golden = {
      fixtures: Object.fromEntries(
        stock.map((verdict) => [path.relative(projectFolder, verdict.file), goldenLine(hashesOf(verdict))]),
      ),
      generated: [...lines, ...untried(goldenFile, lines.length)],
    };
    const text = `${JSON.stringify(golden, null, 1)}\n`;
    expectGenerated(goldenFile, text);
  });
});
