import { BREAK_CLASSES } from '#analysis/cache/break-classes.js';
import { MISSING_PARTS, OVERHEAD_KINDS } from '#analysis/overhead/document.js';
import { isObject } from '#base/json.js';
import { CONTENT_KINDS } from '#context/contents/kinds.js';
import { ops } from '#context/ops/index.js';
import { AGENT_TYPES } from '#session/entry.js';
import { PI_ROLES, PI_TYPES } from '#session/scan/line-scanner.js';
import { NAME_MEMBERS, STRUCTURE_MEMBERS, TEXT_MEMBERS } from './content-members.js';

/** A name without spaces, in the length that providers accept for names of tools, or a path. */
const NAME = /^[\p{L}\p{N}_.:@/\\+~#()[\]-]{1,64}$/u;
const PATH = /^(?:[~/]|[A-Z]:\\)[\p{L}\p{N}_.:@/\\+~#()[\]-]{1,200}$/u;

/** Words of ctx and of agents, which no session can make up. */
export const OWN_WORDS: ReadonlySet<string> = new Set([
  'recorded',
  'approximate',
  'missing',
  ...CONTENT_KINDS,
  ...BREAK_CLASSES,
  ...OVERHEAD_KINDS,
  ...MISSING_PARTS,
]);

/** Members of a session whose values ctx knows; another value is a text. */
const KNOWN_VALUES: Readonly<Record<string, ReadonlySet<string>>> = {
  op: new Set(ops.map(({ name }) => name)),
  type: new Set([...PI_TYPES, ...AGENT_TYPES, 'text', 'thinking', 'image', 'toolCall']),
  role: new Set(PI_ROLES),
};

/**
 * The answer without texts of the session: they become `{ characters }`, and members that ctx does not know are left
 * out.
 */
export function removeContent(value: unknown, key = 'result'): unknown {
  if (typeof value === 'string') return isShown(value, key) ? value : toSize(value);
  if (Array.isArray(value)) return value.map((item) => removeContent(item, key));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const isTitle = name === 'name' && value.type === 'session_info';
    if (isTitle || TEXT_MEMBERS.has(name)) return [[name, toSize(member)] as const];
    const isKnown = NAME_MEMBERS.has(name) || STRUCTURE_MEMBERS.has(name) || name === 'file';
    return isKnown ? [[name, removeContent(member, name)] as const] : [];
  });
  return Object.fromEntries(members);
}

function isShown(value: string, key: string): boolean {
  if (key === 'file' || OWN_WORDS.has(value)) return true;
  const shownValues = KNOWN_VALUES[key];
  return shownValues ? shownValues.has(value) : NAME_MEMBERS.has(key) && (NAME.test(value) || PATH.test(value));
}

function toSize(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value) && value.length === 0) return value;
  return { characters: typeof value === 'string' ? value.length : JSON.stringify(value).length };
}
