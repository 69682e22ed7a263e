import { CtxError } from '#base/errors.js';
import { asText, type JsonObject, listObjects } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText, readEntryMessage, toLlmMessage } from '#context/replay/convert.js';
import type { ReadPatch } from '#context/replay/patch-op.js';
import { walk } from '#context/walk.js';
import { buildHeadKey, buildPlaceKey, formatId, formatIdWord, type Head } from '#session/heads/head.js';
import { readReplacementHistory } from '#session/oh-my-pi.js';
import type { Session } from '#session/session.js';
import { isCompaction } from '#session/tree/compaction.js';
import { pathTo } from '#session/tree/tree.js';
import { lowerAscii, messageText, normalizeText } from '../facts/text.js';
import { findFileUse, listToolUses } from '../facts/tool-uses.js';
import { describeUnprovenLoss, listContentChanges } from './changes.js';
import type { LossDocument, LostEntry, LostFact, PathLoss } from './document.js';
import { type EntryFate, EntryFates, findInputRule, type InputRule } from './fates.js';
import { findHollow } from './hollow.js';
import {
  FACT_CLASSES,
  type FileNames,
  imageDataOf,
  KnownFiles,
  listMessageFacts,
  type MessageFact,
} from './message-facts.js';

export interface AuditInput {
  readonly session: Session;
  readonly readPatch: ReadPatch;
  /** The rule by which Pi chose the input of the summary, if the caller knows it. */
  readonly rule?: InputRule | undefined;
  /** The session without texts, for callers that only need the sent messages. */
  readonly bare?: Session | undefined;
}

/**
 * The entries and facts that a compaction removed from the context, and their fate. `at` is the compaction, the
 * transform of that name, or any later entry. Throws a CtxError (usage) if no compaction precedes it.
 */
export function auditLoss(input: AuditInput, at: Head): LossDocument {
  const { session, readPatch } = input;
  const { boundary, path } = pathToBoundary(session, at);
  const files = new CalledFiles(session);
  for (const { accounts, entries } of accountsAt(input, path, [boundary])) {
    if (!boundary) break;
    for (const head of entries) files.add(head);
    const left = [...accounts.before(boundary)].filter(
      ({ fate, by }) => fate === 'unaccounted' || by?.index === boundary.index,
    );
    return lossAt(input, { boundary, accounts, replacement: replacementAt(session, boundary, readPatch), files, left });
  }
  return buildEmptyLoss(session);
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
  const { session, readPatch } = input;
  const replacements = replacementsAt(session, path, boundaries, readPatch);
  const files = new CalledFiles(session);
  for (const { boundary, accounts, entries } of accountsAt(input, path, boundaries)) {
    if (!boundary) return;
    for (const head of entries) files.add(head);
    const replacement = replacements.get(boundary.index) ?? NOTHING;
    const left = [...accounts.removedBy(boundary)];
    yield { ...lossAt(input, { boundary, accounts, replacement, files, left }), summary: replacement.summary };
  }
}

/** A loss, with the summary that replaced what was removed. */
export interface AuditedLoss extends LossDocument {
  readonly summary: string;
}

/**
 * Audits a whole path: what was lost by each of its compactions, by edits, and of everything that compactions removed what the
 * newest summary still mentions. `isAll`: with the entries and facts of each compaction.
 */
export function auditPath(input: AuditInput, path: readonly Head[], isAll = false): PathLoss {
  const { session, readPatch } = input;
  const boundaries = path.filter((head) => isCompaction(session, head));
  const replacements = replacementsAt(session, path, boundaries, readPatch);
  const files = new CalledFiles(session);
  const compactions: PathLoss['compactions'] = [];
  const removed: { readonly at: number; readonly found: OwnedFact }[] = [];
  let before: Replacement | null = null;
  let accounts: EntryFates | null = null;
  for (const at of accountsAt(input, path, boundaries)) {
    for (const head of at.entries) files.add(head);
    ({ accounts } = at);
    if (!at.boundary) continue;
    const replacement = replacements.get(at.boundary.index) ?? NOTHING;
    const left = [...accounts.removedBy(at.boundary)];
    const found = factsOf(session, left);
    const mentionOf = mentionsOf(replacement, files);
    const facts = found.map((each) => lostFact(each, mentionOf));
    const missing = facts.filter(({ mention }) => mention === 'missing').length;
    const details = isAll ? { classes: countClasses(facts), left: left.map(entryOf), facts } : {};
    const hollow = findHollow(replacement.summary, before?.summary ?? null);
    compactions.push({ ...placeOf(at.boundary), removed: left.length, missing, hollow, ...details });
    for (const each of found) removed.push({ at: compactions.length, found: each });
    before = replacement;
  }
  const now = mentionsOf(before ?? NOTHING, files);
  // A later edit or transform may have brought an entry back.
  const gone = removed.filter(({ found }) => accounts?.hasLeft(found.head) ?? true);
  const facts = gone.map(({ at, found }) => ({ at, fact: lostFact(found, now) }));
  return {
    compactions,
    changes: listContentChanges(session, path),
    edited: accounts?.edited ?? 0,
    classes: countClasses(facts.map(({ fact }) => fact)),
    facts: facts.filter(({ at }) => at < compactions.length).map(({ fact }) => fact),
    unproven: describeUnprovenLoss(session, path),
  };
}

