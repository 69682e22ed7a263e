/** Receives the name of a stand-in that is called or constructed. */
type OnCall = (name: string) => void;

/**
 * A value that replaces any export of a package that is not loaded: it can be read, called, constructed and extended, and
 * gives stand-ins. `members` are the exports that work.
 */
export function standIn(name: string, onCall: OnCall, members: Readonly<Record<string, unknown>> = {}): unknown {
  const read = new Map<string, unknown>();
  // Each needs a prototype of its own.
  const target = constructible();
  return new Proxy(target, {
    get(_, key, receiver: unknown) {
      if (typeof key === 'symbol') return key === Symbol.toPrimitive ? () => name : Reflect.get(target, key, receiver);
      if (Object.hasOwn(members, key)) return members[key];
      // A promise would wait for a stand-in that has `then`.
      if (key === 'then') return undefined;
      if (key === 'prototype') return target.prototype;
      if (!read.has(key)) read.set(key, standIn(`${name}.${key}`, onCall));
      return read.get(key);
    },
    has: () => true,
    apply() {
      onCall(name);
      return standIn(`${name}()`, onCall);
    },
    construct(_, args, newTarget) {
      onCall(name);
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
}

function constructible(): () => void {
  return function target() {};
}

/** An object with some members; any other member is a function that reports its name and returns nothing. */
export function withFallback(members: object, onCall: (member: string) => void): unknown {
  return new Proxy(members, {
    get(target, key, receiver: unknown) {
      if (typeof key === 'symbol' || key in target) return Reflect.get(target, key, receiver);
      return key === 'then' ? undefined : () => onCall(key);
    },
  });
}

/** The names of what an extension registered or called that has no effect without an agent, each once. */
export class NotRun {
  private readonly names = new Set<string>();
  private isLoaded = false;

  add(name: string): void {
    this.names.add(name);
  }

  /** Notes a call of a stand-in, which has an effect on a handler only: while a module loads, it builds schemas and classes. */
  called(name: string): void {
    if (this.isLoaded) this.names.add(name);
  }

  endLoading(): void {
    this.isLoaded = true;
  }

  list(): readonly string[] {
    return [...this.names];
  }
}
