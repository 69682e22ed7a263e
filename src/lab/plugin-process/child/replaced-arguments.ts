import type { RecreatedArgument } from '#platform/plugin.js';

/** A replaced argument: its place, and the values before and after. */
export interface ReplacedArgument {
  readonly at: RecreatedArgument['at'];
  readonly before: unknown;
  readonly value: unknown;
}

/** Inserts values at places in the arguments; a place that does not exist is skipped. */
export function replaceAt(
  values: unknown[],
  at: RecreatedArgument['at'],
  replace: (before: unknown) => unknown,
): readonly ReplacedArgument[] {
  const last = at.at(-1);
  let holder: unknown = values;
  for (const key of at.slice(0, -1)) holder = (holder as Readonly<Record<string | number, unknown>> | undefined)?.[key];
  if (last === undefined || typeof holder !== 'object' || holder === null) return [];
  const members = holder as Record<string | number, unknown>;
  const before = members[last];
  const value = replace(before);
  members[last] = value;
  return [{ at, before, value }];
}

export function findReplaced(replaced: readonly ReplacedArgument[], { at }: RecreatedArgument): unknown {
  return replaced.find((one) => one.at === at)?.value;
}

/**
 * Whether a call changed arguments that are JSON. Inserted values are removed for the comparison, since they are not
 * JSON.
 */
export function isChangedJson(values: unknown[], args: string, replaced: readonly ReplacedArgument[]): boolean {
  for (const { at, before } of replaced) replaceAt(values, at, () => before);
  try {
    const after = JSON.stringify(values);
    // Keys that are numbers are reordered when they are parsed.
    return after !== args && after !== JSON.stringify(JSON.parse(args));
  } catch {
    return true;
  } finally {
    for (const { at, value } of replaced) replaceAt(values, at, () => value);
  }
}
