/**
 * Whether a text within a value has half of a surrogate pair, which UTF-8 cannot hold. The value may be nested to any
 * depth.
 */
export function hasHalfPair(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string' && HALF_PAIR.test(next)) return true;
    if (typeof next !== 'object' || next === null) continue;
    for (const item of Object.values(next)) open.push(item);
  }
  return false;
}

const HALF_PAIR = /\p{Surrogate}/u;

/** The escapes of JSON: whole pairs, halves, and all others. A backslash before `u` may be an escape of its own. */
const ESCAPE = /(\\u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2})|(\\u[Dd][89A-Fa-f][\dA-Fa-f]{2})|\\./g;

/** JSON with U+FFFD, the replacement character, instead of each half of a surrogate pair. It keeps its length. */
export function replaceHalfPairs(json: string): string {
  return json.replaceAll(ESCAPE, (escape, _pair, half: string | undefined) =>
    half === undefined ? escape : String.raw`\ufffd`,
  );
}
