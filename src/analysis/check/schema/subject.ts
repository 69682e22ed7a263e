import { isObject, type JsonObject } from '#base/json.js';

/** What a path into an entry leads to: a field of the entry, of a message in it, or of a content block in that. */
export interface Subject {
  readonly kind: 'entry' | 'message' | 'block';
  /** The type of the entry or block, the role of the message. */
  readonly name: unknown;
  /** The path from there; empty where a block itself is meant. */
  readonly field: readonly PropertyKey[];
  /** What stands at the end of the path. */
  readonly value: unknown;
}

export function subjectAt(entry: JsonObject, path: readonly PropertyKey[]): Subject {
  let subject: Omit<Subject, 'field' | 'value'> = { kind: 'entry', name: entry['type'] };
  let start = 0;
  let value: unknown = entry;
  for (const [at, key] of path.entries()) {
    value = isObject(value) || Array.isArray(value) ? (value as JsonObject)[String(key)] : undefined;
    const isLast = at === path.length - 1;
    const inside = typeof key === 'number' ? path[at - 1] : key;
    if (inside === 'content' && typeof key === 'number') {
      subject = { kind: 'block', name: isObject(value) ? value['type'] : undefined };
      start = at + 1;
    } else if (isMessageHolder(inside, key) && isObject(value) && !isLast) {
      subject = { kind: 'message', name: value['role'] };
      start = at + 1;
    }
  }
  return { ...subject, field: path.slice(start), value };
}

function isMessageHolder(holder: PropertyKey | undefined, key: PropertyKey): boolean {
  return holder === 'messages' ? typeof key === 'number' : holder === 'message' || holder === 'systemMessage';
}

/** A path as findings name it: `message.content[2].arguments`. */
export function placeAt(path: readonly PropertyKey[]): string {
  let place = '';
  for (const key of path) {
    if (typeof key === 'number') place += `[${key}]`;
    else if (/^[a-z_$][\w$]*$/i.test(String(key))) place += place === '' ? String(key) : `.${String(key)}`;
    else place += `[${JSON.stringify(String(key))}]`;
  }
  return place;
}
