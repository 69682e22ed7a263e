import { asString, type JsonObject, objectsIn } from '#base/json.js';
import { freshIds } from '#change/plan/entries.js';
import { messageOfEntry } from '#context/replay/entry-message.js';
import { labelsOf, type Session } from '#session/session.js';
import { type Head, idText, quotedId, type RawId } from '#session/table/head.js';
import type { TranscriptRewriteReplacement, TranscriptRewriteResult } from '../contract.js';

/** A branch that takes the place of the active one. */
export interface Rewrite {
  readonly result: TranscriptRewriteResult;
  /** Its own entries, below the one above the first that was replaced; none where nothing changes. */
  readonly entries: readonly JsonObject[];
  /** The place on the path from which on it is another. */
  readonly from: number;
  /** The rewritten entries, by their old id. */
  readonly renamed: ReadonlyMap<RawId, string>;
}

interface Branch {
  readonly session: Session;
  readonly path: readonly Head[];
}

/**
 * Replaces messages in one pass, by a branch: the entries from the first replaced one on are copied below its parent,
 * with new ids. References follow to the copies, and times are kept. If one replacement is impossible, nothing changes,
 * and the result states the reason.
 */
export function rewrite(
  { session, path }: Branch,
  replacements: readonly TranscriptRewriteReplacement[],
  newId: () => string,
): Rewrite {
  const places = new Map(path.map(({ id }, at) => [idText(id), at]));
  const wanted = new Map<number, JsonObject>();
  let bytesFreed = 0;
  for (const { entryId, message } of replacements) {
    const at = places.get(entryId);
    const head = path[at ?? -1];
    if (at === undefined || !head) return refused(whyUnknown(session, entryId));
    if (wanted.has(at)) return refused(`${quotedId(entryId)} is replaced twice`);
    const before = messageOf(session, head);
    const why = whyNot(before, message);
    if (why !== null) return refused(`${quotedId(entryId)}: ${why}`);
    wanted.set(at, message);
    bytesFreed += bytesOf(before) - bytesOf(message);
  }
  const changed = [...wanted].filter(([at, message]) => !isSame(session, path[at], message)).map(([at]) => at);
  const from = changed.reduce((first, at) => Math.min(first, at), path.length);
  if (changed.length === 0) return refused('no change');
  const blocking = path.slice(from).find((head) => holdsMessages(session, head));
  if (blocking) return refused(`${quotedId(idText(blocking.id))} holds the original messages`);
  const { entries, renamed } = appendedAgain({ session, path }, { from, wanted, newId });
  return { result: { changed: true, bytesFreed, rewrittenEntries: changed.length }, entries, from, renamed };
}

function refused(reason: string): Rewrite {
  const result = { changed: false, bytesFreed: 0, rewrittenEntries: 0, reason };
  return { result, entries: [], from: 0, renamed: new Map() };
}

function whyUnknown({ tree }: Session, entryId: string): string {
  const isThere = tree.heads.find(entryId) !== undefined;
  return `${quotedId(entryId)} is ${isThere ? 'not on the active branch' : 'not an entry of the session'}`;
}

function messageOf(session: Session, head: Head): JsonObject | null {
  return head.type === 'message' ? messageOfEntry(session.entry(head)) : null;
}

/** Why a message must not take the place of another. */
function whyNot(before: JsonObject | null, after: JsonObject): string | null {
  if (before === null) return 'the entry has no message';
  if (before['role'] === 'system') return 'the entry is the system prompt, not a message of the conversation';
  if (after['role'] !== before['role'])
    return `the role is ${asString(before['role']) ?? 'unknown'}, not ${asString(after['role']) ?? 'unknown'}`;
  if (after['role'] === 'toolResult' && after['toolCallId'] !== before['toolCallId'])
    return 'this would separate the result from its call';
  return callsIn(after) === callsIn(before) ? null : 'this would separate a call from its result';
}

/** The calls that a message makes, in a form to compare. */
function callsIn({ role, content }: JsonObject): string {
  if (role !== 'assistant') return '';
  const calls = objectsIn(content).filter(({ type }) => type === 'toolCall');
  return JSON.stringify(calls.map(({ id }) => JSON.stringify(id)).toSorted((a, b) => (a < b ? -1 : 1)));
}

function isSame(session: Session, head: Head | undefined, message: JsonObject): boolean {
  return head !== undefined && JSON.stringify(session.entry(head)['message']) === JSON.stringify(message);
}

/** A transform may hold copies of messages, which would go on to be shown. */
function holdsMessages(session: Session, head: Head): boolean {
  if (head.type !== 'context_transform') return false;
  return objectsIn(session.entry(head)['patch']).some(({ op }) => op === 'messages_cached_replace');
}

function bytesOf(message: JsonObject | null): number {
  return new TextEncoder().encode(JSON.stringify(message)).length;
}

interface Again {
  readonly from: number;
  readonly wanted: ReadonlyMap<number, JsonObject>;
  newId(): string;
}

function appendedAgain(
  { session, path }: Branch,
  { from, wanted, newId }: Again,
): Pick<Rewrite, 'entries' | 'renamed'> {
  const nextId = freshIds(session, newId);
  const renamed = new Map<RawId, string>();
  for (const { id } of path.slice(from)) renamed.set(id, nextId());
  const entries: JsonObject[] = [];
  let parentId = idText(path[from - 1]?.id);
  for (let at = from; at < path.length; at += 1) {
    const head = path[at];
    if (!head) continue;
    const message = wanted.get(at);
    const entry = { ...session.entry(head), id: renamed.get(head.id), parentId };
    entries.push(renaming(message === undefined ? entry : { ...entry, message }, renamed));
    parentId = renamed.get(head.id) ?? null;
  }
  const last = path.at(-1);
  const timestamp = last ? session.entry(last)['timestamp'] : undefined;
  const labels = movedLabels(session, { entries, renamed }, { parentId, timestamp, nextId });
  return { entries: [...entries, ...labels], renamed };
}

/** The fields by which entries name one another. */
const NAMES = ['targetId', 'firstKeptEntryId', 'fromId'] as const;

function renaming(entry: JsonObject, renamed: ReadonlyMap<RawId, string>): JsonObject {
  const names = NAMES.flatMap((field) => {
    const to = renamed.get(entry[field] as RawId);
    return to === undefined || !Object.hasOwn(entry, field) ? [] : [[field, to] as const];
  });
  return names.length === 0 ? entry : { ...entry, ...Object.fromEntries(names) };
}

interface Rewritten {
  readonly entries: readonly JsonObject[];
  readonly renamed: ReadonlyMap<RawId, string>;
}

interface Place {
  readonly parentId: string | null;
  readonly timestamp: unknown;
  nextId(): string;
}

/**
 * Label entries that move labels from the replaced entries to their copies, because a label on two entries names
 * neither.
 */
function movedLabels(
  session: Session,
  { entries, renamed }: Rewritten,
  { parentId, timestamp, nextId }: Place,
): readonly JsonObject[] {
  const given = new Map<unknown, unknown>();
  for (const { type, targetId, label } of entries) if (type === 'label') given.set(targetId, label);
  const moved = [...labelsOf(session)].flatMap(([id, label]) => {
    const to = renamed.get(id as RawId);
    if (to === undefined) return [];
    return given.get(to) === label ? [{ targetId: id }] : [{ targetId: to, label }, { targetId: id }];
  });
  let parent = parentId;
  return moved.map((fields) => {
    const entry = { type: 'label', id: nextId(), parentId: parent, timestamp, ...fields };
    parent = entry.id;
    return entry;
  });
}
