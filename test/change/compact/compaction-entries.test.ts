import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '#base/json.js';
import { buildCompactionEntries, type CompactionForm } from '#change/compact/compaction-entries.js';
import { type Preparation, prepareCompaction } from '#change/compact/prepare.js';
import { appendInMemory, buildDraft, buildPlan } from '#change/plan/draft.js';
import { assertPairsIntact } from '#change/plan/separated-pairs.js';
import { hideTransforms } from '#change/plan/stock-view.js';
import type { OpenSession } from '#context/open.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { toLlmMessage, toSummaryMessage } from '#context/replay/convert.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../../src/session/read-session.js';
import { sourceOf } from '../../support/entries.js';
import { generateSession, type Shape } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

const NOW = Date.UTC(2026, 2, 1);
const RUNS = { numRuns: runs(100) };
const SUMMARY = { text: '## Goal\nAll of it.' };

interface Case {
  readonly session: Session;
  readonly preparation: Preparation;
}

function opened(shape: Shape): OpenSession {
  return attachPatchReader(readSession(sourceOf(generateSession(shape)), 'generated'));
}

function prepared(session: OpenSession, keepRecentTokens: number, keepsPairs = true): Preparation | null {
  const { leaf } = session.tree;
  if (!leaf) return null;
  return prepareCompaction(session, { path: pathTo(session.tree, leaf), keepRecentTokens, keepsPairs });
}

function compacted({ session, preparation }: Case, form: CompactionForm, from = 1): Session {
  const { leaf } = session.tree;
  const path = leaf ? pathTo(session.tree, leaf) : [];
  let next = from;
  const newId = (): string => (next += 1).toString(16).padStart(8, '0');
  const entries = buildCompactionEntries(
    session,
    { path, preparation, summary: SUMMARY, form },
    { now: () => NOW, newId },
  );
  return appendInMemory(session, buildPlan(buildDraft(session, entries), 'compact').entries);
}

function shown(session: Session): ReturnType<typeof buildEnvelope> {
  return buildEnvelope(attachPatchReader(session), session.tree.leaf);
}

function isHidden({ message }: JsonObject): boolean {
  return isObject(message) && message['excludeFromContext'] === true;
}

function sent(messages: Preparation['messagesToSummarize'] = []): readonly unknown[] {
  return messages.flatMap((message) => toLlmMessage(message) ?? []);
}

/** Sessions in which there is something to compact. */
function cases(shape: Partial<Shape>): fc.Arbitrary<Case> {
  return fc
    .tuple(fc.integer({ min: 0, max: 1e6 }), fc.constantFrom(1, 20, 60, 200))
    .map(([seed, budget]) => {
      const session = opened({ seed, entries: 40, sound: true, ...shape });
      // What fails is told by these two.
      return { session, preparation: prepared(session, budget), [fc.toStringMethod]: () => `${seed}, ${budget}` };
    })
    .filter((found): found is typeof found & Case => found.preparation !== null);
}

const STOCK = cases({});
const ENGINEERED = cases({ transforms: 0.15 });
const ODD = cases({ transforms: 0.15, sound: false });

describe('a compaction', () => {
  it('leaves the summary, then what is kept', () => {
    fc.assert(
      fc.property(fc.oneof(STOCK, ENGINEERED, ODD), ({ session, preparation }) => {
        const before = shown(session);
        const after = shown(compacted({ session, preparation }, 'both'));
        const kept = before.messages.cached.slice(preparation.firstKeptMessageIndex);
        expect(after.messages.cached).toEqual([toSummaryMessage(SUMMARY.text, NOW), ...kept]);
        expect(kept).toHaveLength(preparation.keptMessages);
        expect([after.system, after.tools, after.options]).toEqual([before.system, before.tools, before.options]);
      }),
      RUNS,
    );
  });

  it('sums up all that it does not keep', () => {
    fc.assert(
      fc.property(fc.oneof(STOCK, ENGINEERED), ({ session, preparation }) => {
        const { messages, meta } = shown(session);
        const leaving = messages.cached.slice(0, preparation.firstKeptMessageIndex);
        const own = leaving.filter((_message, at) => meta.provenance[at]?.origin !== 'compaction');
        const { messagesToSummarize, turnPrefixMessages } = preparation;
        const summarised = [...messagesToSummarize, ...turnPrefixMessages].flatMap(
          (message) => toLlmMessage(message) ?? [],
        );
        expect(summarised).toEqual(own);
      }),
      RUNS,
    );
  });

  it('is the same in every form', () => {
    fc.assert(
      fc.property(STOCK, (found) => {
        const [both, transform, stock] = (['both', 'context_transform', 'compaction'] as const).map((form) =>
          shown(compacted(found, form)),
        );
        for (const other of [transform, stock]) {
          expect(other?.messages).toEqual(both?.messages);
          expect(other?.tools).toEqual(both?.tools);
          expect(other?.system).toEqual(both?.system);
        }
      }),
      RUNS,
    );
  });

  it('is seen by a Pi that knows no transforms', () => {
    fc.assert(
      fc.property(STOCK, (found) => {
        const session = compacted(found, 'both');
        const stock = buildEnvelope(hideTransforms(session), session.tree.leaf);
        const ours = shown(session);
        expect([stock.messages, stock.system, stock.tools]).toEqual([ours.messages, ours.system, ours.tools]);
      }),
      RUNS,
    );
  });

  it('never parts a tool call from its result', () => {
    fc.assert(
      fc.property(fc.oneof(STOCK, ENGINEERED, ODD), (found) => {
        const after = shown(compacted(found, 'context_transform'));
        assertPairsIntact({ session: found.session, entries: [], before: shown(found.session), after }, 'compact');
      }),
      RUNS,
    );
  });

  it('can be compacted again: the same way from either form', () => {
    fc.assert(
      fc.property(STOCK, fc.constantFrom(1, 30, 90), (found, budget) => {
        // A hidden shell command at the beginning of what was kept is sent to nobody, but Pi counts it.
        fc.pre(![...found.session.tree.heads].some((head) => isHidden(found.session.entry(head))));
        const said = ['and then', 'further', 'on and on'].map((content, at) => ({
          type: 'message',
          id: `f000000${at}`,
          parentId: null as string | null,
          timestamp: new Date(NOW + 1000 + at).toISOString(),
          message: { role: 'user', content: content.repeat(20), timestamp: NOW + 1000 + at },
        }));
        const [ofBoth, ofStock] = (['both', 'compaction'] as const).map((form) => {
          const session = compacted(found, form);
          let above = session.tree.leaf?.id as string | null;
          const entries = said.map((entry) => {
            const placed = { ...entry, parentId: above };
            above = entry.id;
            return placed;
          });
          return prepared(attachPatchReader(appendInMemory(session, entries)), budget, false);
        });
        expect(ofBoth === null).toBe(ofStock === null);
        expect(sent(ofBoth?.messagesToSummarize)).toEqual(sent(ofStock?.messagesToSummarize));
        expect(sent(ofBoth?.turnPrefixMessages)).toEqual(sent(ofStock?.turnPrefixMessages));
        expect(ofBoth?.previousSummary).toEqual(ofStock?.previousSummary);
        expect(ofBoth?.keptMessages).toEqual(ofStock?.keptMessages);
        // Prompt and tools are rounded up each on its own.
        expect(Math.abs((ofBoth?.tokensBefore ?? 0) - (ofStock?.tokensBefore ?? 0))).toBeLessThanOrEqual(2);
      }),
      RUNS,
    );
  });
});
