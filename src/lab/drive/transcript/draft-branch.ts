import { CtxError } from '#base/errors.js';
import { type JsonObject, listObjects } from '#base/json.js';
import { copyEntries } from '#change/plan/copy-entries.js';
import { buildDraft, type Draft } from '#change/plan/draft.js';
import { buildIdSource, type EntryStamps } from '#change/plan/entry-stamps.js';
import { buildEntryChain } from '#change/plan/new-entries.js';
import type { LlmMessage } from '#context/replay/content.js';
import { REWRITE_TYPE } from '#context/replay/ctx-entries.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { Transcript, WrittenEntry } from './transcript.js';

/** The entries that write an engine's changes in memory into a session. */
interface EngineBranch {
  /** None: the engine changed nothing. */
  readonly entries: readonly JsonObject[];
  /** Recorded compactions and transforms of messages, which are not the engine's. */
  readonly leftOut: readonly Head[];
}

export interface DriveEnd {
  readonly path: readonly Head[];
  readonly transcript: Transcript;
  /** The messages as they would be sent for the transcript. */
  readonly messages: readonly LlmMessage[];
}

/**
 * Drafts the branch that an engine leaves. Throws a CtxError (refused) if the context at its end would not be the
 * engine's messages with the recorded prompt and tools.
 */
export function draftBranch(
  source: Session,
  end: DriveEnd,
  fresh: EntryStamps,
): { readonly draft: Draft; readonly leftOut: readonly Head[] } {
  const { entries, leftOut } = buildBranch(source, end, fresh);
  const draft = buildDraft(source, entries);
  const { before, after } = draft;
  const isSame =
    toComparableText(after.messages.cached) === toComparableText(end.messages) &&
    after.system.compiled === before.system.compiled &&
    toComparableText(after.tools) === toComparableText(before.tools);
  if (entries.length > 0 && !isSame) throw buildOtherContextError(source, leftOut);
  return { draft, leftOut };
}

/** The usage of an answer in another context is an estimate. */
function toComparableText(value: unknown): string {
  return JSON.stringify(value, (key, each: unknown) => (key === 'usage' ? null : each));
}

function buildOtherContextError({ file }: Session, [first]: readonly Head[]): CtxError {
  return new CtxError('refused', 'a compaction in this branch would lose changes of prompt or tools', {
    where: first ? `${file}:${first.line}` : file,
    hint: 'run an engine that only rewrites, or undo the transforms and compactions of the session first: ctx revert',
  });
}

/** The compactions and rewrites of an engine as a branch, from the first entry on that differs. */
function buildBranch(
  source: Session,
  { path, transcript }: Pick<DriveEnd, 'path' | 'transcript'>,
  fresh: EntryStamps,
): EngineBranch {
  const places = new Map(path.map(({ index }, at) => [index, at]));
  const own = transcript.listWritten();
  const isRecorded = ({ head, entry }: WrittenEntry): boolean => {
    const recorded = source.entry(head);
    return places.has(head.index) && (entry === recorded || JSON.stringify(entry) === JSON.stringify(recorded));
  };
  if (own.every(isRecorded)) return { entries: [], leftOut: [] };
  const branch = mergeKeptEntries(source, path, own);
  const from = branch.findIndex((each, at) => places.get(each.head.index) !== at || !isRecorded(each));
  const entries = new Map(branch.map(({ head, entry }) => [head.index, entry]));
  const session = { ...source, entry: (head: Head) => entries.get(head.index) ?? source.entry(head) };
  const heads = branch.map(({ head }) => head);
  const newId = buildIdSource(source, fresh.newId);
  const copies = copyEntries({ session, path: heads }, { from, newId }).entries;
  const there = new Set(heads.map(({ index }) => index));
  const leftOut = path.filter(({ index }) => !there.has(index));
  if (from === path.length) return { entries: copies, leftOut };
  return { entries: addMarker(copies, { session, path, heads, from, now: fresh.now, newId }), leftOut };
}

/** Entries with a part that no engine replaces: see `findKeptPart`. */
function mergeKeptEntries(
  source: Session,
  path: readonly Head[],
  branch: readonly WrittenEntry[],
): readonly WrittenEntry[] {
  const kept = path.flatMap((head, at) => {
    const entry = findKeptPart(source, head);
    return entry ? [{ at, head, entry }] : [];
  });
  const places = new Map(path.map(({ index }, at) => [index, at]));
  const merged: WrittenEntry[] = [];
  for (const each of branch) {
    const place = places.get(each.head.index) ?? -1;
    while (kept[0] && kept[0].at < place) merged.push(...kept.splice(0, 1));
    merged.push(each);
  }
  return [...merged, ...kept];
}

/** A transform without its ops on messages, and messages for one request; null for any other entry. */
function findKeptPart(source: Session, head: Head): JsonObject | null {
  if (head.type !== 'ephemeral' && head.type !== 'context_transform') return null;
  const entry = source.entry(head);
  if (head.type === 'ephemeral') return entry;
  const all = listObjects(entry.patch);
  const patch = all.filter(({ op }) => !MESSAGE_OPS.test(String(op)));
  if (patch.length === 0) return null;
  return patch.length === all.length ? entry : { ...entry, patch };
}

const MESSAGE_OPS = /^(?:messages_cached|compaction)_/;

interface Marking extends EntryStamps {
  readonly session: Session;
  readonly path: readonly Head[];
  readonly heads: readonly Head[];
  readonly from: number;
}

/** The branch begins with an entry that records where it left the other one, so that it can be undone. */
function addMarker(
  copies: readonly JsonObject[],
  { session, path, heads, from, ...fresh }: Marking,
): readonly JsonObject[] {
  const [first, ...others] = copies;
  if (!first) return copies;
  const ids = copies.map((_, at) => formatId(heads[from + at]?.id));
  const data = { leaf: formatId(path.at(-1)?.id), copies: ids };
  const body = { type: 'custom', customType: REWRITE_TYPE, data };
  const markers = buildEntryChain(session, first.parentId as string | null, [body], fresh);
  return [...markers, { ...first, parentId: markers[0]?.id }, ...others];
}
