import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditLoss } from '#analysis/loss/audit.js';
import type { LossDocument } from '#analysis/loss/document.js';
import type { EntryFate } from '#analysis/loss/fates.js';
import { appendInMemory } from '#change/plan/draft.js';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession, type OpenSession } from '#context/open.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { Head } from '#session/heads/head.js';
import { pathTo } from '#session/tree/tree.js';
import { findHeadAtLine } from '../../../src/session/tree/head-at-line.js';
import { compacted } from '../../fixtures/compacted.js';
import { Log } from '../../fixtures/log.js';
import { NO_SAMPLES, orNoSamples, triedRecordings } from '../../support/files.js';
import { generateSession, type Shape } from '../../support/generate.js';
import { accountsAt } from '../../support/losses.js';
import { runs } from '../../support/runs.js';

const encoder = new TextEncoder();

type Audited = LossDocument & { readonly accounts: readonly EntryFate[] };

async function audited(text: string, at?: string, rule?: 'kept-boundary' | 'after-compaction'): Promise<Audited> {
  const session = await openSession(encoder.encode(text));
  const head = at === undefined ? session.tree.leaf : session.tree.heads.find(at);
  const document = auditLoss({ session, rule }, head!);
  return { ...document, accounts: accountsAt(session, document, rule) };
}

function idsOf({ accounts }: Audited, fate: string): readonly unknown[] {
  return accounts.filter((account) => account.fate === fate).map(({ head }) => head.id);
}

const TWICE = compacted['compacted-twice.jsonl'] as string;

describe('a compaction after another one (pi#2608)', () => {
  it('by Pi before 0.63.1 leaves what the first one kept in no summary', async () => {
    const audit = await audited(TWICE);
    expect(idsOf(audit, 'unaccounted')).toEqual(['u2', 'a2', 'u3', 'a3']);
    expect(idsOf(audit, 'kept')).toEqual(['u4', 'a4']);
    expect(idsOf(audit, 'summarised')).toEqual(['u1', 'a1', 'k1']);
    expect(new Set(audit.left.map(({ reason }) => reason))).toEqual(new Set([null, 'kept-before']));
    expect(audit.inputRule).toEqual({ rule: 'after-compaction', from: 'date' });
  });

  it('by a later Pi has summarised it', async () => {
    const audit = await audited(TWICE, undefined, 'kept-boundary');
    expect(idsOf(audit, 'unaccounted')).toEqual([]);
    expect(idsOf(audit, 'summarised')).toEqual(['u1', 'a1', 'u2', 'a2', 'u3', 'a3', 'k1']);
  });

  it('is a later Pi’s if it has fields of later versions, or is younger', async () => {
    const later = TWICE.replaceAll('"tokensBefore":1000', '"tokensBefore":1000,"usage":{}');
    expect(await audited(later)).toMatchObject({ inputRule: { from: 'fields' }, counts: { unaccounted: 0 } });
    const younger = TWICE.replaceAll('2026-03-02', '2026-03-28');
    expect(await audited(younger)).toMatchObject({ inputRule: { from: 'assumed' }, counts: { unaccounted: 0 } });
  });

  it('still says so below the entry, and not of the first one', async () => {
    expect(await audited(TWICE, 'a4')).toMatchObject({ boundary: { entryId: 'k1' }, counts: { unaccounted: 0 } });
  });
});

describe('a compaction that is only planned', () => {
  it('can be looked at before it is written', async () => {
    const session = await openSession(encoder.encode(new Log('plan').twoTurns().text()));
    const compaction = {
      type: 'compaction',
      id: 'k1',
      parentId: 'a2',
      timestamp: '',
      summary: 'S.',
      firstKeptEntryId: 'u2',
    };
    const longer = appendInMemory(session, [compaction]);
    const audit = auditLoss({ session: attachPatchReader(longer) }, longer.tree.leaf!);
    expect(audit.counts).toEqual({ kept: 2, summarised: 2, edited: 0, unaccounted: 0, total: 4 });
  });
});

