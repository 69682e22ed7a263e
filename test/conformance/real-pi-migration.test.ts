import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { planExtract } from '#change/migrate/extract.js';
import { buildIdSource } from '#change/plan/entry-stamps.js';
import { fixtures, triedRecordings } from '../support/files.js';
import { countedIds } from '../support/memory-io.js';
import { migrated, opened } from '../support/migrated.js';
import { withRealPi } from '../support/real-pi.js';
import { allOf } from '../support/repaired.js';
import { runs } from '../support/runs.js';
import { askPi, GENERATED, generatedBytes, isComparable, judge } from './judged.js';

interface Source {
  readonly bytes: Uint8Array;
  /** What a stock reader sees at the entries, by their ids. */
  readonly seen: ReadonlyMap<unknown, string>;
}

/** Sessions without transforms or circles. */
function* readSources(): Generator<Source> {
  for (const bytes of [
    ...GENERATED.slice(0, runs(GENERATED.length))
      .filter(({ odd, seed }) => !odd && seed % 2 === 0)
      .map((shape) => generatedBytes(shape)),
    ...[...fixtures.filter(isComparable), ...triedRecordings].map((file) => readFileSync(file)),
  ]) {
    const judged = judge(bytes);
    if (judged === null) continue;
    const { problems, tree } = opened(bytes);
    if (problems.some(({ code }) => code === 'cycle')) continue;
    const seen = [...judged].map(([at, sha256]) => [at === null ? null : tree.heads.at(at)?.id, sha256] as const);
    yield { bytes, seen: new Map(seen) };
  }
}

withRealPi('real Pi', () => {
  const sources = [...readSources()];

  it.each([null, 'both'] as const)(
    'sees the same at every entry of a migrated session, with compactions as %s',
    async (form) => {
      const verdicts = await askPi(
        sources.map(({ bytes }) => migrated(bytes, form).bytes),
        '--hash',
      );
      const differences = verdicts.flatMap(({ ok, entries = [] }, at) => {
        const found = new Map(entries.map(({ id, sha256 = 'error' }) => [id, sha256]));
        const wrong = [...sources[at]!.seen].filter(([id, sha256]) => {
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
    const parts = sources.flatMap(({ bytes, seen }) => {
      const session = opened(bytes);
      const { heads } = session.tree;
      const to = heads.at(Math.floor(heads.length * 0.8));
      if (!to || typeof to.id !== 'string' || heads.entryOfIdAt(to.index) !== to.index) return [];
      const header = { type: 'session', version: 3, id: 'part', timestamp: '2026-01-05T09:00:00.000Z', cwd: '/' };
      return [null, heads.at(heads.parentAt(to.index)) ?? null].map((from) => {
        const newId = buildIdSource(session, countedIds());
        const { result } = planExtract(session, { from, to, header, newId });
        return { bytes: allOf(result), expected: seen.get(to.id) };
      });
    });
    const verdicts = await askPi(
      parts.map(({ bytes }) => bytes),
      '--hash',
      '--head',
    );
    const heads = verdicts.map(({ entries = [] }) => entries[0]?.sha256 ?? 'error');
    const wrong = parts.flatMap(({ expected }, at) => (heads[at] === expected || heads[at] === 'error' ? [] : [at]));
    expect(wrong).toEqual([]);
    expect(heads.filter((sha256) => sha256 !== 'error').length).toBeGreaterThan(parts.length * 0.9);
  }, 300_000);
});
