import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from '../../support/check.js';
import { mutant, mutated, mutation, patchwork } from '../../support/damaged-files.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { keptBytes, mend, mendIfSession } from '../../support/repaired.js';
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
        const mended = await mendIfSession(file);
        if (!mended) return;
        const found = await check(mended.bytes, { rules: ['file', 'tree'] });
        expect(found.filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
      RUNS,
    );
  });

  it('needs no further repair', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, async (file) => {
        const mended = await mendIfSession(file);
        if (!mended) return;
        const again = await mend(mended.bytes);
        expect([again.repairs, again.lost]).toEqual([[], []]);
        expect(Buffer.from(again.bytes).equals(mended.bytes)).toBe(true);
      }),
      RUNS,
    );
  });

  it('contains every byte of the original that is neither lost nor repaired', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, async (file) => {
        const mended = await mendIfSession(file);
        if (!mended) return;
        const known = keptBytes(mended.result, file.length);
        for (const { offset, length } of [...mended.lost, ...mended.repairs]) known.fill(1, offset, offset + length);
        const missing = known.findIndex((isKnown) => isKnown === 0);
        expect(
          missing === -1
            ? ''
            : `${missing}: ${JSON.stringify(Buffer.from(file.subarray(missing, missing + 40)).toString())}`,
        ).toBe('');
        expect(mended.lostBytes.length).toBe(mended.lost.reduce((sum, { length }) => sum + length, 0));
      }),
      RUNS,
    );
  });

  it('has a result for every call of the context, and a call for every result', async () => {
    await fc.assert(
      fc.asyncProperty(mutant, async (file) => {
        const mended = await mendIfSession(file);
        // Pi gives entries of version 1 new ids, and what a transform has written is not the file's to mend.
        const text = Buffer.from(mended?.bytes ?? []).toString();
        if (!mended || !/^\{[^\n]*"version":[23]/.test(text) || text.includes('"context_transform"')) return;
        expect(await check(mended.bytes, { rules: PAIRS })).toEqual([]);
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
    const { repairs, lost, bytes } = await mend(file, name);
    expect([repairs, lost]).toEqual([[], []]);
    expect(Buffer.from(bytes).equals(file)).toBe(true);
  });

  it('may end its lines as Windows does, and hold blank ones', async () => {
    const text = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
    const file = Buffer.from(text.replaceAll('\n', '\r\n\r\n \r\n'));
    expect(Buffer.from((await mend(file)).bytes).equals(file)).toBe(true);
  });
});
