import { CtxError } from '#base/errors.js';
import { isTimezone, moveToZone } from '#base/local-time.js';
import { readCount } from '#base/numbers.js';
import { isOfAnyZone, parseUserTime } from '#base/user-time.js';

/** One command-line flag: its spelling, its help, and the parser of its value. Types, help and docs derive from it. */
export interface Flag<Value> {
  /** The word for its value in the help; null for a flag without one. */
  readonly placeholder: string | null;
  readonly help: string;
  /** The letter of the flag. */
  readonly short?: string;
  /** Another letter, which its help names, or an earlier name, which no help names. */
  readonly alias?: string;
  readonly choices?: readonly string[];
  /** The choice that a shorter word means; undefined for a word that means none. */
  readonly findChoice?: (word: string) => string | undefined;
  /** The words that a list as its value may contain, for completions. */
  readonly list?: readonly string[];
  /** The short help omits it. */
  readonly isRare?: true;
  /** An earlier way to write what an argument or another flag says: it works, and no help names it. */
  readonly isHidden?: true;
  /** Whether the flag may be repeated. Each use gives a list, and the value joins them all. */
  readonly isMany?: true;
  /** Flags that it cannot be used with; also an argument, as `[range]`, or a format, as `format json`. */
  readonly excludes?: readonly string[];
  /** Written like `excludes`: without one of these it would have no effect. */
  readonly needs?: readonly string[];
  /** Written like `excludes`: the command needs this flag, or one of these. */
  readonly requiredUnless?: readonly string[];
  /** Throws a CtxError (usage) for a value that it cannot take. */
  parse(raw: string): Value;
}

/** The values of a set of flags; one that was not given is undefined. */
export type FlagValues<Flags extends Readonly<Record<string, Flag<unknown>>>> = {
  readonly [Name in keyof Flags]: Flags[Name] extends Flag<infer Value> ? Value | undefined : never;
};

/** Flags with the rule that all of them have. */
export function addFlagRule<Flags extends Readonly<Record<string, Flag<unknown>>>>(
  rule: Pick<Flag<unknown>, 'excludes' | 'needs'>,
  flags: Flags,
): Flags {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, ...rule }])) as Flags;
}

export function toggleFlag(help: string): Flag<boolean> {
  return { placeholder: null, help, parse: () => true };
}

export function textFlag(placeholder: string, help: string): Flag<string> {
  return { placeholder, help, parse: (raw) => raw };
}

/** A flag that the short help omits. */
export function rareFlag<Value>(flag: Flag<Value>): Flag<Value> {
  return { ...flag, isRare: true };
}

/** A flag that no help names, because an argument or another flag says the same. */
export function hiddenFlag<Value>(flag: Flag<Value>): Flag<Value> {
  return { ...flag, isHidden: true };
}

/** A flag that may be given any number of times. */
export function textsFlag(placeholder: string, help: string): Flag<readonly string[]> {
  return { placeholder, help, isMany: true, parse: (raw) => [raw] };
}

export function choiceFlag<const Choice extends string>(
  placeholder: string,
  choices: readonly Choice[],
  help: string,
): Flag<Choice> {
  const isChoice = (raw: string): raw is Choice => choices.some((choice) => choice === raw);
  return {
    placeholder,
    help,
    choices,
    parse(raw) {
      if (isChoice(raw)) return raw;
      throw buildInvalidValueError(placeholder, raw, `choose one of ${choices.join(', ')}`);
    },
  };
}

/** The units that a flag may count, as the help names them, with values to suggest. */
const NUMBER_EXAMPLES = {
  N: '12',
  SECONDS: '12',
  TOKENS: '1.5k, 200k or 1M',
  BYTES: '1.5k, 200k or 1M',
};

type Counted = keyof typeof NUMBER_EXAMPLES;

/** A whole number; also `1,000`, `1_000`, `1.5k` or `1M`. */
export function numberFlag(counted: Counted, help: string): Flag<number> {
  return {
    placeholder: counted,
    help,
    parse(raw) {
      const value = readCount(raw) ?? NaN;
      if (value > MOST) throw new CtxError('usage', `"${raw}" is too large`, { hint: 'write at most 999999999999' });
      if (!Number.isInteger(value))
        throw buildInvalidValueError(counted, raw, `write a whole number, such as ${NUMBER_EXAMPLES[counted]}`);
      return value;
    },
  };
}

const MOST = 999_999_999_999;

/** A flag for a number that must be greater than 0. */
export function positiveFlag(counted: Counted, help: string): Flag<number> {
  const { parse, ...flag } = numberFlag(counted, help);
  return {
    ...flag,
    parse(raw) {
      const value = parse(raw);
      if (value === 0) throw buildInvalidValueError(counted, raw, 'write 1 or more');
      return value;
    },
  };
}

/** A duration in minutes: `90s`, `5m`, `1h`; without a unit, minutes. */
export function minutesFlag(help: string): Flag<number> {
  return {
    placeholder: 'DURATION',
    help,
    parse(raw) {
      const [, digits, unit = 'm'] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd]?)$/.exec(raw) ?? [];
      if (digits === undefined)
        throw buildInvalidValueError('DURATION', raw, 'write 90s, 5m, 1h or a number of minutes');
      return Number(digits) * (MINUTES[unit || 'm'] ?? 1);
    },
  };
}

const MINUTES: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440 };

/** The milliseconds since 1970 of a time of the user; one without a zone is in `timezone`, UTC by default. */
export type ReadTime = (now: number, timezone?: string | null) => number;

/** A time in milliseconds since 1970, for a value that may count back from now: see `parseUserTime`. */
export function timeFlag(placeholder: string, help: string): Flag<ReadTime> {
  return {
    placeholder,
    help,
    parse(raw) {
      if (!Number.isNaN(parseUserTime(raw, 0)))
        return (now, timezone = null) => {
          const time = parseUserTime(raw, now);
          return timezone !== null && isOfAnyZone(raw) ? moveToZone(time, timezone) : time;
        };
      throw buildInvalidValueError(
        placeholder,
        raw,
        'write 2026-03-02, 2026-03-02T09:30, 2026-03-02T09:30+01:00, or 30m, 2h, 3d, 1w back from now',
      );
    },
  };
}

/** A time zone, by its name in the IANA database. */
export function timezoneFlag(help: string): Flag<string> {
  return {
    placeholder: 'ZONE',
    help,
    parse(raw) {
      if (isTimezone(raw)) return raw;
      throw buildInvalidValueError('ZONE', raw, 'write a name such as Europe/Berlin, America/New_York or UTC');
    },
  };
}

export function patternFlag(placeholder: string, help: string): Flag<RegExp> {
  return {
    placeholder,
    help,
    parse(raw) {
      try {
        return new RegExp(raw, 'i');
      } catch (error) {
        throw buildInvalidValueError(placeholder, raw, (error as Error).message);
      }
    },
  };
}

/** The value that a flag is given on the command line. Throws a CtxError (usage) that names the flag. */
export function parseFlagValue<Value>(name: string, flag: Flag<Value>, raw: string): Value {
  try {
    return flag.parse(raw);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    throw new CtxError(error.kind, error.message, { where: `--${name}`, hint: error.hint });
  }
}

function buildInvalidValueError(placeholder: string, raw: string, hint: string): CtxError {
  return new CtxError('usage', `invalid value "${raw}" for ${placeholder}`, { hint });
}
