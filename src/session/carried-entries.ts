import { asObject, type JsonObject } from '#base/json.js';
import type { Head } from './heads/head.js';
import type { Heads } from './heads/heads.js';
import type { ByteSource } from './scan/byte-source.js';

/** The types of entries that stock Pi does not have, and that an extension can append only as `custom` entries. */
const CARRIED = ['context_transform', 'ephemeral'] as const;

/** An entry, or the entry in its `data`: a `custom` entry carries the type that is its `customType`. */
export function unwrapTransform(entry: JsonObject): JsonObject {
  const type = entry.type === 'custom' ? CARRIED.find((name) => name === entry.customType) : undefined;
  if (type === undefined) return entry;
  const { customType: _customType, data, ...place } = entry;
  return { ...asObject(data), ...place, type };
}

/** Gives the heads of such entries the type that they carry. `read` returns a line as stored. */
export function retypeTransforms(heads: Heads, source: ByteSource, read: (head: Head) => JsonObject): void {
  for (const head of heads.ofType('custom')) {
    if (!mayCarry(source, head)) continue;
    const { type } = unwrapTransform(read(head));
    if (typeof type === 'string' && type !== 'custom') heads.setType(head.index, type);
  }
}

/** Pi begins a `custom` entry like this. A line with another beginning has another type and is not parsed. */
const BEGINNING = '{"type":"custom","customType":"';

function mayCarry(source: ByteSource, { offset, length }: Head): boolean {
  // The quote after the type is read too, so that no longer type begins like it.
  const bytes = source.read(offset, offset + Math.min(length, BEGINNING.length + LONGEST_TYPE + 1));
  const text = Buffer.from(bytes).toString('latin1');
  return !text.startsWith(BEGINNING) || CARRIED.some((type) => text.startsWith(`${BEGINNING}${type}"`));
}

const LONGEST_TYPE = Math.max(...CARRIED.map(({ length }) => length));