describe('what becomes of entries', () => {
  it('an edit takes away what no summary then holds', async () => {
    const log = new Log('edit').twoTurns().edit('e1', 'a1', null).compaction('k1', 'Short.', 'a2');
    const audit = await audited(log.text());
    expect(idsOf(audit, 'edited')).toEqual(['a1']);
    expect(idsOf(audit, 'summarised')).toEqual(['u1', 'u2']);
  });

  it('an edit brings back what an edit took, unless a compaction came between', async () => {
    const log = new Log('back').twoTurns().edit('e1', 'a1', null).edit('e2', 'a1', { content: 'Short.' });
    expect(idsOf(await audited(log.compaction('k1', 'S.', 'a1').text()), 'kept')).toEqual(['a1', 'u2', 'a2']);
    const late = new Log('late').twoTurns().edit('e1', 'a1', null).compaction('k1', 'S.', 'u2').user('u3', 'Go.');
    const audit = await audited(late.edit('e2', 'a1', { content: 'Short.' }).compaction('k2', 'S.', 'u3').text());
    expect(idsOf(audit, 'edited')).toEqual(['a1']);
  });

  it('a transform that is no compaction edits, one that is summarises', async () => {
    const replace = { op: 'messages_cached_replace', scope: 'cached', messages: [], invalidateCacheReason: 'prune' };
    const log = new Log('prune').twoTurns().transform('x1', 'prune', [replace]).user('u3', 'Go on.');
    const audit = await audited(log.compaction('k1', 'Short.', 'k1').text());
    expect(idsOf(audit, 'edited')).toEqual(['u1', 'a1', 'u2', 'a2']);
    expect(idsOf(audit, 'summarised')).toEqual(['u3']);
  });

  it('what comes back is kept', async () => {
    const log = new Log('back').twoTurns().compaction('k1', 'One.', 'u2').user('u3', 'Fix it.');
    const audit = await audited(log.compaction('k2', 'Two.', 'a1').text());
    expect(idsOf(audit, 'kept')).toEqual(['a1', 'u2', 'a2', 'u3']);
  });

  it('the input of a summary is unknown if the first kept entry is on another branch', async () => {
    const log = new Log('off').twoTurns().from('a1').user('u3', 'And the tests?').compaction('k1', 'A file.', 'u2');
    expect(idsOf(await audited(log.text()), 'unaccounted')).toEqual(['u1', 'a1', 'u3']);
  });

  it('a summary that a version of Pi forgot is in no summary', async () => {
    const text = 'No prior history.\n\n---\n\n**Turn Context (split turn):**\n\nMore.';
    const log = new Log('forgot').twoTurns().compaction('k1', 'One.', 'u2').user('u3', 'Fix it.');
    expect(idsOf(await audited(log.compaction('k2', text, 'u3', { usage: {} }).text()), 'unaccounted')).toEqual(['k1']);
  });
});

describe('conservation', () => {
  const shapes = fc.record<Shape>({
    seed: fc.nat(1_000_000),
    entries: fc.integer({ min: 5, max: 50 }),
    odd: fc.constantFrom(0, 0, 0.2),
    transforms: fc.constantFrom(0, 0.15),
    compactions: fc.constantFrom(0.1, 0.2),
    edits: fc.constantFrom(0, 0.15),
  });

  it('every entry that was ever in the context is accounted for once, and what is kept is what is there', async () => {
    let audits = 0;
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const session = await openSession(encoder.encode(generateSession(shape)));
        for (const head of session.tree.heads.ofType('compaction')) {
          const audit = auditLoss({ session }, head);
          audits += 1;
          const { counts } = audit;
          const accounts = accountsAt(session, audit);
          const expected = seen(session, findHeadAtLine(session, audit.boundary!.line)!);
          expect(accounts.map(({ head: { line } }) => line).toSorted((a, b) => a - b)).toEqual(expected.ever);
          const kept = accounts.filter(({ fate }) => fate === 'kept').map(({ head: { line } }) => line);
          expect(kept.toSorted((a, b) => a - b)).toEqual(expected.now);
          expect(counts.kept + counts.summarised + counts.edited + counts.unaccounted).toBe(expected.ever.length);
        }
      }),
      { numRuns: runs(150) },
    );
    expect(audits).toBeGreaterThan(runs(150));
  });

  it('a Pi that summarises again what was kept loses nothing', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const session = await openSession(encoder.encode(generateSession({ ...shape, transforms: 0 })));
        for (const head of session.tree.heads.ofType('compaction')) {
          const audit = auditLoss({ session, rule: 'kept-boundary' }, head);
          const reasons = accountsAt(session, audit, 'kept-boundary').map(({ reason }) => reason);
          expect(reasons).not.toContain('kept-before');
        }
      }),
      { numRuns: runs(150) },
    );
  });

  it.for(orNoSamples(triedRecordings))('holds for %s', async (file, { skip }) => {
    skip(file === NO_SAMPLES, NO_SAMPLES);
    const session = await openSession(file);
    for (const head of session.tree.heads.ofType('compaction')) {
      const { counts, left } = auditLoss({ session }, head);
      expect(counts.kept + counts.summarised + counts.edited + counts.unaccounted).toBe(counts.total);
      // Real Pi of a version that has the mended rule.
      if (/pi-(?:0\.74|1\.5)/.test(file)) expect(left.map(({ fate }) => fate)).not.toContain('unaccounted');
    }
  });

  /** Lines of entries whose messages an envelope on the way to the boundary holds, and of those that hold at it. */
  function seen(session: OpenSession, boundary: Head): { ever: number[]; now: number[] } {
    const ever = new Set<number>();
    let now = new Set<number>();
    for (const { index } of pathTo(session.tree, boundary)) {
      const { meta } = envelopeAt(
        { ...session, tree: { ...session.tree, leaf: session.tree.heads.at(index)! } },
        'HEAD',
        {
          lenient: true,
        },
      );
      now = new Set(meta.provenance.map(({ line }) => line));
      for (const line of now) if (line !== boundary.line) ever.add(line);
    }
    now.delete(boundary.line);
    const sorted = (lines: ReadonlySet<number>): number[] => [...lines].toSorted((a, b) => a - b);
    return { ever: sorted(ever), now: sorted(now) };
  }
});
