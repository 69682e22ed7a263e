import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { readOps } from '#context/ops/read-patch.js';
import type { LlmMessage } from '#context/replay/content.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { buildIdSource, type EntryStamps } from './entry-stamps.js';

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

/** The names that a transform has for programs and for readers. */
export interface TransformNames {
  readonly name: string;
  readonly title?: string | undefined;
  readonly summary?: string | undefined;
}

/**
 * The entry that makes a patch part of a session, at its leaf or on a new branch. Throws a CtxError (input) that names the
 * first op which breaks a boundary rule.
 */
export function buildPatchEntries(
  session: Session,
  patch: readonly JsonObject[],
  {
    name,
    title,
    summary,
    parentId = formatId(session.tree.leaf?.id),
    ...stamps
  }: TransformNames & EntryParent & EntryStamps,
): readonly JsonObject[] {
  const display = title === undefined && summary === undefined ? {} : { display: { title, summary } };
  const body = buildTransformBody(name, patch, display);
  for (const [at, op] of readOps(patch, 'cached').entries()) {
    if (!op.ok) throw new CtxError('input', op.message, { where: `op ${at}`, hint: describeRule(op.rule) });
  }
  return buildEntryChain(session, parentId, [body], stamps);
}

function describeRule(rule: string): string {
  return rule === 'scope' ? 'rule: scope; log messages for one request with --ephemeral' : `rule: ${rule}`;
}

/** The entry that logs messages for the next request, at the leaf or on a new branch. */
export function buildEphemeralEntries(
  session: Session,
  messages: readonly LlmMessage[],
  { parentId = formatId(session.tree.leaf?.id), ...stamps }: EntryParent & EntryStamps,
): readonly JsonObject[] {
  return buildEntryChain(session, parentId, [{ type: 'ephemeral', messages }], stamps);
}
