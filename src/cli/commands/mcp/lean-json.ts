import { isObject } from '#base/json.js';

/**
 * Members whose values have names and meanings of a tool, an extension or the user. They pass unchanged, since `id` or
 * null there may be what a model asks for.
 */
const FREE: ReadonlySet<string> = new Set(['arguments', 'data', 'details', 'parameters', 'sections']);

/** Members that pass with all of their nulls and digits: an entry is a record, in which null may mean a deletion. */
const RECORDED: ReadonlySet<string> = new Set([...FREE, 'entry']);

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
  if (Array.isArray(value)) return value.map(dropOpaque);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !OPAQUE.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, FREE.has(name) ? member : dropOpaque(member)]));
}

/** A document of `ctx` without the members that are null, at any depth but in what is recorded. */
export function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(kept.map(([name, member]) => [name, RECORDED.has(name) ? member : dropNulls(member)]));
}

/** A document of `ctx` with its numbers rounded to six digits; whole and recorded numbers keep all of theirs. */
export function roundNumbers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(6));
  if (Array.isArray(value)) return value.map(roundNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, RECORDED.has(name) ? member : roundNumbers(member)]),
  );
}
