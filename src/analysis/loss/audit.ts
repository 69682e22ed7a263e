import { CtxError } from '#base/errors.js';
import { asText } from '#base/json.js';
import { buildEnvelope } from '#context/replay/build.js';
import type { LlmMessage } from '#context/replay/content.js';
import { summaryIn, toLlm } from '#context/replay/convert.js';
import { messageOfEntry } from '#context/replay/entry-message.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { transformAbove, transformerName } from '#context/replay/selection.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { pathTo } from '#session/tree/tree.js';
import { fileNames, type FileNames } from '../facts/file-names.js';
import { asciiLower, comparable, textOf } from '../facts/text.js';
import { fileOf, toolUsesIn } from '../facts/tool-uses.js';
import { type MessageFact, factsIn } from './facts.js';
import { type InputRule, type KnownRule, ruleOf } from './input-range.js';
import { type Account, accountsOf, type Fate } from './ledger.js';

export interface AuditInput {
  readonly session: Session;
  readonly readPatch: ReadPatch;
  /** How the Pi that compacted chose what it summarised, where the caller knows it. */
  readonly rule?: InputRule | undefined;
  /** The session without texts, for callers that only ask which messages are sent. */
  readonly bare?: Session | undefined;
}

/** Something that left the context, and how the summary mentions it. */
export interface LostFact extends Omit<MessageFact, 'at' | 'quote' | 'terms'> {
  readonly account: Account;
  readonly mention: Mention;
}

export interface LossAudit {
  readonly boundary: Head;
  readonly summary: string;
  /** Every entry above the boundary that had a part in the context. */
  readonly accounts: readonly Account[];
  readonly counts: Readonly<Record<Fate, number>>;
  /** Those that left at this boundary, or are in no summary at all. */
  readonly left: readonly Account[];
  readonly facts: readonly LostFact[];
  /** null for a transform, which says itself what it takes out. */
  readonly rule: KnownRule | null;
}

/**
 * What a compaction took out of the context, and what became of it. `at` is the compaction, the transform of that
 * name, or any entry below it. Throws a CtxError (usage) where there is no compaction on the way to it.
 */
export function auditLoss({ session, readPatch, rule, bare = session }: AuditInput, at: Head): LossAudit {
  const whole = pathTo(session.tree, at);
  const place = boundaryOf(session, whole);
  const boundary = whole[place];
  if (!boundary) {
    throw new CtxError('usage', 'there is no compaction at or above this entry', {
      where: `${session.file}:${at.line}: entry ${idText(at.id)}`,
      hint: 'ctx log lists the entries of the path',
    });
  }
  const path = whole.slice(0, place + 1);
  const accounts = accountsOf({ session: bare, readPatch, path, rule });
  const summary = summaryOf(session, boundary, readPatch);
  const left = accounts.filter(({ fate, by }) => fate === 'unaccounted' || by?.index === boundary.index);
  return {
    boundary,
    summary,
    accounts,
    counts: countsOf(accounts),
    left,
    facts: lostFacts(session, { accounts, left, summary }),
    rule: boundary.type === 'compaction' ? ruleOf(session, boundary, rule) : null,
  };
}

/** The place of the last compaction of a path; of one that a transform shadows, that of the transform. */
function boundaryOf(session: Session, path: readonly Head[]): number {
  const place = path.findLastIndex(
    (head) =>
      head.type === 'compaction' ||
      (head.type === 'context_transform' && transformerName(session.entry(head)) === 'compaction'),
  );
  return path[place]?.type === 'compaction' && transformAbove(session, path, place) ? place - 1 : place;
}

/** The summary that replaces the entries that the boundary took out. */
function summaryOf(session: Session, boundary: Head, readPatch: ReadPatch): string {
  if (boundary.type === 'compaction') return asText(session.entry(boundary)['summary'] ?? '');
  const { messages, meta } = buildEnvelope(session, boundary, readPatch, { lenient: true });
  return messages.cached
    .filter((_, at) => meta.provenance[at]?.line === boundary.line)
    .map((message) => summaryIn(message) ?? textOf(message))
    .join('\n\n');
}

function countsOf(accounts: readonly Account[]): Record<Fate, number> {
  const counts = { kept: 0, summarised: 0, edited: 0, unaccounted: 0 };
  for (const { fate } of accounts) counts[fate] += 1;
  return counts;
}

function lostFacts(
  session: Session,
  { accounts, left, summary }: Pick<LossAudit, 'accounts' | 'left' | 'summary'>,
): readonly LostFact[] {
  const owners: Account[] = [];
  const messages: LlmMessage[] = [];
  for (const account of left) {
    const contribution = messageOfEntry(session.entry(account.head));
    const message = contribution && toLlm(contribution);
    if (!message) continue;
    owners.push(account);
    messages.push(message);
  }
  const files = filesOf(session, accounts);
  const namesOf = fileNames(files, session.header.cwd);
  const mentionOf = mentionsIn(summary, (term) => (files.has(term) ? namesOf(term) : [term]));
  return factsIn(messages).flatMap(({ class: factClass, at, text, quote, terms }) => {
    const account = owners[at];
    return account ? [{ class: factClass, text, account, mention: mentionOf({ text: quote, terms }) }] : [];
  });
}

/** The paths that the calls of a session name. */
function filesOf(session: Session, accounts: readonly Account[]): ReadonlySet<string> {
  const answers = accounts.flatMap(({ head }) => {
    const message = head.role === 'assistant' ? messageOfEntry(session.entry(head)) : null;
    return (message && toLlm(message)) ?? [];
  });
  return new Set(toolUsesIn(answers).flatMap((use) => fileOf(use)?.path ?? []));
}

/** How much of something a summary says: all of it word for word, every name in it, some of them, or nothing. */
type Mention = 'quoted' | 'named' | 'partly' | 'missing';

/** Says how a summary mentions a text with these names in it. Nothing is guessed: what is said in other words is missing. */
type MentionOf = (said: { readonly text: string | null; readonly terms: readonly string[] }) => Mention;

/** `namesOf` gives the names of a term, any of which will do. */
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

/** Whether a text holds a name that is not part of a longer one. */
function holds(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.slice(at + name.length, at + name.length + 2)];
    if (!/[\w./\\-]/.test(before) && !/^(?:[\w/\\-]|\.\w)/.test(after)) return true;
  }
  return false;
}
