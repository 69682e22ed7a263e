import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CtxError } from '../../src/errors.js';
import { fixtures, projectFolder } from '../support/files.js';
import { generateSession, type Shape } from '../support/generate.js';
import { contextsAt, contextsOf, type Migrated, migrated } from '../support/migrated.js';
import { runs } from '../support/runs.js';

const FORMS = [null, 'both', 'context_transform'] as const;

const shape = fc.record({
  seed: fc.integer({ min: 0, max: 1_000_000 }),
  version: fc.constantFrom<1 | 2 | 3>(1, 2, 3, 3, 3),
  entries: fc.integer({ min: 5, max: 80 }),
  compactions: fc.constantFrom(0.05, 0.15, 0.3),
  edits: fc.constantFrom(0.05, 0.2, 0.4),
  transforms: fc.constantFrom(0, 0, 0.1),
});
const bytesOf = (each: Shape): Uint8Array => new TextEncoder().encode(generateSession(each));
const RUNS = { numRuns: runs(100) };

/** null for a file that is no session, or whose entries go in circles. */
function migratedIfSession(bytes: Uint8Array, form: (typeof FORMS)[number]): Migrated | null {
  try {
    return migrated(bytes, form);
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return null;
    throw error;
  }
}

describe.each(FORMS)('migrated with compactions as %s', (form) => {
  it('the context after every entry is the same (L9)', () => {
    fc.assert(
      fc.property(shape, (each) => {
        const bytes = bytesOf(each);
        const before = contextsOf(bytes);
        expect(contextsAt(migrated(bytes, form).bytes, before.keys())).toEqual(before);
      }),
      RUNS,
    );
  });

  it('without transforms and edits, the context is the same also with a prompt and tools that are supplied (L9)', () => {
    const baseline = { parts: [{ name: 'base', text: 'Supplied.' }], tools: [{ name: 'supplied' }] };
    fc.assert(
      fc.property(shape, (each) => {
        const bytes = bytesOf({ ...each, transforms: 0, edits: 0 });
        const before = contextsOf(bytes, baseline);
        expect(contextsAt(migrated(bytes, form).bytes, before.keys(), baseline)).toEqual(before);
      }),
      RUNS,
    );
  });

  it('there is nothing left to migrate (L9)', () => {
    fc.assert(
      fc.property(shape, (each) => {
        const bytes = bytesOf(each);
        const once = migrated(bytes, form);
        const twice = migrated(once.bytes, form);
        expect([twice.changedLines, twice.conversions, twice.lost]).toEqual([0, [], []]);
        expect(Buffer.from(twice.bytes).equals(once.bytes)).toBe(true);
      }),
      RUNS,
    );
  });

  it.each(fixtures.map((file) => path.relative(projectFolder, file)))('%s keeps its contexts', (name) => {
    const bytes = readFileSync(path.join(projectFolder, name));
    const after = migratedIfSession(bytes, form);
    if (!after) return;
    const before = contextsOf(bytes);
    expect(contextsAt(after.bytes, before.keys())).toEqual(before);
  });
});
