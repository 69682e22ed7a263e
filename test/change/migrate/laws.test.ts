import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { isObject, type JsonObject, listObjects } from '#base/json.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { generateSession, type Shape } from '../../support/generate.js';
import { contextsAt, contextsOf, type Migrated, migrated } from '../../support/migrated.js';
import { Random } from '../../support/random.js';
import { runs } from '../../support/runs.js';

interface OddDeclarations {
  readonly seed: number;
  readonly untimed: number;
  readonly yielding: number;
}

const FORMS = [null, 'both', 'context_transform'] as const;

const shape = fc.record({
  seed: fc.integer({ min: 0, max: 1_000_000 }),
  version: fc.constantFrom<1 | 2 | 3>(1, 2, 3, 3, 3),
  entries: fc.integer({ min: 5, max: 80 }),
  compactions: fc.constantFrom(0.05, 0.15, 0.3),
  edits: fc.constantFrom(0.05, 0.2, 0.4),
  transforms: fc.constantFrom(0, 0, 0.1, 0.3),
});
/** Some of the names are those of sections and tools that the sessions have, so that ops on them find them here. */
const baselines = fc.record({
  parts: fc.subarray(['base', 'rules', 'content', '7'].map((name) => ({ name, text: `Supplied ${name}.` }))),
  tools: fc.subarray(['supplied', 'read', 'bash'].map((name) => ({ name }))),
});

/** The share of system messages without a time, and of ops that yield to a baseline. */
const oddity = fc.record({ untimed: fc.constantFrom(0, 0, 0.3), yielding: fc.constantFrom(0, 0.3) });

function withOddDeclarations(bytes: Uint8Array, { seed, untimed, yielding }: OddDeclarations): Uint8Array {
  const random = new Random(seed);
  const lines = new TextDecoder().decode(bytes).trimEnd().split('\n');
  const changed = lines.map((line) => {
    const { message, patch, ...entry } = JSON.parse(line) as JsonObject;
    const isUntimed = isObject(message) && message['role'] === 'system' && random.chance(untimed);
    const ops = listObjects(patch).map((op) => (random.chance(yielding) ? { ...op, baseline: true } : op));
    return JSON.stringify({
      ...entry,
      ...(message ? { message: isUntimed ? { role: 'system', content: 'No time.' } : message } : {}),
      ...(patch ? { patch: ops } : {}),
    });
  });
  return new TextEncoder().encode(`${changed.join('\n')}\n`);
}

const bytesOf = (each: Shape): Uint8Array => new TextEncoder().encode(generateSession(each));
const RUNS = { numRuns: runs(100) };

/** null for a file that is no session, or whose migration is refused. */
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

  it('the context is the same also with a prompt and tools that are supplied (L9)', () => {
    let refused = 0;
    fc.assert(
      fc.property(shape, oddity, baselines, (each, odd, baseline) => {
        const bytes = withOddDeclarations(bytesOf(each), { ...odd, seed: each.seed });
        const after = migratedIfSession(bytes, form);
        if (!after) {
          expect(odd.untimed).toBeGreaterThan(0);
          refused += 1;
          return;
        }
        const before = contextsOf(bytes, baseline);
        expect(contextsAt(after.bytes, before.keys(), baseline)).toEqual(before);
      }),
      RUNS,
    );
    expect(refused).toBeLessThan(runs(10));
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
