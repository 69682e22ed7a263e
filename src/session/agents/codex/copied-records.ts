import { asString } from '#base/json.js';
import { historyBaseOf } from './record-payload.js';
import type { RolloutPart, RolloutRecord } from './records.js';
import { findParentThread, parseIdTime } from './threads.js';

/** The thread from which a record was copied; null if it was not. */
export type FindOrigin = (record: RolloutRecord) => string | null;

/**
 * Finds the records that belong to another thread: those in the files that a rollout continues, and those in its own
 * file that were copied. A fork of a version before 0.153 copied them, or a spawned agent, which kept their times.
 */
export function findCopies(records: readonly RolloutRecord[], parts: readonly RolloutPart[]): FindOrigin {
  const own = parts.at(-1);
  const id = asString(own?.meta['id']);
  if (!own || id === null) return findNoOrigin;
  if (parts.length > 1) return ({ part }) => findOwner(part, id);
  // Such a file refers to the thread that it continues, and contains no copy of it.
  if (historyBaseOf(own.meta)) return findNoOrigin;

  const origin = findCopiedOrigin(records, own, id);
  if (origin === null) return findNoOrigin;
  const end = findCopyEnd(records, findThreadStart(own, id));
  return ({ index }) => (index < end ? origin : null);
}

const findNoOrigin: FindOrigin = () => null;

/** The thread of a file that a rollout continues; null if it is the thread `id` itself. */
function findOwner({ meta }: RolloutPart, id: string): string | null {
  const owner = asString(meta['id']);
  return owner === id ? null : owner;
}

/** The thread that the beginning of a file was copied from; null if the file names none but its own, `id`. */
function findCopiedOrigin(records: readonly RolloutRecord[], own: RolloutPart, id: string): string | null {
  const named = [findParentThread(own.meta), asString(own.meta['session_id']), findCopiedThread(records, own)];
  return named.find((thread) => thread !== null && thread !== id) ?? null;
}

/** When a thread began, in milliseconds since 1970: by its id, or else by the header of its file. */
function findThreadStart({ meta }: RolloutPart, id: string): number {
  const byId = parseIdTime(id);
  return Number.isNaN(byId) ? Date.parse(String(meta['timestamp'])) : byId;
}

/** The id in a header directly after that of the file, with which a copy of another thread begins. */
function findCopiedThread(records: readonly RolloutRecord[], { header }: RolloutPart): string | null {
  const next = header && records[records.indexOf(header) + 1];
  return next?.content.kind === 'header' ? asString(next.content.meta['id']) : null;
}

/**
 * Finds the index after the records that a fork or a spawned agent copied from its origin. Its own thread began at
 * `start`, and the ids of its own turns are newer. Where turns have no such ids, copied records with their own times
 * are older. 0 if there is no copy, or if nothing tells.
 */
function findCopyEnd(records: readonly RolloutRecord[], start: number): number {
  return findEndOfOlder(records, start, turnStartOf) ?? findEndOfOlder(records, start, itemTimeOf) ?? 0;
}

/** The end of the older records among those with a time, if they are the first; null if no record has a time. */
function findEndOfOlder(
  records: readonly RolloutRecord[],
  start: number,
  timeOf: (record: RolloutRecord) => number,
): number | null {
  let isCopied: boolean | null = null;
  for (const record of records) {
    const time = timeOf(record);
    if (Number.isNaN(time)) continue;
    if (time >= start) return isCopied === true ? record.index : 0;
    isCopied = true;
  }
  return isCopied === null ? null : Infinity;
}

function turnStartOf({ content }: RolloutRecord): number {
  return content.kind === 'turn context' || content.kind === 'turn started' ? content.start : Number.NaN;
}

function itemTimeOf({ content, time }: RolloutRecord): number {
  return content.kind === 'header' ? Number.NaN : time;
}