interface AtBoundary {
  /** null at the end of the path. */
  readonly boundary: Head | null;
  readonly accounts: EntryFates;
  /** The entries since the boundary before. */
  readonly entries: readonly Head[];
}

/** The accounts of a path at each of some boundaries, of one walk. */
function* accountsAt(input: AuditInput, path: readonly Head[], boundaries: readonly Head[]): Generator<AtBoundary> {
  const { session, readPatch, rule, bare = session } = input;
  const accounts = new EntryFates({ session: bare, readPatch, path, rule });
  let next = 0;
  let entries: Head[] = [];
  // Ops that cannot be applied are not relevant here.
  for (const step of walk(bare, path, { readPatch, lenient: true, messages: 'sizes' }).steps) {
    accounts.take(step);
    entries.push(step.head);
    const boundary = boundaries[next];
    if (boundary?.index !== step.head.index) continue;
    next += 1;
    yield { boundary, accounts, entries };
    entries = [];
  }
  yield { boundary: null, accounts, entries };
}

interface Found {
  readonly boundary: Head;
  readonly accounts: EntryFates;
  readonly replacement: Replacement;
  readonly files: CalledFiles;
  readonly left: readonly EntryFate[];
}

function lossAt({ session, rule }: AuditInput, { boundary, accounts, replacement, files, left }: Found): LossDocument {
  const facts = lostFacts(session, left, mentionsOf(replacement, files));
  return {
    ...buildEmptyLoss(session),
    boundary: placeOf(boundary),
    inputRule: boundary.type === 'compaction' ? findInputRule(session, boundary, rule) : null,
    counts: accounts.countsBefore(boundary),
    classes: countClasses(facts),
    left: left.map(entryOf),
    facts,
  };
}

