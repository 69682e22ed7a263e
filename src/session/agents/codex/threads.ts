import { asObject, asString, isObject, type JsonObject } from '#base/json.js';
import { historyBaseOf } from './record-payload.js';

/** Whether another thread started it. A fork of the user may name the thread that it continues as its parent, too. */
export function isSpawned({
  source,
  thread_source: by,
  parent_thread_id: parent,
  forked_from_id: fork,
}: JsonObject): boolean {
  if (by === 'subagent' || (isObject(source) && 'subagent' in source)) return true;
  return by === undefined && typeof parent === 'string' && typeof fork !== 'string';
}

/** The id of the thread that it continues or that started it; null for one that only went back in its own history. */
export function findParentThread(meta: JsonObject): string | null {
  const { forked_from_id: fork, parent_thread_id: parent } = meta;
  const spawn = findSpawn(meta);
  const base = asString(historyBaseOf(meta)?.['thread_id']);
  const named = asString(fork) ?? asString(parent) ?? asString(spawn['parent_thread_id']);
  return named ?? (base === meta['id'] ? null : base);
}

/** The role in which a thread was started, such as `explorer`; null if its header names none. */
export function findSubagentRole(meta: JsonObject): string | null {
  const { subagent } = asObject(meta['source']);
  return asString(findSpawn(meta)['agent_role']) ?? asString(subagent);
}

function findSpawn({ source }: JsonObject): JsonObject {
  return asObject(asObject(asObject(source)['subagent'])['thread_spawn']);
}

/**
 * The time with which the id of a thread or a turn begins (UUID version 7), in milliseconds since 1970; NaN for another
 * id.
 */
export function parseIdTime(id: string): number {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7/.exec(id) ?? [];
  return Number.parseInt(`${high ?? ''}${low ?? ''}`, 16);
}
