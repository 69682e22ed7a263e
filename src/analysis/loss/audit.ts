import { CtxError } from '#base/errors.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import { walk } from '#context/walk.js';
import { formatId, formatIdWord, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { isCompaction, listCompactions } from '#session/tree/compaction.js';
import { pathTo } from '#session/tree/tree.js';
import { listContentChanges } from './content-changes.js';
import type { LossBoundary, LossDocument, LostEntry, LostFact, PathLoss } from './document.js';
import { FACT_CLASSES } from './fact-classes.js';
import { type EntryFate, EntryFates } from './fates.js';
import { findHollow } from './hollow.js';
import { findInputRule, type InputRule } from './input-rule.js';
import { buildFactMentionFinder, CalledFiles, listOwnedFacts, type OwnedFact, toLostFact } from './lost-facts.js';
import { NO_REPLACEMENT, readReplacement, readReplacements, type Replacement } from './replacement.js';
import { describeUnprovenLoss } from './unproven-loss.js';

export interface AuditInput {
  readonly session: OpenSession;
  /** The rule by which Pi chose the input of the summary, if the caller knows it. */
  readonly rule?: InputRule | undefined;
  /** The session without texts, for callers that only need the sent messages. */
  readonly bare?: OpenSession | undefined;
}

/**
 * The entries and facts that a compaction removed from the context, and their fate. `at` is the compaction, the
 * transform of that name, or any later entry. Throws a CtxError (usage) if no compaction precedes it.
 */
export function auditLoss(input: AuditInput, at: Head): LossDocument {
  const { session } = input;
  const opened = openBoundary(input, at);
  if (!opened) return buildEmptyLoss(session);
  const { boundary, fates } = opened;
  const left = [...fates.listBefore(boundary)].filter(
    ({ fate, by }) => fate === 'unaccounted' || by?.index === boundary.index,
  );
  return buildLoss(input, { ...opened, left });
}

/** A compaction, with the fate of every entry before it, what replaced them, and the files in their calls. */
type OpenBoundary = Omit<BoundaryLoss, 'left'>;

/**
 * Opens the newest compaction at or before an entry; null where the walk does not reach it. Throws like `auditLoss`.
 */
export function openBoundary(input: AuditInput, at: Head): OpenBoundary | null {
  const { session } = input;
  const { boundary, path } = findBoundary(session, at);
  const files = new CalledFiles(session);
  for (const { boundary: found, fates, entries } of walkFates(input, path, [boundary])) {
    if (!found) break;
    for (const head of entries) files.add(head);
    return { boundary, fates, replacement: readReplacement(session, boundary), files };
  }
  return null;
}

/**
 * The losses at some compactions of a path, in their order, of one walk along it: each with the entries that it removed
 * itself, so that all of them take little more time than one.
 */
export function* auditLosses(
  input: AuditInput,
  path: readonly Head[],
  boundaries: readonly Head[],
): Generator<AuditedLoss> {
  const { session } = input;
  const replacements = readReplacements(session, path, boundaries);
  const files = new CalledFiles(session);
  for (const { boundary, fates, entries } of walkFates(input, path, boundaries)) {
    if (!boundary) return;
    for (const head of entries) files.add(head);
    const replacement = replacements.get(boundary.index) ?? NO_REPLACEMENT;
    const left = [...fates.listRemovedBy(boundary)];
    yield { ...buildLoss(input, { boundary, fates, replacement, files, left }), summary: replacement.summary };
  }
}

/** A loss, with the summary that replaced what was removed. */
export interface AuditedLoss extends LossDocument {
  readonly summary: string;
}

/**
 * Audits a whole path. It finds what each compaction and the edits removed, and what of it the newest summary still
 * mentions. `isAll`: with the entries and facts of each compaction.
 */
export function auditPath(input: AuditInput, path: readonly Head[], isAll = false): PathLoss {
  const { session } = input;
  const boundaries = listCompactions(session, path);
  const replacements = readReplacements(session, path, boundaries);
  const files = new CalledFiles(session);
  const compactions: PathLoss['compactions'] = [];
  const removed: { readonly at: number; readonly found: OwnedFact }[] = [];
  let before: Replacement | null = null;
  let fates: EntryFates | null = null;
  for (const { boundary, fates: fatesNow, entries } of walkFates(input, path, boundaries)) {
    for (const head of entries) files.add(head);
    fates = fatesNow;
    if (!boundary) continue;

    const replacement = replacements.get(boundary.index) ?? NO_REPLACEMENT;
    const left = [...fatesNow.listRemovedBy(boundary)];
    const found = listOwnedFacts(session, left);
    const findMention = buildFactMentionFinder(replacement, files);
    const facts = found.map((each) => toLostFact(each, findMention));
    const compaction = {
      ...toPlace(boundary),
      removed: left.length,
      missing: facts.filter(({ mention }) => mention === 'missing').length,
      hollow: findHollow(replacement.summary, before?.summary ?? null),
    };
    const details = { classes: countClasses(facts), left: left.map(toLostEntry), facts };
    compactions.push(isAll ? { ...compaction, ...details } : compaction);
    for (const each of found) removed.push({ at: compactions.length, found: each });
    before = replacement;
  }

  const now = buildFactMentionFinder(before ?? NO_REPLACEMENT, files);
  // A later edit or transform may have brought an entry back.
  const gone = removed.filter(({ found }) => fates?.hasLeft(found.head) ?? true);
  const facts = gone.map(({ at, found }) => ({ at, fact: toLostFact(found, now) }));
  return {
    compactions,
    changes: listContentChanges(session, path),
    edited: fates?.edited ?? 0,
    classes: countClasses(facts.map(({ fact }) => fact)),
    facts: facts.filter(({ at }) => at < compactions.length).map(({ fact }) => fact),
    unproven: describeUnprovenLoss(session, path),
  };
}

interface AtBoundary {
  /** null at the end of the path. */
  readonly boundary: Head | null;
  readonly fates: EntryFates;
  /** The entries since the boundary before. */
  readonly entries: readonly Head[];
}

/** The fates of the entries of a path at each of some boundaries, of one walk. */
function* walkFates(input: AuditInput, path: readonly Head[], boundaries: readonly Head[]): Generator<AtBoundary> {
  const { session, rule, bare = session } = input;
  const fates = new EntryFates({ session: bare, path, rule });
  let next = 0;
  let entries: Head[] = [];
  // Ops that cannot be applied are not relevant here.
  for (const step of walk(toLenient(bare), path, { messages: 'sizes' }).steps) {
    fates.take(step);
    entries.push(step.head);
    const boundary = boundaries[next];
    if (boundary?.index !== step.head.index) continue;
    next += 1;
    yield { boundary, fates, entries };
    entries = [];
  }
  yield { boundary: null, fates, entries };
}

interface BoundaryLoss {
  readonly boundary: Head;
  readonly fates: EntryFates;
  readonly replacement: Replacement;
  readonly files: CalledFiles;
  readonly left: readonly EntryFate[];
}

function buildLoss(
  { session, rule }: AuditInput,
  { boundary, fates, replacement, files, left }: BoundaryLoss,
): LossDocument {
  const findMention = buildFactMentionFinder(replacement, files);
  const facts = listOwnedFacts(session, left).map((each) => toLostFact(each, findMention));
  return {
    ...buildEmptyLoss(session),
    boundary: toPlace(boundary),
    inputRule: boundary.type === 'compaction' ? findInputRule(session, boundary, rule) : null,
    counts: fates.countBefore(boundary),
    classes: countClasses(facts),
    left: left.map(toLostEntry),
    facts,
  };
}

function toPlace({ id, line, type }: Head): LossBoundary {
  return { entryId: formatId(id), line, type };
}

/** The document of a session without a compaction on its active path. */
export function buildEmptyLoss({ header: { id }, file }: Session): LossDocument {
  return {
    schema: 'ctx/loss',
    schemaVersion: 1,
    session: { id, file },
    boundary: null,
    inputRule: null,
    counts: NO_COUNTS,
    classes: [],
    left: [],
    facts: [],
  };
}

/** The path from the root to the newest compaction at or before an entry. */
function findBoundary(session: Session, at: Head): { readonly boundary: Head; readonly path: readonly Head[] } {
  const whole = pathTo(session.tree, at);
  const place = whole.findLastIndex((head) => isCompaction(session, head));
  const boundary = whole[place];
  if (boundary) return { boundary, path: whole.slice(0, place + 1) };
  throw new CtxError('usage', 'no compaction at or before this entry', {
    where: `${session.file}:${at.line}: entry ${formatIdWord(at.id)}`,
    hint: 'see ctx log for the entries of the path',
  });
}

const NO_COUNTS: LossDocument['counts'] = { kept: 0, summarised: 0, edited: 0, unaccounted: 0, total: 0 };

/** The number of facts of each class, by their mention in the summary. Classes without a fact are omitted. */
export function countClasses(facts: readonly LostFact[]): LossDocument['classes'] {
  return FACT_CLASSES.flatMap((name) => {
    const own = facts.filter((fact) => fact.class === name);
    const counts = { class: name, left: own.length, quoted: 0, named: 0, partly: 0, missing: 0 };
    for (const { mention } of own) counts[mention] += 1;
    return own.length === 0 ? [] : [counts];
  });
}

function toLostEntry({ head: { id, line, type, role }, fate, by, reason }: EntryFate): LostEntry {
  return { entryId: formatId(id), line, type, role, fate, by: formatId(by?.id), reason };
}
