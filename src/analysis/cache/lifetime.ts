import { pluralize } from '#base/numbers.js';

/** The origins of a lifetime: the split of the recorded writes, an assumption, or the flag of the user. */
export const LIFETIME_BASES = ['recorded', 'assumed', 'given'] as const;

/** The time for which a provider keeps a prompt. */
export interface Lifetime {
  readonly minutes: number;
  /** The origin of the minutes. */
  readonly basis: (typeof LIFETIME_BASES)[number];
}

const BASIS_WORDS = {
  recorded: ', as written',
  assumed: ', assumed',
  given: ', by --retention',
} as const satisfies Readonly<Record<Lifetime['basis'], string>>;

const SECOND = { name: 'second', size: 1 };

/** The units of a lifetime by their seconds, the largest first. A lifetime is shown in the first one that divides it. */
const UNITS = [{ name: 'hour', size: 3600 }, { name: 'minute', size: 60 }, SECOND];

/** Describes a lifetime, such as `1 hour, as written`. */
export function describeLifetime(minutes: number, basis: Lifetime['basis'] | null): string {
  const seconds = Math.round(minutes * 60);
  const { name, size } = UNITS.find((unit) => seconds % unit.size === 0) ?? SECOND;
  return `${pluralize(seconds / size, name)}${basis === null ? '' : BASIS_WORDS[basis]}`;
}
