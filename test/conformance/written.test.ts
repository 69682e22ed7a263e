import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fixtures, recordings } from '../support/files.js';
import { runs, tried } from '../support/runs.js';
import { faultOf, generatedFor, writesTo } from './writes.js';

function faultsIn(name: string, bytes: Uint8Array, seed: number): { written: number; faults: readonly string[] } {
  let written = 0;
  const faults: string[] = [];
  for (const write of writesTo(bytes, seed)) {
    written += 1;
    const fault = faultOf(write);
    if (fault !== null) faults.push(`${name}, ${write.name}: ${fault}`);
  }
  return { written, faults };
}

it('every write to a generated session gives stock Pi what the plan predicts, or says that it is ignored', () => {
  let all = 0;
  for (let seed = 0; seed < runs(16); seed += 1) {
    const { written, faults } = faultsIn(`seed ${seed}`, generatedFor(seed), seed);
    all += written;
    expect(faults).toEqual([]);
  }
  expect(all).toBeGreaterThan(runs(150));
});

it('every write to a fixture or a small recording gives stock Pi what the plan predicts', () => {
  for (const [seed, file] of [...fixtures, ...tried(recordings, 3)].entries()) {
    if (statSync(file).size > 100_000) continue;
    const { faults } = faultsIn(path.basename(file), readFileSync(file), seed);
    expect(faults).toEqual([]);
  }
});
