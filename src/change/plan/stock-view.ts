import { asString, type JsonObject } from '#base/json.js';
import { ignorePatches, type OpenSession } from '#context/open.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { replayPath } from '#context/walk.js';
import { copyHead, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import { pathTo } from '#session/tree/tree.js';

/**
 * Whether the agent that reads a path knows transforms: the path holds one that no stock compaction repeats. Stock Pi
 * never writes a transform, and `ctx` writes both halves of a dual write for sessions of stock Pi.
 */
export function hasLoneTransform(session: Session, path: readonly Head[]): boolean {
  return path.some(({ type }, at) => type === 'context_transform' && !isDualWritten(session, path, at));
}

/** Whether the transform at a place of a path is the first half of a dual write. */
export function isDualWritten(session: Session, path: readonly Head[], at: number): boolean {
  return path[at + 1]?.type === 'compaction' && findRepeatedTransform(session, path, at + 1) !== null;
}

/** The ids of new entries that stock Pi ignores; a transform that a stock compaction repeats is honoured through it. */
export function listIgnoredByStock(entries: readonly JsonObject[]): readonly string[] {
  return entries.flatMap((entry, at) =>
    UNKNOWN_TO_STOCK.has(entry.type) && !isRepeatedBy(entry, entries[at + 1]) ? (asString(entry.id) ?? []) : [],
  );
}

const UNKNOWN_TO_STOCK: ReadonlySet<unknown> = new Set(['context_transform', 'ephemeral']);

function isRepeatedBy({ id, transformerName }: JsonObject, next: JsonObject | undefined): boolean {
  return transformerName === 'compaction' && next?.type === 'compaction' && next.parentId === id;
}

/** The context that Pi, which knows no transforms, shows at an entry. */
export function buildStockContent(session: Session, at: Head | null): EnvelopeContent {
  const path = (at ? pathTo(session.tree, at) : []).map(hideTransform);
  return replayPath(ignorePatches(session), path).content();
}

/** An entry without an effect, which no compaction repeats. */
function hideTransform(head: Head): Head {
  return head.type === 'context_transform' ? { ...copyHead(head), index: head.index, type: 'custom' } : head;
}

/** A session as stock Pi sees it, without transforms. */
export function hideTransforms(session: Session): OpenSession {
  const entry: Session['entry'] = (head) => (head.type === 'context_transform' ? {} : session.entry(head));
  return ignorePatches({ ...session, entry });
}
