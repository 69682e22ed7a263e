import leven from 'leven';

/** Groups thousands by commas, independent of the locale. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 entry`, `2 entries`. */
export function pluralize(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

/** A model as `provider/id`, as far as it is known. */
export function formatModel(
  model: { readonly provider?: string | undefined; readonly modelId?: string | undefined } | null,
): string {
  const known = [model?.provider, model?.modelId].filter((part) => part !== undefined && part !== '');
  return known.length === 0 ? 'model unknown' : known.join('/');
}

/** A short number of tokens: 812, 1.2k, 12k, 1.2M. */
export function formatShortCount(value: number): string {
  if (value < 1000) return String(value);
  if (value < 10_000) return `${(value / 1000).toFixed(1)}k`;
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB'] as const;

/** A number of bytes in units of 1000: 812 B, 1.2 kB, 48 MB, 1.0 GB. */
export function formatBytes(bytes: number): string {
  let [value, power] = [bytes, 0];
  for (; value >= 999.5 && power < BYTE_UNITS.length - 1; power += 1) value /= 1000;
  return `${value.toFixed(power > 0 && value < 9.95 ? 1 : 0)} ${BYTE_UNITS[power] ?? ''}`;
}

export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return '0%';
  const value = (part / whole) * 100;
  return value > 0 && value < 1 ? '<1%' : `${Math.round(value)}%`;
}

/** A cost on any screen: $0.00, <$0.0001, $0.0425, $26.28, $1,204. `unknown` replaces null. */
export function formatDollars(cost: number | null, unknown = 'cost not recorded'): string {
  if (cost === null) return unknown;
  if (cost > 0 && cost < 0.00005) return '<$0.0001';
  if (cost >= 999.995) return `$${formatCount(cost)}`;
  return `$${cost.toFixed(cost > 0 && cost < 0.095 ? 4 : 2)}`;
}

/** A cost on any screen, with `~` if listed prices replace costs that are not recorded. */
export function formatRecordedCost(recorded: number | null, withListed: number | null, unknown?: string): string {
  return recorded === null && withListed !== null ? `~${formatDollars(withListed)}` : formatDollars(recorded, unknown);
}

/** Explains the `~` of `formatRecordedCost`. */
export const LISTED_PRICES_NOTE = '~ assumes the listed prices of models where no cost is recorded';

const MOST_CHARACTERS = 2000;

/** Truncates a text to a readable length and states the length of the rest, unless all of it is wanted. */
export function clip(text: string, isFull: boolean): string {
  if (isFull || text.length <= MOST_CHARACTERS) return text;
  const start = sliceStart(text, MOST_CHARACTERS);
  return `${start}\n… ${pluralize(text.length - start.length, 'more character')}, --full shows them`;
}

/** The first `most` code units of a text. No character is split. */
export function sliceStart(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** A text of at most `most` code units, with `…` for the rest. */
export function truncate(text: string, most: number): string {
  return text.length <= most ? text : `${sliceStart(text, most)}…`;
}

/** Whether a place is in the middle of a character of two code units. */
export function isInsideSurrogatePair(text: string, place: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, place - 1), place + 1));
}

/** The names in a list that is separated by commas. */
export function splitNames(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Compares texts by their code units, for a sort. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Formats a duration in its largest unit. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return pluralize(Math.max(0, Math.floor(seconds)), 'second');
  if (seconds < 3600) return pluralize(Math.floor(seconds / 60), 'minute');
  return seconds < 86_400
    ? pluralize(Math.floor(seconds / 3600), 'hour')
    : pluralize(Math.floor(seconds / 86_400), 'day');
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** An age in milliseconds in the largest unit that is full: 12s, 5m, 3h, 40d, 2y. */
export function formatShortAge(age: number): string {
  if (age < MINUTE) return `${Math.max(0, Math.floor(age / 1000))}s`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h`;
  if (age < 365 * DAY) return `${Math.floor(age / DAY)}d`;
  return `${Math.floor(age / (365 * DAY))}y`;
}

/** The known word that is closest to a mistyped one; null if none is close. */
export function findNearest(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  // A third of the letters may be wrong, one in a short word.
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const steps = stepsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (steps >= least) continue;
    least = steps;
    best = candidate;
  }
  return best;
}

/** A "did you mean" hint for an error. */
export function didYouMean(word: string, known: readonly string[], otherwise: string): string {
  const near = findNearest(word.slice(0, LONGEST_WORD), known);
  return near === null ? otherwise : `did you mean "${near}"?`;
}

/** Describes a key that is none of the known ones: `unknown key "patches": did you mean "patch"?`. */
export function describeUnknownKey(key: string, known: readonly string[]): string {
  return `unknown key ${JSON.stringify(truncate(key, LONGEST_WORD))}: ${didYouMean(key, known, `use ${known.join(', ')}`)}`;
}

const LONGEST_WORD = 60;

/** The edit distance of two words, where two letters that have changed places count as one edit. */
function stepsBetween(from: string, to: string): number {
  const steps = leven(from, to);
  return steps === 2 && lettersOf(from) === lettersOf(to) ? 1 : steps;
}

function lettersOf(word: string): string {
  return word.split('').toSorted().join('');
}
