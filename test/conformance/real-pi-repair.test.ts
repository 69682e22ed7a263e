import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../src/base/canonical-json.js';
import { corpus } from '../support/corpus.js';
import { mutant, patchwork } from '../support/damaged-files.js';
import { withRealPi } from '../support/real-pi.js';
import { repairBytes, repairIfSession } from '../support/repaired.js';
import { runs, tried } from '../support/runs.js';
import { askPi, type Verdict } from './judged.js';

/** Why Pi has no context for a file; null where it has one. */
function failure({ ok, error, entries }: Verdict): string | null {
  return ok ? (entries?.[0]?.error ?? null) : (error ?? 'it does not open');
}

withRealPi('real Pi', () => {
  it('shows the model every message that can be got back from a damaged session', async () => {
    const cases = tried(await corpus(), 3);
    const files: Uint8Array[] = [];
    for (const { bytes } of cases) files.push((await repairBytes(bytes)).bytes);
    const verdicts = await askPi(files, '--head');
    const missing: unknown[] = [];
    for (const [at, { name, messages }] of cases.entries()) {
      const verdict = verdicts[at]!;
      const there = (verdict.entries?.[0]?.messages ?? []).map((message) => canonicalJson(message));
      const gone = messages.filter((json) => !take(there, canonicalJson(JSON.parse(json))));
      if (failure(verdict) !== null || gone.length > 0) missing.push([name, failure(verdict), gone]);
    }
    expect(missing).toEqual([]);
  }, 300_000);

  it('opens every repaired session', async () => {
    const files: Uint8Array[] = [];
    for (const file of [...fc.sample(mutant, runs(400, 20)), ...fc.sample(patchwork, runs(400, 20))]) {
      const repaired = await repairIfSession(file);
      if (repaired) files.push(repaired.bytes);
    }
    const verdicts = await askPi(files, '--head');
    const failed = verdicts.flatMap((verdict, at) =>
      failure(verdict) === null ? [] : [[failure(verdict), Buffer.from(files[at]!).toString()]],
    );
    expect(failed).toEqual([]);
  }, 300_000);
});

/** Takes one of a value out of a list. */
function take(list: string[], value: string): boolean {
  const at = list.indexOf(value);
  if (at !== -1) list.splice(at, 1);
  return at !== -1;
}
