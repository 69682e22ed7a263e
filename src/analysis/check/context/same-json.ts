/** Whether two values are the same as JSON, keys in the same order, however deep they are nested. */
export function isSameJson(one: unknown, other: unknown): boolean {
  const waiting: [unknown, unknown][] = [[one, other]];
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    const fields = Object.entries(a);
    const others = Object.entries(b);
    if (Array.isArray(a) !== Array.isArray(b) || fields.length !== others.length) return false;
    for (const [at, [key, value]] of fields.entries()) {
      const [otherKey, otherValue] = others[at] ?? [];
      if (key !== otherKey) return false;
      waiting.push([value, otherValue]);
    }
  }
  return true;
}
