/** How long a value is as JSON, also where it is nested too deeply for JSON.stringify. Gives UTF-16 code units. */
export function jsonLength(value: unknown): number {
  return jsonText(value)?.length ?? lengthOfDeep(value);
}

/** A value as JSON; null where it is nested too deeply for that. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function lengthOfDeep(value: unknown): number {
  let length = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) {
      length += JSON.stringify(next ?? null).length;
      continue;
    }
    const isList = Array.isArray(next);
    const items: readonly unknown[] = isList ? next : Object.values(next);
    if (!isList) for (const key of Object.keys(next)) length += JSON.stringify(key).length + ':'.length;
    length += '[]'.length + Math.max(0, items.length - 1);
    for (const item of items) waiting.push(item);
  }
  return length;
}
