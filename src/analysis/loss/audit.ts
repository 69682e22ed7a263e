import { CtxError } from '#base/errors.js';
import { asText, type JsonObject, objectsIn } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { messageOfEntry, summaryIn, toLlm } from '#context/replay/convert.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { replayPath, walk } from '#context/walk.js';
import { replacementHistoryOf } from '#session/oh-my-pi.js';
import type { Session } from '#session/session.js';
import { type Head, idText, idWord, keyOfHead, placeKey } from '#session/table/head.js';
import { isCompaction, pathTo } from '#session/tree/tree.js';
import { asciiLower, comparable, textOf } from '../facts/text.js';
import { fileOf, toolUsesIn } from '../facts/tool-uses.js';
import type { LossDocument, LostEntry, LostFact } from './document.js';
import { CLASSES, factsIn, fileNames, type FileNames, imageIn } from './facts.js';
import { type Account, type InputRule, LossAccounts, ruleOf } from './ledger.js';

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
  const { boundary, path } = pathToBoundary(input.session, at);
  const [loss = noLoss(input.session)] = auditLosses(input, path, [boundary]);
  return loss;
}

/** The losses at some compactions of a path, in their order, of one walk along it. */
export function* auditLosses(
  input: AuditInput,
  path: readonly Head[],
  boundaries: readonly Head[],
): Generator<LossDocument> {
  const { session, readPatch, rule, bare = session } = input;
  const all = new LossAccounts({ session: bare, readPatch, path, rule });
  const files = new CalledFiles(session);
  let next = 0;
  // Ops that cannot be applied are not relevant here.
  for (const step of walk(bare, path, { readPatch, lenient: true, messages: 'sizes' }).steps) {
    all.take(step);
    const boundary = boundaries[next];
    if (boundary?.index !== step.head.index) continue;
    next += 1;
    yield lossAt(input, boundary, { accounts: all.before(boundary), files });
  }
}

interface Found {
  readonly accounts: Iterable<Account>;
  readonly files: CalledFiles;
}

function lossAt({ session, readPatch, rule }: AuditInput, boundary: Head, { accounts, files }: Found): LossDocument {
  const counts = { ...NO_COUNTS };
  const left: Account[] = [];
  for (const account of accounts) {
    counts[account.fate] += 1;
    counts.total += 1;
    files.add(account);
    if (account.fate === 'unaccounted' || account.by?.index === boundary.index) left.push(account);
  }
  const replacement = replacementAt(session, boundary, readPatch);
  const facts = lostFacts(session, { left, replacement, files: files.paths });
  return {
    ...noLoss(session),
    boundary: { entryId: idText(boundary.id), line: boundary.line, type: boundary.type },
    inputRule: boundary.type === 'compaction' ? ruleOf(session, boundary, rule) : null,
    counts,
    classes: classCounts(facts),
    left: left.map(entryOf),
    facts,
  };
}

/** The document of a session without a compaction on its active path. */
export function noLoss({ header: { id }, file }: Session): LossDocument {
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
    where: `${session.file}:${at.line}: entry ${idWord(at.id)}`,
    hint: 'see ctx log for the entries of the path',
  });
}

/** The content that replaces the entries which a compaction removes. */
interface Replacement {
  readonly summary: string;
  /** The data of the images that it sends again. */
  readonly images: ReadonlySet<string>;
}

/** The summary that replaces the removed entries. */
export function summaryAt(session: Session, boundary: Head, readPatch: ReadPatch): string {
  return replacementAt(session, boundary, readPatch).summary;
}

function replacementAt(session: Session, boundary: Head, readPatch: ReadPatch): Replacement {
  if (boundary.type === 'compaction') {
    const entry = session.entry(boundary);
    const items = replacementHistoryOf(entry)?.items ?? [];
    return { summary: asText(entry['summary'] ?? ''), images: new Set(items.flatMap(imagesOfItem)) };
  }
  const { messages } = replayPath(session, pathTo(session.tree, boundary), { readPatch, lenient: true });
  const own = messages
    .sentFrom(0)
    .sent.filter(({ from }) => placeKey(from) === keyOfHead(boundary))
    .map(({ message }) => message);
  return {
    summary: own.map((message) => summaryIn(message) ?? textOf(message)).join('\n\n'),
    images: new Set(own.flatMap(({ content }) => objectsIn(content).flatMap((block) => imageIn(block) ?? []))),
  };
}

