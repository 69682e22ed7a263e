import { isObject } from '#base/json.js';

/** Whether two values are equal as JSON, whatever the order of their keys. */
export function isSameAsJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSameAsJson(item, other[at]));
  if (!isObject(one) || !isObject(other) || Array.isArray(other)) return false;
  for (const key in one) if (!isSameAsJson(one[key], other[key])) return false;
  for (const key in other) if (other[key] !== undefined && one[key] === undefined) return false;
  return true;
}
