import { readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fixtures, recordings } from '../support/files.js';
import { withRealPi } from '../support/real-pi.js';
import { runs, tried } from '../support/runs.js';
import { isComparable, seenOtherwise } from './judged.js';
import { faultOf, generatedFor, writesTo } from './writes.js';

/** Generated sessions, and those of the project that can be appended to. */
function* sessions(): Generator<Uint8Array> {
  for (let seed = 0; seed < runs(200, 10); seed += 1) yield generatedFor(seed);
  for (const file of [...fixtures, ...tried(recordings, 3)].filter(isSound))
    if (statSync(file).size < LONGEST) yield readFileSync(file);
}

const LONGEST = 200_000;

/** Pi itself fails at some of the damaged ones, before and after. */
function isSound(file: string): boolean {
  return !/damaged|missing/.test(file) && (isComparable(file) || file.includes('mixed'));
}

withRealPi('real Pi', () => {
  it('builds the context that the plan of every write predicts, or the plan says what it ignores', async () => {
    const names: string[] = [];
    const files: Uint8Array[] = [];
    for (const [nth, bytes] of [...sessions()].entries()) {
      for (const write of writesTo(bytes, nth)) {
        files.push(write.bytes);
        names.push(`${nth}, ${write.name}`);
        expect(faultOf(write), names.at(-1)).toBeNull();
      }
    }
    const wrong = await seenOtherwise(files);
    expect(names.length).toBeGreaterThan(runs(2000, 150));
    expect(wrong.map((nth) => names[nth])).toEqual([]);
  });
});
