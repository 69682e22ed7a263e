import { isObject, type JsonObject } from '#base/json.js';
import type { ByteSource } from './scan/bytes.js';
import type { Head } from './table/head.js';
import type { Heads } from './table/heads.js';

const TRANSFORM = 'context_transform';

/**
 * An entry, or the transform that it carries: an extension of Pi can append only `custom` entries, so a `custom` entry
 * with the `customType` "context_transform" is the transform in its `data`.
 */
export function withTransform(entry: JsonObject): JsonObject {
  if (entry['type'] !== 'custom' || entry['customType'] !== TRANSFORM) return entry;
  const { customType: _customType, data, ...place } = entry;
  return { ...(isObject(data) ? data : {}), ...place, type: TRANSFORM };
}

/** Gives the heads of such entries the type of a transform. `read` returns a line as stored. */
export function retypeTransforms(heads: Heads, source: ByteSource, read: (head: Head) => JsonObject): void {
  for (const head of heads.ofType('custom'))
    if (mayCarry(source, head) && read(head)['customType'] === TRANSFORM) heads.retype(head.index, TRANSFORM);
}

/** As Pi writes a `custom` entry: most have another type, so their lines are not parsed. */
const BEGINNING = '{"type":"custom","customType":"';

function mayCarry(source: ByteSource, { offset, length }: Head): boolean {
  const size = BEGINNING.length + TRANSFORM.length + 1;
  if (length < size) return false;
  const text = Buffer.from(source.read(offset, offset + size)).toString('latin1');
  return !text.startsWith(BEGINNING) || text.endsWith(`${TRANSFORM}"`);
}
