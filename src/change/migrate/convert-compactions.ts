import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { type BaselineFreeContext, isSameContext } from '#context/replay/equality.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import { StableIds } from '../plan/stable-ids.js';
import { EntryPaths } from './entry-paths.js';
import { LockstepReplay } from './lockstep-replay.js';
import { buildCompactionOps, buildOpsBetween, buildResetOps, buildTransformEntry } from './transform-ops.js';

/**
 * The entries that replace a compaction in the new file: a transform with the compaction below it, or the transform
 * alone.
 */
export type ConversionForm = 'both' | 'context_transform';

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

interface Converting {
  readonly form: ConversionForm;
  /** Maps an entry to the id of its parent in the new file. */
  readonly parentOf: (head: Head) => unknown;
}

/** The compactions of a session that no transform repeats. */
export function* listLegacyCompactions(session: Session): Generator<Head> {
  const { heads } = session.tree;
  for (const head of heads.ofType('compaction')) {
    const parent = heads.at(heads.parentAt(head.index));
    if (!findRepeatedTransform(session, parent ? [parent, head] : [head], parent ? 1 : 0)) yield head;
  }
}

/**
 * Finds transforms that replace all compactions without a change to the context after any entry, by the index of the
 * entry that each belongs to. Throws a CtxError (input) if a session has a compaction that a transform cannot replace.
 */
export function convertCompactions(session: Session, converting: Converting): ReadonlyMap<number, Conversion> {
  const isLegacy = new Set(Array.from(listLegacyCompactions(session), ({ index }) => index));
  const found = new Map<number, Conversion>();
  if (isLegacy.size === 0) return found;
  refuseCycles(session);
  const compared = listComparedEntries(session, isLegacy);
  const ids = new StableIds(session.tree.heads, session.header.id);
  convertAlong(new EntryPaths(session, compared), { ...converting, session, isLegacy, compared, found, ids });
  return found;
}

/** Walks all paths, and each entry once. The largest branch below an entry is the last, so that it needs no fork. */
function convertAlong(paths: EntryPaths, state: ConversionWalk): void {
  const { heads } = state.session.tree;
  const waiting = [{ both: LockstepReplay.of(state.session), indices: paths.childrenOf(-1) }];
  for (let top = waiting.at(-1); top; top = waiting.at(-1)) {
    const head = heads.at(top.indices.pop() ?? -1);
    const isLast = top.indices.length === 0;
    if (isLast) waiting.pop();
    if (!head) continue;
    const both = isLast ? top.both : top.both.fork();
    convertEntry(state, head, both);
    if (head.type === 'compaction') both.forgetHidden(paths.firstReturning(head.index));
    waiting.push({ both, indices: paths.childrenOf(head.index) });
  }
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
 * The entries after which the converted context could differ. These are compactions, and after a compaction edits, their
 * targets, and system messages, which Pi reads together. All others add the same to both contexts.
 */
function listComparedEntries({ tree: { heads } }: Session, isLegacy: ReadonlySet<number>): ReadonlySet<number> {
  const compared = new Set(isLegacy);
  const isBelow = new Uint8Array(heads.length);
  const areSorted = heads.areParentsAbove();
  for (let index = 0; index < heads.length; index += 1) {
    const parent = heads.parentAt(index);
    if (isLegacy.has(index) || (parent !== -1 && isBelow[parent] === 1)) isBelow[index] = 1;
  }
  const add = (index: number): void => {
    if (index !== -1 && (!areSorted || isBelow[index] === 1)) compared.add(index);
  };
  for (const { index } of heads.ofType('context_edit')) {
    add(index);
    add(heads.targetAt(index));
  }
  for (let index = 0; index < heads.length; index += 1) {
    if (heads.roleAt(index) === 'system') add(index);
  }
  return compared;
}

interface ConversionWalk extends Converting {
  readonly session: Session;
  readonly isLegacy: ReadonlySet<number>;
  /** The entries after which the contexts are compared. */
  readonly compared: ReadonlySet<number>;
  readonly found: Map<number, Conversion>;
  readonly ids: StableIds;
}

function convertEntry(state: ConversionWalk, head: Head, both: LockstepReplay): void {
  const { isLegacy, compared, found } = state;
  if (!compared.has(head.index)) return both.takeUnchanged(head);
  const before = both.convertedContext();
  both.takeOriginal(head);
  const isCompaction = isLegacy.has(head.index);
  let conversion = isCompaction ? convertCompaction(state, head, { before, after: both.originalContext() }) : null;
  // The context after an entry decides whether it needs a transform above it, so the state before it is kept.
  const start = isCompaction ? null : both.forkConverted();
  both.takeConverted(head, conversion);
  while (!isSameContext(both.originalContext(), both.convertedContext())) {
    if (conversion && conversion.kind !== 'edit') throw buildInexpressibleError(state.session, head);
    const patch = conversion
      ? buildResetOps(before, both.originalContext(), EDIT)
      : buildOpsBetween(both.convertedContext(), both.originalContext(), EDIT);
    conversion = convertEdit(state, head, { patch, kind: conversion ? 'edit, with all messages added again' : 'edit' });
    both.retakeConverted(start, head, conversion);
  }
  if (conversion) found.set(head.index, conversion);
}

const EDIT = 'context edit';

interface Change {
  readonly before: BaselineFreeContext;
  readonly after: BaselineFreeContext;
}

function convertCompaction(
  { session, form, parentOf, ids }: ConversionWalk,
  head: Head,
  { before, after }: Change,
): Conversion {
  const compaction = session.entry(head);
  const { type: _type, id, parentId: _parentId, timestamp, ...rest } = compaction;
  const isAlone = form === 'context_transform';
  const entry = buildTransformEntry({
    id: isAlone ? (id ?? ids.next(head.line)) : ids.next(head.line),
    parentId: parentOf(head),
    timestamp,
    name: 'compaction',
    patch: buildCompactionOps(before, after, compaction),
    title: 'Compaction',
    ...(isAlone ? { rest } : {}),
  });
  return { head, entry, place: isAlone ? 'instead' : 'above', kind: 'compaction' };
}

type NeededPatch = Pick<Conversion, 'kind'> & { readonly patch: readonly JsonObject[] };

/** Converts an edit of a message that a compaction removed into a transform above it. */
function convertEdit({ session, parentOf, ids }: ConversionWalk, head: Head, { patch, kind }: NeededPatch): Conversion {
  const { timestamp } = session.entry(head);
  const entry = buildTransformEntry({
    id: ids.next(head.line),
    parentId: parentOf(head),
    timestamp,
    name: 'migration',
    patch,
    title: 'Edit of compacted entries',
  });
  return { head, entry, place: 'above', kind };
}

function buildInexpressibleError({ file }: Session, head: Head): CtxError {
  // Pi reads a system message without a time only together with others, and a compaction drops those.
  const what =
    head.role === 'system'
      ? 'a transform cannot replace a compaction of this system message, which has no timestamp'
      : `a transform cannot replace this ${head.type ?? 'entry'}`;
  return new CtxError('input', what, {
    where: `${file}:${head.line}: entry ${formatId(head.id) ?? 'without an id'}`,
    hint: 'migrate without --compactions',
  });
}
