import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../support/files.js';

/** Everything that a terminal obeys, that reorders what is read, or that shows nothing. */
const PAYLOAD =
  '\u001b]0;owned\u0007\u001b[2J\u001b]8;;http://evil.example\u001b\\\u009b2J\u0090q\u009c\r\b\u007f\u202egpj.\u2066\u200b\u200e\u2028\u{e0041}\u{e0100}\ud800';

/** Keys whose values say what an entry is. Ids are not among them: a text always becomes the same one. */
const STRUCTURE: ReadonlySet<string> = new Set([
  'type',
  'role',
  'timestamp',
  'op',
  'scope',
  'data',
  'mimeType',
  'customType',
  'status',
  'stopReason',
  'version',
]);

/** Members that may be called anything. */
const FREE: ReadonlySet<string> = new Set([
  'arguments',
  'parameters',
  'properties',
  'details',
  'set',
  'values',
  'metadata',
]);

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** What is not safe in what is printed. */
export function unsafeIn(text: string): readonly string[] {
  return text.match(UNSAFE) ?? [];
}

/** A fixture in which every text, and every key that may be called anything, ends in what a terminal obeys. */
export function hostileSession(fixture: string): string {
  return changeValues(fixtureText(fixture), (entry) => poisoned(entry, '', false));
}

/** A value of a session of another agent in which every text ends in that, but for times, ids and kinds. */
export function poisonAgentValue(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return KINDS.test(key) || WORD.test(value) ? value : value + PAYLOAD;
  return changeMembers(value, key, poisonAgentValue);
}

const KINDS = /(?:^|[a-z_])(?:id|uuid|type|kind|role|status|reason|timestamp|time|schema|scheme|source)$/i;
/** A word that a format may know: it has a colon, no space, or is a time. */
const WORD = /^[a-z][a-z_]{0,20}$|^\d{4}-\d\d-\d\dT\S*$/;

/** A function that calls names and models `name`, and adds it as a key where any is allowed. */
export function renameAgentValue(name: string): (value: unknown, key?: string) => unknown {
  const rename = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return NAMES.test(key) ? name : value;
    const changed = changeMembers(value, key, rename);
    return ANY_KEYS.test(key) && isPlainObject(changed)
      ? Object.fromEntries([...Object.entries(changed), [name, { [MEMBER]: 'yes' }]])
      : changed;
  };
  return rename;
}

const NAMES =
  /^(?:name|tool|toolName|model|modelId|modelID|model_name|providerID|provider|title|agent|branch|gitBranch)$/;
const ANY_KEYS = /^(?:input|args|arguments|parameters|properties|metadata|extra)$/;

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function changeMembers(value: unknown, key: string, change: (value: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => change(item, key));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner, name)]));
}

function poisoned(value: unknown, key: string, isFree: boolean): unknown {
  if (typeof value === 'string') return !isFree && STRUCTURE.has(key) ? value : value + PAYLOAD;
  if (Array.isArray(value)) return value.map((item) => poisoned(item, key, isFree));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      isFree ? name + PAYLOAD : name,
      poisoned(inner, name, isFree || FREE.has(name)),
    ]),
  );
}

/** The key of what is put into the prototype of an object if somebody writes a key without looking. */
export const MEMBER = 'polluted';

/**
 * A fixture in which ids, names, labels and models are called otherwise, the first of them by `names`. What may have any
 * key has the first of `names` as a key.
 */
export function renamed(fixture: string, names: readonly string[]): string {
  const given = new Map<string, string>();
  const nameFor = (old: string): string => {
    if (names.length === 0) return old;
    const at = given.size;
    if (!given.has(old)) given.set(old, (names[at % names.length] ?? '') + (at < names.length ? '' : String(at)));
    return given.get(old) ?? old;
  };
  const walk = (value: unknown, key: string, isFree: boolean): unknown => {
    if (typeof value === 'string') return NAMED.has(key) ? nameFor(value) : value;
    if (Array.isArray(value)) return value.map((item) => walk(item, key, isFree));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, inner]) => [name, walk(inner, name, isFree || FREE.has(name))]);
    if (isFree || FREE.has(key)) for (const name of names.slice(0, 1)) members.push([name, { [MEMBER]: 'yes' }]);
    return Object.fromEntries(members);
  };
  return changeValues(fixtureText(fixture), (entry) => walk(entry, '', false));
}

const NAMED: ReadonlySet<string> = new Set(
  (
    'id parentId targetId firstKeptEntryId toolCallId name toolName label model modelId provider customType api ' +
    'thinkingLevel title invalidateCacheReason'
  ).split(' '),
);

export function fixtureText(name: string): string {
  return readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');
}

/** A document, or lines, with each value changed. */
export function changeValues(text: string, change: (value: unknown) => unknown): string {
  if (isJson(text)) return JSON.stringify(change(JSON.parse(text)));
  return text
    .split('\n')
    .map((line) => (isJson(line) ? JSON.stringify(change(JSON.parse(line))) : line))
    .join('\n');
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
