import type * as z from 'zod/mini';
import { isObject, type JsonObject } from '#base/json.js';
import { describeIssue } from '#base/schema-issue.js';
import { quoteValue } from '../define.js';

/** A violation of a schema in a value. */
export interface SchemaFlaw {
  readonly path: readonly PropertyKey[];
  readonly issue: z.core.$ZodIssue;
}

/** The flaws that a schema finds in a value at a path; for a union, those of the likeliest member. */
export function listSchemaFlaws(
  schema: z.ZodMiniType,
  value: unknown,
  at: readonly PropertyKey[] = [],
): readonly SchemaFlaw[] {
  const { error } = schema.safeParse(value);
  return error ? error.issues.flatMap((issue) => listIssueFlaws(issue, at)) : [];
}

function listIssueFlaws(issue: z.core.$ZodIssue, at: readonly PropertyKey[]): readonly SchemaFlaw[] {
  const path = [...at, ...issue.path];
  if (issue.code !== 'invalid_union' || isTagFlaw(issue)) return [{ path, issue }];
  // Content is text or blocks: if there are blocks, the flaw is in them.
  const likeliest = issue.errors.find((issues) => issues.every((inner) => inner.path.length > 0));
  return likeliest ? likeliest.flatMap((inner) => listIssueFlaws(inner, path)) : [{ path, issue }];
}

/** The expected and the actual value of a place of that name. */
export function describeFlaw(issue: z.core.$ZodIssue, name: string, value: unknown): string {
  const expected = isTagFlaw(issue)
    ? `${name} must be string`
    : describeIssue({ issues: [{ ...issue, path: [name] }] });
  return `${expected}, ${value === undefined ? 'but is missing' : `not ${quoteValue(value)}`}`;
}

/** Whether the type or role is wrong, so that the other fields cannot be validated. */
export function isTagFlaw(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_union' && issue.errors.length === 0;
}

/** The target of a path into an entry: a field of the entry, of a message in it, or of a content block in that. */
export interface FlawSubject {
  readonly kind: 'entry' | 'message' | 'block';
  /** The type of the entry or block, the role of the message. */
  readonly name: unknown;
  /** The path from there; empty for the block itself. */
  readonly field: readonly PropertyKey[];
  /** The value at the end of the path. */
  readonly value: unknown;
}

export function findFlawSubject(entry: JsonObject, path: readonly PropertyKey[]): FlawSubject {
  let subject: Omit<FlawSubject, 'field' | 'value'> = { kind: 'entry', name: entry.type };
  let start = 0;
  let value: unknown = entry;
  for (const [at, key] of path.entries()) {
    value = isObject(value) || Array.isArray(value) ? (value as JsonObject)[String(key)] : undefined;
    const isLast = at === path.length - 1;
    const inside = typeof key === 'number' ? path[at - 1] : key;
    if (inside === 'content' && typeof key === 'number') {
      subject = { kind: 'block', name: isObject(value) ? value.type : undefined };
      start = at + 1;
    } else if (isMessageHolder(inside, key) && isObject(value) && !isLast) {
      subject = { kind: 'message', name: value.role };
      start = at + 1;
    }
  }
  return { ...subject, field: path.slice(start), value };
}

function isMessageHolder(holder: PropertyKey | undefined, key: PropertyKey): boolean {
  return holder === 'messages' ? typeof key === 'number' : holder === 'message' || holder === 'systemMessage';
}

/** A path as findings name it: `message.content[2].arguments`. */
export function formatFieldPath(path: readonly PropertyKey[]): string {
  let place = '';
  for (const key of path) {
    if (typeof key === 'number') place += `[${key}]`;
    else if (/^[a-z_$][\w$]*$/i.test(String(key))) place += place === '' ? String(key) : `.${String(key)}`;
    else place += `[${JSON.stringify(String(key))}]`;
  }
  return place;
}
