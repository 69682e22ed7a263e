import { CtxError } from '#base/errors.js';
import { isObject, objectsIn, type JsonObject } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Session } from '#session/session.js';
import { idText } from '#session/table/head.js';
import { type Freshness, entriesBelow } from './ids.js';

/** How a transform calls itself. */
export interface TransformNames {
  readonly name: string;
  readonly title?: string | undefined;
  readonly summary?: string | undefined;
}

/**
 * The entry that makes a patch part of a session, at its leaf. Throws a CtxError (input) that names the first op which
 * breaks a boundary rule.
 */
export function transformEntries(
  session: Session,
  patch: readonly JsonObject[],
  { name, title, summary, ...fresh }: TransformNames & Freshness,
): readonly JsonObject[] {
  const display = title === undefined && summary === undefined ? {} : { display: { title, summary } };
  const body = { type: 'context_transform', schemaVersion: 1, transformerName: name, patch, ...display };
  for (const [at, step] of readPatch(body).entries()) {
    if (!step.ok) throw new CtxError('input', step.message, { where: `op ${at}`, hint: hintFor(step.rule) });
  }
  return entriesBelow(session, idText(session.tree.leaf?.id), [body], fresh);
}

function hintFor(rule: string): string {
  return rule === 'scope' ? 'rule: scope; messages for one request are logged with --ephemeral' : `rule: ${rule}`;
}

/** The entry that logs messages for the next request, at the leaf. */
export function ephemeralEntries(
  session: Session,
  messages: readonly LlmMessage[],
  fresh: Freshness,
): readonly JsonObject[] {
  return entriesBelow(session, idText(session.tree.leaf?.id), [{ type: 'ephemeral', messages }], fresh);
}

/** The ops in a file: a list of them, one alone, or an object that has them as its `patch`. null: it is none of these. */
export function opsIn(value: unknown): readonly JsonObject[] | null {
  const list = isObject(value) ? (value['patch'] ?? [value]) : value;
  return Array.isArray(list) && list.every(isObject) ? list : null;
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);

/** The messages in a file: a list, one alone, or an op that appends some. null: it is none of these. */
export function messagesIn(value: unknown): readonly LlmMessage[] | null {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const messages = list.flatMap((item): readonly unknown[] =>
    isObject(item) && Array.isArray(item['messages']) ? objectsIn(item['messages']) : [item],
  );
  return messages.every((item): item is LlmMessage => isObject(item) && ROLES.has(item['role'])) ? messages : null;
}
