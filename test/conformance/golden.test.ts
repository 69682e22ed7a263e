import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { runs } from '../support/runs.js';
import { GENERATED, generatedBytes, type Golden, goldenFile, goldenLine, judge } from './judged.js';

const golden = JSON.parse(readFileSync(goldenFile, 'utf8')) as Golden;

/** Our line for the entries that Pi could judge. */
function ours(bytes: Uint8Array, expected: string | null): string | null {
  const judgedByPi = new Set(expected?.match(/\w+(?=:)/g));
  const hashes = judge(bytes);
  return goldenLine(hashes && [...hashes].filter(([index]) => judgedByPi.has(String(index ?? 'HEAD'))));
}

describe('what real Pi saw when it was asked', () => {
  it.each(Object.entries(golden.fixtures))('at every entry of %s', (name, expected) => {
    expect(ours(readFileSync(path.join(projectFolder, name)), expected)).toBe(expected);
  });

  it(`at every entry of ${runs(GENERATED.length)} generated sessions`, () => {
    for (const [at, shape] of GENERATED.slice(0, runs(GENERATED.length)).entries()) {
      const expected = golden.generated[at] ?? null;
      expect(ours(generatedBytes(shape), expected), `seed ${shape.seed}`).toBe(expected);
    }
  });
});
