import { isObject } from '#base/json.js';
import { NAME_MEMBERS, STRUCTURE_MEMBERS, TEXT_MEMBERS } from './content-members.js';

export const NAME = /^[\p{L}\p{N}_.:@/\\+~#()[\]-]{1,200}$/u;

/** How an agent records a part of its sessions. */
const PRESENCE: ReadonlySet<string> = new Set(['recorded', 'approximate', 'missing']);

/** The answer without texts of the session: they become `{ characters }`, and members that ctx does not know are left out. */
export function removeContent(value: unknown, key = 'result'): unknown {
  if (typeof value === 'string') return isName(value, key) ? value : toSize(value);
  if (Array.isArray(value)) return value.map((item) => removeContent(item, key));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (TEXT_MEMBERS.has(name)) return [[name, toSize(member)] as const];
    const isKnown = NAME_MEMBERS.has(name) || STRUCTURE_MEMBERS.has(name) || name === 'file';
    return isKnown ? [[name, removeContent(member, name)] as const] : [];
  });
  return Object.fromEntries(members);
}

function isName(value: string, key: string): boolean {
  return key === 'file' || PRESENCE.has(value) || (NAME_MEMBERS.has(key) && NAME.test(value));
}

function toSize(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value) && value.length === 0) return value;
  return { characters: typeof value === 'string' ? value.length : JSON.stringify(value).length };
}
