/** Receives the name of a stand-in that is called or constructed. */
type OnCall = (name: string) => void;

/**
 * A value that replaces any export of a package that is not loaded: it can be read, called, constructed and extended, and
 * gives stand-ins. `members` are the exports that work.
 */
export function createStandIn(name: string, onCall: OnCall, members: Readonly<Record<string, unknown>> = {}): unknown {
  const read = new Map<string, unknown>();
  // Each needs a prototype of its own.
  const target = createTarget();
  return new Proxy(target, {
    get(_, key, receiver: unknown) {
      if (typeof key === 'symbol') return key === Symbol.toPrimitive ? () => name : Reflect.get(target, key, receiver);
      if (Object.hasOwn(members, key)) return members[key];
      // A promise would wait for a stand-in that has `then`.
      if (key === 'then') return undefined;
      if (key === 'prototype') return target.prototype;
      if (!read.has(key)) read.set(key, createStandIn(`${name}.${key}`, onCall));
      return read.get(key);
    },
    has: () => true,
    apply() {
      onCall(name);
      return createStandIn(`${name}()`, onCall);
    },
    construct(_, args, newTarget) {
      onCall(name);
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
}

function createTarget(): () => void {
  return function target() {};
}
