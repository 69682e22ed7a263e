/** A value that is computed on first use. Then `make` is released, with what it needs. */
export function once<Value>(make: () => Value): () => Value {
  let from: { readonly make: () => Value } | { readonly value: Value } = { make };
  return () => {
    if ('make' in from) from = { value: from.make() };
    return from.value;
  };
}

/** Caches a value as `once` does, but computes it again when the argument changes. */
export function memoizeLast<Argument, Value>(make: (argument: Argument) => Value): (argument: Argument) => Value {
  let last: { readonly argument: Argument; readonly value: Value } | null = null;
  return (argument) => {
    if (last === null || last.argument !== argument) last = { argument, value: make(argument) };
    return last.value;
  };
}

/** Remembers the value of each argument for good. */
export function memoize<Argument, Value>(make: (argument: Argument) => Value): (argument: Argument) => Value {
  const values = new Map<Argument, { readonly value: Value }>();
  return (argument) => {
    let cached = values.get(argument);
    if (!cached) values.set(argument, (cached = { value: make(argument) }));
    return cached.value;
  };
}

/** Remembers for each object the last value made of it, as long as the other arguments stay the same. */
export function memoizeByObject<Key extends object, Others extends readonly unknown[], Value>(
  make: (key: Key, ...others: Others) => Value,
): (key: Key, ...others: Others) => Value {
  const values = new WeakMap<Key, { readonly others: Others; readonly value: Value }>();
  return (key, ...others) => {
    const cached = values.get(key);
    if (cached?.others.every((other, at) => other === others[at])) return cached.value;
    const value = make(key, ...others);
    values.set(key, { others, value });
    return value;
  };
}

/** Remembers the values of texts until these have more than `most` characters together; then it starts over. */
export function memoizeTexts<Value>(make: (text: string) => Value, most = 1 << 20): (text: string) => Value {
  const values = new Map<string, { readonly value: Value }>();
  let characters = 0;
  return (text) => {
    const cached = values.get(text);
    if (cached) return cached.value;
    const value = make(text);
    characters += text.length;
    if (characters > most) {
      values.clear();
      characters = text.length;
    }
    values.set(text, { value });
    return value;
  };
}
