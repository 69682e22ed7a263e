import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { onceFor } from '#base/once.js';
import { readPatch } from '#context/ops/read-patch.js';
import { isSameContext, type OpenContext } from '#context/replay/hash.js';
import type { Replay } from '#context/replay/replay.js';
import { transformAbove } from '#context/replay/selection.js';
import { type ContextWalk, walk } from '#context/walk.js';
import type { Session } from '#session/session.js';
import { copyOf, type Head, idText } from '#session/table/head.js';
import { pathTo } from '#session/tree/tree.js';
import { FreshIds } from '../repair/new-entries.js';
import { opsBetween, opsOfCompaction, opsToReset, transformEntry } from './transform-entry.js';

/** The entries that replace a compaction in the new file: a transform with the compaction below it, or the transform alone. */
export type ConvertedForm = 'both' | 'context_transform';

/** A transform of the new file. */
export interface Conversion {
  /** The entry that it belongs to. */
  readonly head: Head;
  readonly entry: JsonObject;
  /** `above`: between the entry and its parent. `instead`: replaces the entry, and takes its id. */
  readonly place: 'above' | 'instead';
  /** The kind of entry that it replaces: a compaction, or an edit whose target a compaction has removed. */
  readonly kind: 'compaction' | 'edit' | 'edit, with all messages added again';
}

/** Maps an entry to the id that replaces its own in the new file; usually its own. */
type ParentOf = (head: Head) => unknown;

interface Converting {
  readonly form: ConvertedForm;
  readonly parentOf: ParentOf;
}

/** The compactions of a session that no transform repeats. */
export function* legacyCompactions(session: Session): Generator<Head> {
  const { heads } = session.tree;
  for (const head of heads.ofType('compaction')) {
    const parent = heads.at(heads.parentAt(head.index));
    if (!transformAbove(session, parent ? [parent, head] : [head], parent ? 1 : 0)) yield head;
  }
}

/**
 * Finds transforms that replace all compactions without a change to the context after any entry, by the index of the
 * entry that each belongs to. Throws a CtxError (input) if a session has a compaction that a transform cannot replace.
 */
export function convertCompactions(session: Session, converting: Converting): ReadonlyMap<number, Conversion> {
  const isLegacy = new Set(Array.from(legacyCompactions(session), ({ index }) => index));
  const found = new Map<number, Conversion>();
  if (isLegacy.size === 0) return found;
  refuseCycles(session);
  const { heads } = session.tree;
  const looked = looksTo(session, isLegacy);
  const ids = new FreshIds(heads, session.header.id);
  const walked = new Uint8Array(heads.length);
  for (const index of [...looked].toSorted((a, b) => b - a)) {
    const head = walked[index] === 0 ? heads.at(index) : undefined;
    if (!head) continue;
    const path = pathTo(session.tree, head);
    const state: Walk = { ...converting, session, path, isLegacy, looked, found, ids };
    // The entries to insert above an entry are known only after passing it, so the walk begins again.
    while (!isConverted(state));
    for (const { index: passed } of path) walked[passed] = 1;
  }
  return found;
}

function refuseCycles({ problems, file }: Session): void {
  const cycle = problems.find(({ code }) => code === 'cycle');
  if (!cycle) return;
  throw new CtxError('input', 'the parents form a cycle, so it is unknown what a compaction keeps', {
    where: `${file}:${cycle.line}`,
    hint: 'repair the session first: ctx repair --output NEW.jsonl',
  });
}

/**
 * The entries after which the context could differ: compactions, and what could act on something that a compaction
 * passed by: edits, their targets, and system messages, which Pi reads together. All others add the same to both.
 */
function looksTo({ tree: { heads } }: Session, isLegacy: ReadonlySet<number>): ReadonlySet<number> {
  const looked = new Set(isLegacy);
  const isBelow = new Uint8Array(heads.length);
  const areSorted = heads.areParentsAbove();
  for (let index = 0; index < heads.length; index += 1) {
    const parent = heads.parentAt(index);
    if (isLegacy.has(index) || (parent !== -1 && isBelow[parent] === 1)) isBelow[index] = 1;
  }
  const look = (index: number): void => {
    if (index !== -1 && (!areSorted || isBelow[index] === 1)) looked.add(index);
  };
  for (const { index } of heads.ofType('context_edit')) {
    look(index);
    look(heads.targetAt(index));
  }
  for (let index = 0; index < heads.length; index += 1) if (heads.roleAt(index) === 'system') look(index);
  return looked;
}

interface Walk extends Converting {
  readonly session: Session;
  readonly path: readonly Head[];
  readonly isLegacy: ReadonlySet<number>;
  readonly looked: ReadonlySet<number>;
  readonly found: Map<number, Conversion>;
  readonly ids: FreshIds;
}

