import { asString, type JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** The transform that a compaction repeats for programs without transforms. */
export function findRepeatedTransform(session: Session, path: readonly Head[], index: number): Head | null {
  const parent = path[index - 1];
  return parent?.type === 'context_transform' && transformerName(session.entry(parent)) === 'compaction'
    ? parent
    : null;
}

export function transformerName(entry: JsonObject): string {
  return asString(entry.transformerName) ?? 'unknown';
}
