/** A value that is computed on first use. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Like `once`, but computes the value again when the argument changes. */
export function onceFor<Argument, Value>(make: (argument: Argument) => Value): (argument: Argument) => Value {
  let last: { readonly argument: Argument; readonly value: Value } | null = null;
  return (argument) => {
    if (last === null || last.argument !== argument) last = { argument, value: make(argument) };
    return last.value;
  };
}
