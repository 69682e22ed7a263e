import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { planExtract } from '#change/migrate/extract.js';
import { freshIds } from '#change/plan/entries.js';
import { readPatch } from '#context/ops/read-patch.js';
import { fixtures, projectFolder, recordings } from '../support/files.js';
import { countedIds } from '../support/memory-io.js';
import { migrated, opened } from '../support/migrated.js';
import { withRealPi } from '../support/real-pi.js';
import { allOf } from '../support/repaired.js';
import { GENERATED, generatedBytes, isComparable, judge } from './judged.js';

/** What real Pi sees at each entry of a file. */
interface Verdict {
  readonly ok: boolean;
  readonly entries?: readonly { readonly id: string | null; readonly sha256?: string; readonly error?: string }[];
}

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-migrated-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function askPi(files: readonly Uint8Array[], ...flags: readonly string[]): Promise<readonly Verdict[]> {
  const names = files.map((bytes, at) => {
    const file = path.join(folder, `${at}.jsonl`);
    writeFileSync(file, bytes);
    return file;
  });
  const { stdout } = await execa('node', ['judge.mjs', '--hash', ...flags], {
    cwd: path.join(projectFolder, 'test/pi'),
    input: names.join('\n'),
    maxBuffer: 1e9,
  });
  return stdout.split('\n').map((line) => JSON.parse(line) as Verdict);
}

/** What a stock reader sees at the entries of a file, by their ids. */
function seen(bytes: Uint8Array): ReadonlyMap<unknown, string> {
  const { heads } = opened(bytes).tree;
  return new Map(
    [...(judge(bytes) ?? [])].map(([index, sha256]) => [index === null ? null : heads.at(index)?.id, sha256]),
  );
}

/** Sessions without transforms or circles. */
const sessions: readonly Uint8Array[] = [
  ...GENERATED.filter(({ odd, seed }) => !odd && seed % 2 === 0).map((shape) => generatedBytes(shape)),
  ...[...fixtures.filter(isComparable), ...recordings].map((file) => readFileSync(file)),
].filter((bytes) => judge(bytes) !== null && !opened(bytes).problems.some(({ code }) => code === 'cycle'));

withRealPi('real Pi', () => {
  it.each([null, 'both'] as const)(
    'sees the same at every entry of a migrated session, with compactions as %s',
    async (form) => {
      const verdicts = await askPi(sessions.map((bytes) => migrated(bytes, form).bytes));
      const differences = verdicts.flatMap(({ ok, entries = [] }, at) => {
        const expected = seen(sessions[at]!);
        const found = new Map(entries.map(({ id, sha256 = 'error' }) => [id, sha256]));
        const wrong = [...expected].filter(([id, sha256]) => {
          const pis = found.get(id as string | null);
          return pis !== 'error' && pis !== sha256;
        });
        return ok && wrong.length === 0 ? [] : [[at, ok, wrong.map(([id]) => id)]];
      });
      expect(differences).toEqual([]);
    },
    300_000,
  );

  it('opens an extracted branch, and sees the same at its end', async () => {
    const parts = sessions.flatMap((bytes) => {
      const session = opened(bytes);
      const { heads } = session.tree;
      const to = heads.at(Math.floor(heads.length * 0.8));
      if (!to || typeof to.id !== 'string' || heads.resolvedAt(to.index) !== to.index) return [];
      const header = { type: 'session', version: 3, id: 'part', timestamp: '2026-01-05T09:00:00.000Z', cwd: '/' };
      return [null, heads.at(heads.parentAt(to.index)) ?? null].map((from) => {
        const newId = freshIds(session, countedIds());
        const { result } = planExtract(session, { from, to, header, readPatch, newId });
        return { bytes: allOf(result), expected: seen(bytes).get(to.id) };
      });
    });
    const verdicts = await askPi(
      parts.map(({ bytes }) => bytes),
      '--head',
    );
    const heads = verdicts.map(({ entries = [] }) => entries[0]?.sha256 ?? 'error');
    const wrong = parts.flatMap(({ expected }, at) => (heads[at] === expected || heads[at] === 'error' ? [] : [at]));
    expect(wrong).toEqual([]);
    expect(heads.filter((sha256) => sha256 !== 'error').length).toBeGreaterThan(parts.length * 0.9);
  }, 300_000);
});
