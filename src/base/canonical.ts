/**
 * Canonical JSON (RFC 8785): keys in the order of their UTF-16 code units, no white space, numbers and
 * strings as JavaScript writes them. Lone surrogates stay escapes, since real tool output has them;
 * undefined is left out and NaN is null, as in JSON.stringify.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields: string[] = [];
  for (const [key, field] of Object.entries(value).toSorted(byCodeUnits)) {
    if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(field)}`);
  }
  return `{${fields.join(',')}}`;
}

/** Most messages, and the prompt, are part of many envelopes of a session, so each is written only once. */
const texts = new WeakMap<object, string>();

/** The same of a value that does not change any more and that is asked for again and again. */
export function canonicalTextOf(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = canonicalJson(value);
  texts.set(value, text);
  return text;
}

/** Compares members of an object by their keys. */
export function byCodeUnits([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
