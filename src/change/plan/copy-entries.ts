import type { JsonObject } from '#base/json.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import { labelsOf, type Session } from '#session/session.js';
import { buildIdSource } from './entry-stamps.js';

export interface SessionBranch {
  readonly session: Session;
  readonly path: readonly Head[];
}

interface CopyRequest {
  readonly from: number;
  /** New messages, by their places. */
  readonly wanted?: ReadonlyMap<number, JsonObject>;
  newId(): string;
}

/** Copies of the entries of a path from a place on, with new ids, and of their labels. */
export function copyEntries(
  { session, path }: SessionBranch,
  { from, wanted = new Map(), newId }: CopyRequest,
): CopiedEntries {
  const nextId = buildIdSource(session, newId);
  const renamed = new Map<RawId, string>();
  for (const { id } of path.slice(from)) renamed.set(id, nextId());
  const entries: JsonObject[] = [];
  let parentId = formatId(path[from - 1]?.id);
  for (let at = from; at < path.length; at += 1) {
    const head = path[at];
    if (!head) continue;
    const message = wanted.get(at);
    const entry = { ...session.entry(head), id: renamed.get(head.id), parentId };
    entries.push(renameReferences(message === undefined ? entry : { ...entry, message }, renamed));
    parentId = renamed.get(head.id) ?? null;
  }
  const last = path.at(-1);
  const { timestamp } = last ? session.entry(last) : {};
  const labels = buildMovedLabels(session, { entries, renamed }, { parentId, timestamp, nextId });
  return { entries: [...entries, ...labels], renamed };
}

/** The fields by which entries name one another. */
const REFERENCE_FIELDS = ['targetId', 'firstKeptEntryId', 'fromId'] as const;

/** An entry whose references follow to new ids. */
export function renameReferences(entry: JsonObject, renamed: ReadonlyMap<RawId, string>): JsonObject {
  const names = REFERENCE_FIELDS.flatMap((field) => {
    const to = renamed.get(entry[field] as RawId);
    return to === undefined || !Object.hasOwn(entry, field) ? [] : [[field, to] as const];
  });
  return names.length === 0 ? entry : { ...entry, ...Object.fromEntries(names) };
}

interface CopiedEntries {
  readonly entries: readonly JsonObject[];
  readonly renamed: ReadonlyMap<RawId, string>;
}

interface LabelPlace {
  readonly parentId: string | null;
  readonly timestamp: unknown;
  nextId(): string;
}

/**
 * Label entries that move labels from the replaced entries to their copies, because a label on two entries names
 * neither.
 */
export function buildMovedLabels(
  session: Session,
  { entries, renamed }: CopiedEntries,
  { parentId, timestamp, nextId }: LabelPlace,
): readonly JsonObject[] {
  const given = new Map<unknown, unknown>();
  for (const { type, targetId, label } of entries) {
    if (type === 'label') given.set(targetId, label);
  }
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