/** The data of the images in an item of a provider's history: a message, or the output of a call. */
function imagesOfItem({ content, output }: JsonObject): readonly string[] {
  return [...objectsIn(content), ...objectsIn(output)].flatMap(({ image_url: url }) =>
    typeof url === 'string' ? [url.replace(/^data:[^,]*,/, '')] : [],
  );
}

/** Whether a summary, or a part of it, cannot be read: the importers of other agents write why instead. */
export function isEncrypted(summary: string): boolean {
  return /\[encrypted compaction, \d+ characters\]|^\[the client compressed the messages before this one: /.test(
    summary,
  );
}

const NO_COUNTS: LossDocument['counts'] = { kept: 0, summarised: 0, edited: 0, unaccounted: 0, total: 0 };

/** The number of facts of each class, by their mention in the summary. Classes without a fact are omitted. */
export function classCounts(facts: readonly LostFact[]): LossDocument['classes'] {
  return CLASSES.flatMap((name) => {
    const own = facts.filter((fact) => fact.class === name);
    const counts = { class: name, left: own.length, quoted: 0, named: 0, partly: 0, missing: 0 };
    for (const { mention } of own) counts[mention] += 1;
    return own.length === 0 ? [] : [counts];
  });
}

function entryOf({ head: { id, line, type, role }, fate, by, reason }: Account): LostEntry {
  return { entryId: idText(id), line, type, role, fate, by: idText(by?.id), reason };
}

interface Losses {
  readonly left: readonly Account[];
  readonly replacement: Replacement;
  readonly files: ReadonlySet<string>;
}

function lostFacts(session: Session, { left, replacement: { summary, images }, files }: Losses): LostFact[] {
  const owned = left.flatMap((account) => {
    const message = sentBy(session, account.head);
    return message ? [{ account, message }] : [];
  });
  const namesOf = fileNames(files, session.header.cwd);
  const mentionOf = mentionsIn(summary, (term) => (files.has(term) ? namesOf(term) : [term]));
  const isWritten = (at: number): boolean => owned[at]?.account.head.role === 'user';
  return factsIn(
    owned.map(({ message }) => message),
    isWritten,
  ).flatMap(({ class: factClass, at, text, quote, terms, image }) => {
    const { head, fate } = owned[at]?.account ?? {};
    if (!head || !fate) return [];
    const mention = image !== null && images.has(image) ? 'quoted' : mentionOf({ text: quote, terms });
    return [{ class: factClass, text, entryId: idText(head.id), line: head.line, fate, mention }];
  });
}

/** The message of an entry as it is sent; null for an entry without one. */
export function sentBy(session: Session, head: Head): LlmMessage | null {
  const message = messageOfEntry(session.entry(head));
  return message && toLlm(message);
}

/** The paths in the calls of answers, each of which is read once. */
class CalledFiles {
  readonly paths = new Set<string>();
  private readonly read = new Set<number>();

  constructor(private readonly session: Session) {}

  add({ head }: Account): void {
    if (head.role !== 'assistant' || this.read.has(head.index)) return;
    this.read.add(head.index);
    const answer = sentBy(this.session, head);
    for (const use of answer ? toolUsesIn([answer]) : []) {
      const path = fileOf(use)?.path;
      if (path !== undefined) this.paths.add(path);
    }
  }
}

/** Determines the mention of names in a summary. Paraphrases do not count. */
type MentionOf = (said: { readonly text: string | null; readonly terms: readonly string[] }) => LostFact['mention'];

/** `namesOf` returns the names of a term, any of which is sufficient. */
export function mentionsIn(summary: string, namesOf: FileNames = (term) => [term]): MentionOf {
  const words = comparable(summary);
  const plain = asciiLower(summary);
  return ({ text, terms }) => {
    const wanted = text === null ? '' : comparable(text);
    if (wanted !== '' && words.includes(wanted)) return 'quoted';
    if (terms.length === 0) return 'missing';
    const found = terms.filter((term) => namesOf(term).some((name) => holds(plain, asciiLower(name))));
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
