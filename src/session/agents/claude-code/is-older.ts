import { asString } from '#base/json.js';

/** Whether a version is older than another one; not if it is no version. */
export function isOlder(version: unknown, than: string): boolean {
  const one = parseVersion(asString(version) ?? '');
  const other = parseVersion(than);
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && (one[at] ?? NaN) < (other[at] ?? 0);
}

function parseVersion(version: string): readonly number[] {
  return version.split('.', 3).map(Number);
}
