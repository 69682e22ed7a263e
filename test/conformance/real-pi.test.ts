import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { fixtures, projectFolder, recordings } from '../support/files.js';
import { GENERATED, generatedBytes, judge } from './judged.js';

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

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-pi-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function askPi(files: readonly string[]): Promise<readonly Verdict[]> {
  const { stdout } = await execa('node', ['judge.mjs', '--hash'], {
    cwd: path.join(projectFolder, 'test/pi'),
    input: files.join('\n'),
    maxBuffer: 1e9,
  });
  return stdout.split('\n').map((line) => JSON.parse(line) as Verdict);
}

/** Where Pi fails on a session (a cycle, an edit that says nothing), ctx goes on, and there is nothing to compare. */
async function differences(verdict: Verdict): Promise<readonly string[]> {
  const ours = await judge(await readFile(verdict.file));
  if (!verdict.ok) return ours === null ? [] : [`${verdict.file}: Pi refuses the file`];
  if (ours === null) return [`${verdict.file}: Pi reads the file`];
  const byIndex = new Map(ours.map(({ index, sha256 }) => [index, sha256]));
  return verdict.entries.flatMap(({ id, index, sha256, error }) => {
    const mine = byIndex.get(id === null ? null : index);
    return error !== undefined || mine === sha256
      ? []
      : [`${path.basename(verdict.file)}: entry ${index} ${id ?? 'HEAD'}`];
  });
}

describe('real Pi sees the same', () => {
  it('at every entry of the fixtures and recordings', async () => {
    const verdicts = await askPi([...fixtures, ...recordings]);
    expect((await Promise.all(verdicts.map(differences))).flat()).toEqual([]);
  });

  it(`at every entry of ${GENERATED.length} generated sessions`, async () => {
    const files = GENERATED.map((shape) => {
      const file = path.join(folder, `${shape.seed}.jsonl`);
      writeFileSync(file, generatedBytes(shape));
      return file;
    });
    const verdicts = await askPi(files);
    expect((await Promise.all(verdicts.map(differences))).flat()).toEqual([]);
    expect(verdicts.filter(({ ok }) => ok).length).toBeGreaterThan(500);
  });
});
