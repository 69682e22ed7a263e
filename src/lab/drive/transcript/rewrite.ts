import { asString, type JsonObject, listObjects } from '#base/json.js';
import { copyEntries, type SessionBranch } from '#change/plan/copy-entries.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { formatId, type Head, quoteId, type RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { TranscriptRewriteReplacement, TranscriptRewriteResult } from '../../runtime-context.js';

/** A branch that takes the place of the active one. */
export interface BranchRewrite {
  readonly result: TranscriptRewriteResult;
  /** The entries of the new branch, below the last one that both share; empty where nothing changes. */
  readonly entries: readonly JsonObject[];
  /** The place on the path from which on it is another. */
  readonly from: number;
  /** The rewritten entries, by their old id. */
  readonly renamed: ReadonlyMap<RawId, string>;
}

/**
 * Replaces messages in one pass, by a branch: the entries from the first replaced one on are copied below its parent,
 * with new ids. References follow to the copies, and times are kept. If one replacement is impossible, nothing changes,
 * and the result states the reason.
 */
export function rewriteBranch(
  { session, path }: SessionBranch,
  replacements: readonly TranscriptRewriteReplacement[],
  newId: () => string,
): BranchRewrite {
  const places = new Map(path.map(({ id }, at) => [formatId(id), at]));
  const wanted = new Map<number, JsonObject>();
  let bytesFreed = 0;
  for (const { entryId, message } of replacements) {
    const at = places.get(entryId);
    const head = path[at ?? -1];
    if (at === undefined || !head) return refuseRewrite(findUnknownEntry(session, entryId));
    if (wanted.has(at)) return refuseRewrite(`${quoteId(entryId)} is replaced twice`);
    const before = head.type === 'message' ? readEntryMessage(session.entry(head)) : null;
    const why = findRefusal(before, message);
    if (why !== null) return refuseRewrite(`${quoteId(entryId)}: ${why}`);
    wanted.set(at, message);
    bytesFreed += countBytes(before) - countBytes(message);
  }
  const changed = [...wanted].filter(([at, message]) => !isSame(session, path[at], message)).map(([at]) => at);
  const from = changed.reduce((first, at) => Math.min(first, at), path.length);
  if (changed.length === 0) return refuseRewrite('no change');
  const blocking = path.slice(from).find((head) => holdsMessages(session, head));
  if (blocking) return refuseRewrite(`${quoteId(formatId(blocking.id))} holds the original messages`);
  const { entries, renamed } = copyEntries({ session, path }, { from, wanted, newId });
  return { result: { changed: true, bytesFreed, rewrittenEntries: changed.length }, entries, from, renamed };
}

function refuseRewrite(reason: string): BranchRewrite {
  const result = { changed: false, bytesFreed: 0, rewrittenEntries: 0, reason };
  return { result, entries: [], from: 0, renamed: new Map() };
}

function findUnknownEntry({ tree }: Session, entryId: string): string {
  const isThere = tree.heads.find(entryId) !== undefined;
  return `${quoteId(entryId)} is ${isThere ? 'not on the active branch' : 'not an entry of the session'}`;
}

/** The reason why a message must not replace another. */
function findRefusal(before: JsonObject | null, after: JsonObject): string | null {
  if (before === null) return 'the entry has no message';
  if (before.role === 'system') return 'the entry is the system prompt, not a message of the conversation';
  if (after.role !== before.role)
    return `the role is ${asString(before.role) ?? 'unknown'}, not ${asString(after.role) ?? 'unknown'}`;
  if (after.role === 'toolResult' && after.toolCallId !== before.toolCallId)
    return 'this would separate the result from its call';
  return toCallKey(after) === toCallKey(before) ? null : 'this would separate a call from its result';
}

/** The calls that a message makes, in a form to compare. */
function toCallKey({ role, content }: JsonObject): string {
  if (role !== 'assistant') return '';
  const calls = listObjects(content).filter(({ type }) => type === 'toolCall');
  return JSON.stringify(calls.map(({ id }) => JSON.stringify(id)).toSorted((a, b) => (a < b ? -1 : 1)));
}

function isSame(session: Session, head: Head | undefined, message: JsonObject): boolean {
  return head !== undefined && JSON.stringify(session.entry(head).message) === JSON.stringify(message);
}

/** A transform may hold copies of messages, which would go on to be shown. */
function holdsMessages(session: Session, head: Head): boolean {
  if (head.type !== 'context_transform') return false;
  return listObjects(session.entry(head).patch).some(({ op }) => op === 'messages_cached_replace');
}

function countBytes(message: JsonObject | null): number {
  return new TextEncoder().encode(JSON.stringify(message)).length;
}