/** Walks a path and adds what is missing. false: one was added above an entry that the walk had passed. */
function isConverted(state: Walk): boolean {
  const { session, path, isLegacy, looked, found } = state;
  const both = new Lockstep(session, path);
  for (const head of path) {
    const before = looked.has(head.index) ? both.converted() : null;
    both.stepOriginal();
    let conversion = found.get(head.index);
    if (before && !conversion && isLegacy.has(head.index)) {
      conversion = ofCompaction(state, head, { before, after: both.original() });
      found.set(head.index, conversion);
    }
    both.stepConverted(head, conversion ?? null);
    if (!before || isSameContext(both.original(), both.converted())) continue;
    if (conversion && conversion.kind !== 'edit') throw cannotSay(session, head);
    const patch = conversion
      ? opsToReset(before, both.original(), EDIT)
      : opsBetween(both.converted(), both.original(), EDIT);
    found.set(
      head.index,
      ofEdit(state, head, { patch, kind: conversion ? 'edit, with all messages added again' : 'edit' }),
    );
    return false;
  }
  return true;
}

const EDIT = 'context edit';

interface Change {
  readonly before: OpenContext;
  readonly after: OpenContext;
}

function ofCompaction({ session, form, parentOf, ids }: Walk, head: Head, { before, after }: Change): Conversion {
  const compaction = session.entry(head);
  const { type: _type, id, parentId: _parentId, timestamp, ...rest } = compaction;
  const isAlone = form === 'context_transform';
  const entry = transformEntry({
    id: isAlone ? (id ?? ids.next(head.line)) : ids.next(head.line),
    parentId: parentOf(head),
    timestamp,
    name: 'compaction',
    patch: opsOfCompaction(before, after, compaction),
    title: 'Compaction',
    ...(isAlone ? { rest } : {}),
  });
  return { head, entry, place: isAlone ? 'instead' : 'above', kind: 'compaction' };
}

interface Said extends Pick<Conversion, 'kind'> {
  readonly patch: readonly JsonObject[];
}

/** Converts an edit of a message that a compaction has passed by into a transform above it. */
function ofEdit({ session, parentOf, ids }: Walk, head: Head, { patch, kind }: Said): Conversion {
  const entry = transformEntry({
    id: ids.next(head.line),
    parentId: parentOf(head),
    timestamp: session.entry(head)['timestamp'],
    name: 'migration',
    patch,
    title: 'Edit of compacted entries',
  });
  return { head, entry, place: 'above', kind };
}

function cannotSay({ file }: Session, head: Head): CtxError {
  // Pi reads a system message without a time only together with others, and a compaction drops those.
  const what =
    head.role === 'system'
      ? 'a transform cannot replace a compaction of this system message, which has no timestamp'
      : `a transform cannot replace this ${head.type ?? 'entry'}`;
  return new CtxError('input', what, {
    where: `${file}:${head.line}: entry ${idText(head.id) ?? 'without an id'}`,
    hint: 'migrate without --compactions',
  });
}

/** Replays a path as it is and as it will be in the new file, entry by entry. */
class Lockstep {
  private readonly path: Head[] = [];
  private readonly transforms = new Map<Head, JsonObject>();
  private readonly old: ContextWalk;
  private readonly next: ContextWalk;

  constructor(session: Session, path: readonly Head[]) {
    const options = { readPatch, lenient: true };
    const entry = onceFor((head: Head) => session.entry(head));
    this.old = walk({ ...session, entry }, path, options);
    const seen: Session = { ...session, entry: (head) => this.transforms.get(head) ?? entry(head) };
    this.next = walk(seen, this.path, options);
  }

  stepOriginal(): void {
    takeNext(this.old);
  }

  /** Takes in the entry that `stepOriginal` took last, with the transform that belongs to it. */
  stepConverted(head: Head, conversion: Conversion | null): void {
    if (conversion) {
      const transform: Head = { ...copyOf(head), type: 'context_transform', role: null, index: head.index };
      this.transforms.set(transform, conversion.entry);
      this.take(transform);
      if (conversion.place === 'instead') return;
    }
    this.take(head);
  }

  original(): OpenContext {
    return contextOf(this.old.replay);
  }

  converted(): OpenContext {
    return contextOf(this.next.replay);
  }

  private take(head: Head): void {
    this.path.push(head);
    takeNext(this.next);
  }
}

function takeNext({ steps }: ContextWalk): void {
  const { done, value } = steps.next();
  if (!done) value.take();
}

function contextOf(replay: Replay): OpenContext {
  return { messages: replay.content().messages.cached, declared: replay.declaredRegions() };
}
