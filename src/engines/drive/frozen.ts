/** What was frozen here, and so cannot have been changed since. */
const all = new WeakSet<object>();

/** A JSON value that nobody can change any more: the same one, with all that is in it. */
export function frozen<Value extends object>(value: Value): Value {
  const waiting: object[] = [value];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (all.has(next)) continue;
    all.add(Object.freeze(next));
    for (const member of Object.values(next)) if (typeof member === 'object' && member !== null) waiting.push(member);
  }
  return value;
}

export function isFrozen(value: object): boolean {
  return all.has(value);
}
