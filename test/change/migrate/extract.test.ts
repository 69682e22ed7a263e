import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planExtract } from '#change/migrate/extract.js';
import { buildIdSource } from '#change/plan/entry-stamps.js';
import { toLenient } from '#context/lenient.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { generateSession } from '../../support/generate.js';
import { countedIds } from '../../support/memory-io.js';
import { opened } from '../../support/migrated.js';
import { allOf } from '../../support/repaired.js';
import { runs } from '../../support/runs.js';

const shape = fc.record({
  seed: fc.integer({ min: 0, max: 1_000_000 }),
  version: fc.constantFrom<1 | 2 | 3>(1, 2, 3, 3, 3),
  entries: fc.integer({ min: 5, max: 60 }),
  compactions: fc.constantFrom(0.05, 0.2),
  edits: fc.constantFrom(0.05, 0.3),
  transforms: fc.constantFrom(0, 0, 0.1),
});
const place = fc.nat(1000);
const HEADER = { type: 'session', version: 3, id: 'extracted', timestamp: '2026-01-05T09:00:00.000Z', cwd: '/' };

function extracted(session: Session, from: Head | null, to: Head): { made: Session; isFromThere: boolean } {
  const newId = buildIdSource(session, countedIds());
  const plan = planExtract(session, { from, to, header: HEADER, newId });
  return { made: opened(allOf(plan.result)), isFromThere: !plan.tookWholePath };
}

function contextAt(session: Session, head: Head | null): unknown {
  const envelope = buildEnvelope(toLenient(attachPatchReader(session)), head);
  return [hashEnvelope(envelope), envelope.meta.model, envelope.meta.thinkingLevel];
}

describe('an extracted path', () => {
  it('has the context of the session at its last entry', () => {
    fc.assert(
      fc.property(shape, place, (each, at) => {
        const session = opened(new TextEncoder().encode(generateSession(each)));
        const { heads } = session.tree;
        const to = heads.at(at % heads.length)!;
        const { made } = extracted(session, null, to);
        expect(contextAt(made, made.tree.leaf)).toEqual(contextAt(session, to));
        expect(made.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });

  it('has the same context when it begins further down', () => {
    let began = 0;
    fc.assert(
      fc.property(shape, place, place, (each, at, start) => {
        const session = opened(new TextEncoder().encode(generateSession(each)));
        const { heads } = session.tree;
        const to = heads.at(at % heads.length)!;
        const path = pathTo(session.tree, to);
        const { made, isFromThere } = extracted(session, path[start % path.length]!, to);
        began += isFromThere ? 1 : 0;
        expect(contextAt(made, made.tree.leaf)).toEqual(contextAt(session, to));
        expect(made.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
    expect(began).toBeGreaterThan(runs(150));
  });
});