function placeOf({ id, line, type }: Head): NonNullable<LossDocument['boundary']> {
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
function pathToBoundary(session: Session, at: Head): { readonly boundary: Head; readonly path: readonly Head[] } {
  const whole = pathTo(session.tree, at);
  const place = whole.findLastIndex((head) => isCompaction(session, head));
  const boundary = whole[place];
  if (boundary) return { boundary, path: whole.slice(0, place + 1) };
  throw new CtxError('usage', 'no compaction at or before this entry', {
    where: `${session.file}:${at.line}: entry ${formatIdWord(at.id)}`,
    hint: 'see ctx log for the entries of the path',
  });
}

/** The content that replaces the entries which a compaction removes. */
interface Replacement {
  readonly summary: string;
  /** The data of the images that it sends again. */
  readonly images: ReadonlySet<string>;
}

const NOTHING: Replacement = { summary: '', images: new Set() };

/** The summary that replaces the removed entries. */
export function readSummaryAt(session: Session, boundary: Head, readPatch: ReadPatch): string {
  return replacementAt(session, boundary, readPatch).summary;
}

function replacementAt(session: Session, boundary: Head, readPatch: ReadPatch): Replacement {
  const path = boundary.type === 'compaction' ? [] : pathTo(session.tree, boundary);
  return replacementsAt(session, path, [boundary], readPatch).get(boundary.index) ?? NOTHING;
}

/** The replacements of some compactions of a path, by the index of the entry. */
function replacementsAt(
  session: Session,
  path: readonly Head[],
  boundaries: readonly Head[],
  readPatch: ReadPatch,
): ReadonlyMap<number, Replacement> {
  const replacements = new Map<number, Replacement>();
  const transforms = new Set<number>();
  for (const head of boundaries) {
    if (head.type === 'compaction') replacements.set(head.index, storedIn(session.entry(head)));
    else transforms.add(head.index);
  }
  // The messages that a transform put there are known only when it is replayed.
  if (transforms.size === 0) return replacements;
  for (const step of walk(session, path, { readPatch, lenient: true }).steps) {
    step.take();
    if (!transforms.has(step.head.index)) continue;
    const { sent } = step.replay.messages.sentFrom(0);
    const own = sent.filter(({ from }) => buildPlaceKey(from) === buildHeadKey(step.head));
    // Where an answer is the summary, as in opencode, the transform only removes the messages before it.
    const messages = (own.length > 0 ? own : sent).map(({ message }) => message);
    replacements.set(step.head.index, {
      summary: messages.map((message) => findSummaryText(message) ?? messageText(message)).join('\n\n'),
      images: new Set(
        messages.flatMap(({ content }) => listObjects(content).flatMap((block) => imageDataOf(block) ?? [])),
      ),
    });
  }
  return replacements;
}

function storedIn(entry: JsonObject): Replacement {
  const items = readReplacementHistory(entry)?.items ?? [];
  return { summary: asText(entry['summary'] ?? ''), images: new Set(items.flatMap(imagesOfItem)) };
}

/** The data of the images in an item of a provider's history: a message, or the output of a call. */
function imagesOfItem({ content, output }: JsonObject): readonly string[] {
  return [...listObjects(content), ...listObjects(output)].flatMap(({ image_url: url }) =>
    typeof url === 'string' ? [url.replace(/^data:[^,]*,/, '')] : [],
  );
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

function entryOf({ head: { id, line, type, role }, fate, by, reason }: EntryFate): LostEntry {
  return { entryId: formatId(id), line, type, role, fate, by: formatId(by?.id), reason };
}

type Mentioned = (fact: MessageFact) => LostFact['mention'];

function lostFacts(session: Session, left: readonly EntryFate[], mentionOf: Mentioned): LostFact[] {
  return factsOf(session, left).map((found) => lostFact(found, mentionOf));
}

interface OwnedFact extends Pick<EntryFate, 'head' | 'fate'> {
  readonly fact: MessageFact;
}

/** The facts of entries that left the context. */
function factsOf(session: Session, left: readonly EntryFate[]): readonly OwnedFact[] {
  const owned = left.flatMap((account) => {
    const message = readSentMessage(session, account.head);
    return message ? [{ account, message }] : [];
  });
  const isWritten = (at: number): boolean => owned[at]?.account.head.role === 'user';
  const found = listMessageFacts(
    owned.map(({ message }) => message),
    isWritten,
  );
  return found.flatMap((fact) => {
    const { head, fate } = owned[fact.at]?.account ?? {};
    return head && fate ? [{ head, fate, fact }] : [];
  });
}

function lostFact({ head, fate, fact }: OwnedFact, mentionOf: Mentioned): LostFact {
  return {
    class: fact.class,
    text: fact.text,
    entryId: formatId(head.id),
    line: head.line,
    fate,
    mention: mentionOf(fact),
  };
}

function mentionsOf({ summary, images }: Replacement, { files }: CalledFiles): Mentioned {
  const mentionOf = buildMentionFinder(summary, (term) => (files.has(term) ? files.namesOf(term) : [term]));
  return ({ quote, terms, image }) =>
    image !== null && images.has(image) ? 'quoted' : mentionOf({ text: quote, terms });
}

/** The message of an entry as it is sent; null for an entry without one. */
export function readSentMessage(session: Session, head: Head): LlmMessage | null {
  const message = readEntryMessage(session.entry(head));
  return message && toLlmMessage(message);
}

/** The paths in the calls of answers, each of which is read once. */
class CalledFiles {
  readonly files: KnownFiles;

  constructor(private readonly session: Session) {
    this.files = new KnownFiles(session.header.cwd);
  }

  add(head: Head): void {
    if (head.role !== 'assistant') return;
    const answer = readSentMessage(this.session, head);
    for (const use of answer ? listToolUses([answer]) : []) {
      const path = findFileUse(use)?.path;
      if (path !== undefined) this.files.add(path);
    }
  }
}

/** Determines the mention of names in a summary. Paraphrases do not count. */
type MentionOf = (said: { readonly text: string | null; readonly terms: readonly string[] }) => LostFact['mention'];

/** `namesOf` returns the names of a term, any of which is sufficient. */
export function buildMentionFinder(summary: string, namesOf: FileNames = (term) => [term]): MentionOf {
  const words = normalizeText(summary);
  const plain = lowerAscii(summary);
  return ({ text, terms }) => {
    const wanted = text === null ? '' : normalizeText(text);
    if (wanted !== '' && words.includes(wanted)) return 'quoted';
    if (terms.length === 0) return 'missing';
    const found = terms.filter((term) => namesOf(term).some((name) => holds(plain, lowerAscii(name))));
    if (found.length === terms.length) return 'named';
    return found.length > 0 ? 'partly' : 'missing';
  };
}

/** Whether a text contains a name that is not part of a longer one. */
function holds(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.slice(at + name.length, at + name.length + 2)];
    if (!/[\w./\\-]/.test(before) && !/^(?:[\w/\\-]|\.\w)/.test(after)) return true;
  }
  return false;
}
