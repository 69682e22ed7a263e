import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { buildPlan } from '#change/plan/draft.js';
import { hideTransforms } from '#change/plan/stock-view.js';
import { draftRestore, type RestoreDraft, type RestoreForm } from '#change/revert/restore.js';
import { resolveUndo } from '#change/revert/undo-selection.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { replayContext } from '#context/replay/build-envelope.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import { type Head } from '#session/heads/head.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../../src/session/read-session.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { generateSession, type Shape } from '../../support/generate.js';
import { countedIds } from '../../support/memory-io.js';
import { runs } from '../../support/runs.js';

const NOW = Date.UTC(2026, 2, 1);
const CHANGES = new Set<string | null>(['compaction', 'context_edit', 'context_transform']);

function read(text: string | Uint8Array): Session {
  return readSession(toByteSource(typeof text === 'string' ? new TextEncoder().encode(text) : text), 's.jsonl');
}

function hashAt(session: Session, at: Head | null = session.tree.leaf): string {
  return hashEnvelope(replayContext(attachPatchReader(session), at));
}

function stockHashAt(session: Session): string {
  return hashEnvelope(replayContext(hideTransforms(session), session.tree.leaf));
}

/** The same session where some entries say nothing: another way to the context without them. */
function silenced(text: string, session: Session, heads: readonly Head[]): Session {
  const lines = text.split('\n');
  for (const head of heads) {
    const { id, parentId, timestamp } = session.entry(head);
    lines[head.line - 1] = JSON.stringify({ type: 'custom', id, parentId, timestamp });
  }
  return read(lines.join('\n'));
}

function restore(session: Session, head: Head, form: RestoreForm | null = null): RestoreDraft | CtxError {
  try {
    return draftRestore(session, resolveUndo(session, String(head.id)), { form, now: () => NOW, newId: countedIds() });
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'refused') return error;
    throw error;
  }
}

interface Tried {
  readonly shape: Shape;
  readonly head: Head;
  readonly result: RestoreDraft | CtxError;
  readonly isRight: boolean;
  readonly isRightForPi: boolean;
}

function* tryAll(shapes: readonly Shape[], form: RestoreForm | null = null): Generator<Tried> {
  for (const shape of shapes) {
    const text = generateSession(shape);
    const session = read(text);
    const path = session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : [];
    for (const head of path.filter(({ type }) => CHANGES.has(type))) {
      const result = restore(session, head, form);
      if (result instanceof CtxError) {
        yield { shape, head, result, isRight: true, isRightForPi: true };
        continue;
      }
      const { places } = resolveUndo(session, String(head.id));
      const without = silenced(
        text,
        session,
        places.map((place) => path[place]!),
      );
      const after = read(Buffer.concat([Buffer.from(text), encodeEntries(buildPlan(result.draft, 'restore'))]));
      yield {
        shape,
        head,
        result,
        isRight: hashAt(after) === hashAt(without) && hashAt(after) === result.draft.predicted().sha256,
        isRightForPi: !result.isSeenByPi || stockHashAt(after) === stockHashAt(without),
      };
    }
  }
}

const shapes = (rest: Partial<Shape>, count = 60): readonly Shape[] =>
  Array.from({ length: Math.max(12, runs(count)) }, (_, seed) => ({ seed, entries: 30, ...rest }));

const isRefused = ({ result }: Tried): boolean => result instanceof CtxError;

function wrong(tried: readonly Tried[]): readonly unknown[] {
  return tried
    .filter(({ isRight, isRightForPi }) => !isRight || !isRightForPi)
    .map(({ shape, head }) => [shape, head.id]);
}

function countOf(tried: readonly Tried[], form: RestoreForm, isSeenByPi = true): number {
  return tried.filter(({ result }) => 'form' in result && result.form === form && result.isSeenByPi === isSeenByPi)
    .length;
}

describe('law L8: without an entry that was undone, the context is what it would be had it never been there', () => {
  it('holds for sessions of Pi, and Pi sees it too', () => {
    const tried = [...tryAll(shapes({ compactions: 0.1, edits: 0.15 }))];
    expect(wrong(tried)).toEqual([]);
    expect(tried.filter(({ result }) => 'isSeenByPi' in result && !result.isSeenByPi)).toEqual([]);
    expect(tried.filter(isRefused).length).toBeLessThan(5);
    expect(countOf(tried, 'stock')).toBeGreaterThan(runs(50) - 1);
    expect(countOf(tried, 'branch')).toBeGreaterThan(runs(5) - 1);
    expect(countOf(tried, 'context_transform')).toBe(0);
  });

  it('holds for sessions with transforms', () => {
    const tried = [...tryAll(shapes({ compactions: 0.05, edits: 0.1, transforms: 0.15 }))];
    expect(wrong(tried)).toEqual([]);
    expect(countOf(tried, 'context_transform')).toBeGreaterThan(runs(30) - 1);
    expect(countOf(tried, 'branch')).toBeGreaterThan(runs(5) - 1);
    expect(countOf(tried, 'stock')).toBeGreaterThan(runs(5) - 1);
  });

  it('holds for odd sessions', () => {
    const tried = [...tryAll(shapes({ compactions: 0.1, edits: 0.1, odd: 0.3 }))];
    expect(wrong(tried)).toEqual([]);
    expect(countOf(tried, 'stock')).toBeGreaterThan(runs(10) - 1);
  });

  it('holds for the transforms that are asked for', () => {
    const tried = [...tryAll(shapes({ compactions: 0.1, edits: 0.15 }, 20), 'context_transform')];
    expect(wrong(tried)).toEqual([]);
    expect(countOf(tried, 'context_transform', false) + countOf(tried, 'context_transform')).toBeGreaterThan(
      runs(20) - 1,
    );
  });
});
