import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from '../../support/check.js';
import { mutant, mutated, mutation, patchwork } from '../../support/damaged-files.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { keptBytes, repairBytes, repairIfSession } from '../../support/repaired.js';
import { runs } from '../../support/runs.js';

const PAIRS = ['call-without-result', 'result-without-call', 'open-call'];

/** A fixture in which something happened to a few bytes. */
const damagedFixture = fc
  .tuple(fc.constantFrom(...fixtures), fc.array(mutation, { minLength: 1, maxLength: 6 }))
  .map(([file, mutations]) => mutations.reduce(mutated, readFileSync(file)));

const anyFile = fc.oneof(patchwork, mutant, damagedFixture);
const RUNS = { numRuns: runs(400) };

describe('a repaired file', () => {
  it('has no error that is about the file or its tree', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, async (file) => {
        const repaired = await repairIfSession(file);
        if (!repaired) return;
        const found = await check(repaired.bytes, { rules: ['file', 'tree'] });
        expect(found.filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
      RUNS,
    );
  });

  it('needs no further repair', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, async (file) => {
        const repaired = await repairIfSession(file);
        if (!repaired) return;
        const again = await repairBytes(repaired.bytes);
        expect([again.repairs, again.discarded]).toEqual([[], []]);
        expect(Buffer.from(again.bytes).equals(repaired.bytes)).toBe(true);
      }),
      RUNS,
    );
  });

  it('contains every byte of the original that is neither lost nor repaired', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, async (file) => {
        const repaired = await repairIfSession(file);
        if (!repaired) return;
        const known = keptBytes(repaired.result, file.length);
        for (const { offset, length } of [...repaired.discarded, ...repaired.repairs])
          known.fill(1, offset, offset + length);
        const missing = known.findIndex((isKnown) => isKnown === 0);
        expect(
          missing === -1
            ? ''
            : `${missing}: ${JSON.stringify(Buffer.from(file.subarray(missing, missing + 40)).toString())}`,
        ).toBe('');
        expect(repaired.lostBytes.length).toBe(repaired.discarded.reduce((sum, { length }) => sum + length, 0));
      }),
      RUNS,
    );
  });

  it('has a result for every call of the context, and a call for every result', async () => {
    await fc.assert(
      fc.asyncProperty(mutant, async (file) => {
        const repaired = await repairIfSession(file);
        // Pi gives entries of version 1 new ids, and what a transform has written is not the file's to mend.
        const text = Buffer.from(repaired?.bytes ?? []).toString();
        if (!repaired || !/^\{[^\n]*"version":[23]/.test(text) || text.includes('"context_transform"')) return;
        expect(await check(repaired.bytes, { rules: PAIRS })).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe('a clean file', () => {
  const DAMAGED = [
    'fixtures/damaged/',
    // Holds a message entry without a message, on which Pi fails.
    'fixtures/missing-content.jsonl',
  ];
  const clean = fixtures
    .map((file) => path.relative(projectFolder, file))
    .filter((file) => !DAMAGED.some((name) => file.startsWith(name)));

  it.each(clean)('%s stays as it is', async (name) => {
    const file = readFileSync(path.join(projectFolder, name));
    const { repairs, discarded: lost, bytes } = await repairBytes(file, name);
    expect([repairs, lost]).toEqual([[], []]);
    expect(Buffer.from(bytes).equals(file)).toBe(true);
  });

  it('may end its lines as Windows does, and hold blank ones', async () => {
    const text = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
    const file = Buffer.from(text.replaceAll('\n', '\r\n\r\n \r\n'));
    expect(Buffer.from((await repairBytes(file)).bytes).equals(file)).toBe(true);
  });
});
