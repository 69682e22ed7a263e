/** Values frozen by `deepFreeze`, which cannot have changed since. */
const frozen = new WeakSet<object>();

/** Freezes a JSON value and everything in it, and returns it. */
export function deepFreeze<Value extends object>(value: Value): Value {
  const waiting: object[] = [value];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (frozen.has(next)) continue;
    frozen.add(Object.freeze(next));
    for (const member of Object.values(next)) {
      if (typeof member === 'object' && member !== null) waiting.push(member);
    }
  }
  return value;
}

export function isFrozen(value: object): boolean {
  return frozen.has(value);
}
