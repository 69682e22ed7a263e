import { isObject } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import { applyEdit } from '#context/replay/apply-edit.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText, readEntryMessage, toLlmMessage } from '#context/replay/convert.js';
import { CONTEXT_CHANGE_TYPES, MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import type { Provenance } from '#context/replay/envelope.js';
import type { SentMessage } from '#context/replay/message-list.js';
import { replayPath } from '#context/walk.js';
import type { StoredMessage } from '#session/entry.js';
import { buildHeadKey, buildPlaceKey, type Head, type RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import { estimateContext } from './estimate.js';
import type { ProjectedEntry, Projection } from './projection.js';

/**
 * The context as it is where transforms have changed it: the messages that are sent, in that order, each at the entry
 * that it comes from, and between them the entries of the path that have none.
 */
export function buildCurrentProjection(session: OpenSession, path: readonly Head[]): Projection {
  const replay = replayPath(session, path);
  const { sent } = replay.messages.listSentFrom(0);
  const entries = weaveEntries(session, path, sent);
  const { system, tools } = replay.countTokens();
  const tokens = estimateContext({
    entries,
    path,
    isChange: ({ type }) => CONTEXT_CHANGE_TYPES.has(type),
    declared: system + tools,
  });

  const summary = sent.find(({ from }) => from.origin === 'compaction');
  if (!summary)
    return { entries, summaryAt: -1, previousSummary: null, previousDetails: null, compacted: null, tokens };
  const place = path.findIndex(({ line }) => line === summary.from.line);
  return {
    entries,
    summaryAt: entries.findIndex(({ head, isMade }) => isMade && buildHeadKey(head) === buildPlaceKey(summary.from)),
    previousSummary: findSummaryText(summary.message),
    previousDetails: readDetails(session, path, place),
    compacted: path[place]?.time ?? null,
    tokens,
  };
}

/** A dual-written compaction has them in the entry below it, which ctx wrote. */
function readDetails(session: Session, path: readonly Head[], place: number): unknown {
  const head = path[place];
  const below = path[place + 1];
  if (head?.type === 'compaction') {
    const { details, fromHook } = session.entry(head);
    return fromHook ? null : details;
  }
  return below?.type === 'compaction' ? session.entry(below).details : null;
}

/** Weaves the messages that are sent into the path: each at its entry, and between them the entries without one. */
function weaveEntries(
  session: Session,
  path: readonly Head[],
  sent: readonly SentMessage[],
): readonly ProjectedEntry[] {
  const places = new Map(path.map((head, at) => [buildHeadKey(head), at]));
  const origins = sent.map(({ message, from }) => ({ message, from, place: places.get(buildPlaceKey(from)) ?? -1 }));
  const summaries = origins.filter(({ from }) => from.origin === 'compaction');
  const summaryPlace = summaries.reduce((last, { place }) => Math.max(last, place), -1);
  const taken = new Set([...origins.map(({ place }) => place), ...listRepeating(session, path)]);
  const unsent: UnsentEntries = { session, path, taken, omitted: findOmitted(session, path), summaryPlace };

  const woven: ProjectedEntry[] = [];
  // Entries before the first message were compacted away, so with a summary the first message tells where to begin.
  let next = summaries.length === 0 ? 0 : null;
  for (const { message, from, place } of origins) {
    const head = path[place];
    if (!head) continue;
    if (from.origin === 'transform' || from.origin === 'compaction') {
      woven.push({ head, messages: [unwrapMessage(message)], isMade: true });
      continue;
    }
    for (const entry of listUnsent(unsent, next ?? place, place)) woven.push(entry);
    woven.push({ head, messages: [readStoredMessage(session, head, from) ?? message], isMade: false });
    next = Math.max(next ?? 0, place + 1);
  }
  return [...woven, ...listUnsent(unsent, next ?? summaryPlace, path.length)];
}

/** The places of compactions that only repeat the transform before them. */
function listRepeating(session: Session, path: readonly Head[]): readonly number[] {
  return path.flatMap(({ type }, at) =>
    type === 'compaction' && findRepeatedTransform(session, path, at) ? [at] : [],
  );
}

/** The message of an entry as it was before it was made fit to be sent; null for an edit that is gone. */
function readStoredMessage(session: Session, head: Head, { origin, editId }: Provenance): StoredMessage | null {
  const message = readEntryMessage(session.entry(head));
  if (message === null || origin === 'entry') return message;
  const edit = session.tree.heads.find(editId);
  const replacement = edit && session.entry(edit).replacement;
  return isObject(replacement) ? applyEdit(message, replacement) : null;
}

/** The facts that tell which entries of a path have no message that is sent. */
interface UnsentEntries {
  readonly session: Session;
  readonly path: readonly Head[];
  /** The entries that messages come from, and those that only repeat them. */
  readonly taken: ReadonlySet<number>;
  /** The entries that an edit omits. */
  readonly omitted: ReadonlySet<RawId>;
  /** The place of the last summary, which represents the prompts before it; -1 without one. */
  readonly summaryPlace: number;
}

/**
 * The entries between two places that have no message which is sent; none from above one that a transform has removed.
 */
function listUnsent(unsent: UnsentEntries, from: number, to: number): readonly ProjectedEntry[] {
  const { session, path, taken, omitted, summaryPlace } = unsent;
  let found: ProjectedEntry[] = [];
  for (let at = from; at < to; at += 1) {
    const head = path[at];
    const isPromptBefore = head?.role === 'system' && at < summaryPlace;
    if (!head || taken.has(at) || isPromptBefore) continue;
    const messages = omitted.has(head.id) ? [] : readUnsentMessages(session, head);
    if (messages === null) found = [];
    else found.push({ head, messages, isMade: false });
  }
  return found;
}

/**
 * Pi counts prompts and hidden shell commands at their entries. null: the entry has a message that a transform removed.
 */
function readUnsentMessages(session: Session, head: Head): readonly StoredMessage[] | null {
  const message = MESSAGE_TYPES.has(head.type) ? readEntryMessage(session.entry(head)) : null;
  if (message === null) return [];
  return toLlmMessage(message) === null ? [message] : null;
}

/** A summary as Pi holds it, without the sentence that introduces it. */
function unwrapMessage(message: LlmMessage): StoredMessage {
  const summary = findSummaryText(message);
  return summary === null ? message : { role: 'compactionSummary', summary, timestamp: message.timestamp };
}

/** The entries that the newest edit of each omits. */
function findOmitted(session: Session, path: readonly Head[]): ReadonlySet<RawId> {
  const omitted = new Set<RawId>();
  for (const head of path) {
    if (head.type !== 'context_edit') continue;
    if (session.entry(head).replacement === null) omitted.add(head.target);
    else omitted.delete(head.target);
  }
  return omitted;
}
