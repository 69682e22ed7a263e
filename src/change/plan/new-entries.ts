import { CtxError } from '#base/errors.js';
import { isObject, type JsonObject, listObjects } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { LlmMessage } from '#context/replay/content.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** The source of ids and times for new entries; replaced in tests. */
export interface EntryStamps {
  /** Milliseconds since 1970. */
  now(): number;
  /** Eight hex digits, as Pi makes them. */
  newId(): string;
}

/** So often Pi tries before it takes a longer id. */
const MOST_TRIES = 100;

/** Gives ids that neither the session nor an earlier call has. */
export function buildIdSource({ tree }: Pick<Session, 'tree'>, newId: () => string): () => string {
  const given = new Set<string>();
  return () => {
    let id = newId();
    for (let tries = 1; tree.heads.has(id) || given.has(id); tries += 1) {
      id = tries < MOST_TRIES ? newId() : `${newId()}${newId()}`;
    }
    given.add(id);
    return id;
  };
}

/** The fields of an entry that are its own: all but its id, parent and time. */
export type EntryBody = { readonly type: string } & JsonObject;

/** The body of a transform. `rest`: its display and details. */
export function buildTransformBody(
  transformerName: string,
  patch: readonly JsonObject[],
  rest: JsonObject = {},
): EntryBody {
  return { type: 'context_transform', schemaVersion: 1, transformerName, patch, ...rest };
}

/** Entries that follow one another below `parentId`, in Pi's key order. */
export function buildEntryChain(
  session: Pick<Session, 'tree'>,
  parentId: string | null,
  bodies: readonly EntryBody[],
  { now, newId }: EntryStamps,
): readonly JsonObject[] {
  const nextId = buildIdSource(session, newId);
  const timestamp = new Date(now()).toISOString();
  let parent = parentId;
  return bodies.map(({ type, ...fields }) => {
    const place = { id: nextId(), parentId: parent, timestamp };
    parent = place.id;
    return FIELDS_FIRST.has(type) ? { type, ...fields, ...place } : { type, ...place, ...fields };
  });
}

/** Types whose own fields Pi writes before the id and the parent. */
const FIELDS_FIRST: ReadonlySet<string> = new Set(['custom', 'custom_message']);

/** The place of a new entry: the id of its parent, null for a root; by default the leaf. */
export interface EntryParent {
  readonly parentId?: string | null | undefined;
}

/** How a transform calls itself. */
export interface TransformNames {
  readonly name: string;
  readonly title?: string | undefined;
  readonly summary?: string | undefined;
}

/**
 * The entry that makes a patch part of a session, at its leaf or on a new branch. Throws a CtxError (input) that names the first op which
 * breaks a boundary rule.
 */
export function buildPatchEntries(
  session: Session,
  patch: readonly JsonObject[],
  {
    name,
    title,
    summary,
    parentId = formatId(session.tree.leaf?.id),
    ...fresh
  }: TransformNames & EntryParent & EntryStamps,
): readonly JsonObject[] {
  const display = title === undefined && summary === undefined ? {} : { display: { title, summary } };
  const body = buildTransformBody(name, patch, display);
  for (const [at, step] of readPatch(body).entries()) {
    if (!step.ok) throw new CtxError('input', step.message, { where: `op ${at}`, hint: hintFor(step.rule) });
  }
  return buildEntryChain(session, parentId, [body], fresh);
}

function hintFor(rule: string): string {
  return rule === 'scope' ? 'rule: scope; log messages for one request with --ephemeral' : `rule: ${rule}`;
}

/** The entry that logs messages for the next request, at the leaf or on a new branch. */
export function buildEphemeralEntries(
  session: Session,
  messages: readonly LlmMessage[],
  { parentId = formatId(session.tree.leaf?.id), ...fresh }: EntryParent & EntryStamps,
): readonly JsonObject[] {
  return buildEntryChain(session, parentId, [{ type: 'ephemeral', messages }], fresh);
}

/** The ops in a file: a list of them, one alone, or an object that has them as its `patch`. null: it is none of these. */
export function readPatchOps(value: unknown): readonly JsonObject[] | null {
  const list = isObject(value) ? (value['patch'] ?? [value]) : value;
  return Array.isArray(list) && list.every(isObject) ? list : null;
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);

/** The messages in a file: a list, one alone, or an op that appends some. null: it is none of these. */
export function readMessages(value: unknown): readonly LlmMessage[] | null {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const messages = list.flatMap((item): readonly unknown[] =>
    isObject(item) && Array.isArray(item['messages']) ? listObjects(item['messages']) : [item],
  );
  return messages.every((item): item is LlmMessage => isObject(item) && ROLES.has(item['role'])) ? messages : null;
}
