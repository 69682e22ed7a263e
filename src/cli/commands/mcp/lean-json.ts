import { isObject } from '#base/json.js';

/**
 * Members whose values have names and meanings of a tool, an extension or the user. They pass unchanged, since `id` or
 * null there may be what a model asks for.
 */
const FREE: ReadonlySet<string> = new Set(['arguments', 'data', 'details', 'parameters', 'sections']);

/** Members of the protocol between an agent and its provider, which say nothing to a model that reads an entry. */
const OPAQUE: ReadonlySet<string> = new Set([
  'api',
  'id',
  'parentId',
  'responseId',
  'thinkingSignature',
  'textSignature',
  'thoughtSignature',
  'toolCallId',
  'usage',
]);

/** A value without the members of the protocol, at any depth. */
export function dropOpaque(value: unknown): unknown {
  return dropMembers(value, (name) => OPAQUE.has(name));
}

/** A value without the members that are null, at any depth. */
export function dropNulls(value: unknown): unknown {
  return dropMembers(value, (_name, member) => member === null || member === undefined);
}

function dropMembers(value: unknown, isDropped: (name: string, member: unknown) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => dropMembers(item, isDropped));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => !isDropped(name, member));
  return Object.fromEntries(
    kept.map(([name, member]) => [name, FREE.has(name) ? member : dropMembers(member, isDropped)]),
  );
}

/** A value with its numbers rounded to six digits; whole numbers keep all of theirs. */
export function roundNumbers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(6));
  if (Array.isArray(value)) return value.map(roundNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, FREE.has(name) ? member : roundNumbers(member)]),
  );
}
