/** The length of a value as JSON in UTF-16 code units, even if it is nested too deeply for JSON.stringify. */
export function measureJson(value: unknown): number {
  return formatJson(value)?.length ?? measureDeep(value);
}

/** A value as JSON; null if it is nested too deeply. */
export function formatJson(value: unknown): string | null {
  return attemptDeep(() => JSON.stringify(value), null);
}

/** The result of a function that descends into a value; `otherwise` if the value is nested too deeply for it. */
export function attemptDeep<Result, Other>(descend: () => Result, otherwise: Other): Result | Other {
  try {
    return descend();
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

/** Measures without recursion. */
function measureDeep(value: unknown): number {
  let length = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) {
      length += JSON.stringify(next ?? null).length;
      continue;
    }
    const items: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    const keys = Array.isArray(next) ? [] : Object.keys(next);
    for (const key of keys) length += JSON.stringify(key).length + ':'.length;
    const commas = Math.max(0, items.length - 1);
    length += '[]'.length + commas;
    for (const item of items) waiting.push(item);
  }
  return length;
}

/** Formats a value as JSON to be read. A value that is nested too deeply becomes a note. */
export function formatIndentedJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '(nested too deeply to show)';
  }
}
