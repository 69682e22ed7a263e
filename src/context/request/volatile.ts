/** The kinds of text that differ between requests, sessions or machines. */
export type VolatileKind = 'date' | 'time' | 'timestamp' | 'uuid' | 'random-id' | 'process-id' | 'temporary-path';

export interface VolatileMatch {
  readonly kind: VolatileKind;
  /** Its position in the text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/** The maximum number of results for one text. */
const MOST = 100;
/** Prompts are never longer; the rest is not searched. */
const LONGEST = 4_000_000;

/**
 * The dates, clock times, UUIDs, random ids, process ids and temporary files in a text, in order and without
 * overlaps, at most the first hundred. They make equal prompts differ, so that a provider
 * cannot use its cache. Runs in linear time.
 */
export function findVolatileMatches(text: string): readonly VolatileMatch[] {
  const found: VolatileMatch[] = [];
  const searched = text.slice(0, LONGEST);
  // The pattern is slow, and few lines of a prompt have a sign.
  for (let line = findLineWithSign(searched, 0); line; line = findLineWithSign(searched, line.end)) {
    for (const match of searched.slice(line.start, line.end).matchAll(PATTERN)) {
      const kind = findKind(match);
      const [whole] = match;
      const value = match.groups?.clock ?? match.groups?.pid ?? whole;
      const end = line.start + match.index + whole.length;
      if (kind === null) continue;
      found.push({ kind, start: end - value.length, end });
      if (found.length === MOST) return found;
    }
  }
  return found;
}

/** A part of every match: a digit, the middle of a UUID, or the separator after a folder of temporary files. */
const SIGN = /\d|-[a-f]{4}-|(?<=tmp|temp|folders)[/\\]/gi;

/** The next line with a sign, from a position on; null if there is none. */
function findLineWithSign(text: string, from: number): { readonly start: number; readonly end: number } | null {
  SIGN.lastIndex = from;
  const sign = SIGN.exec(text);
  if (!sign) return null;
  const end = text.indexOf('\n', sign.index);
  return { start: text.lastIndexOf('\n', sign.index) + 1, end: end === -1 ? text.length : end };
}

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const YEAR = '(?:19|20)\\d\\d';
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const ISO_DATE = `${YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])`;
const DATE = [
  ISO_DATE,
  `${YEAR}/(?:0?[1-9]|1[0-2])/${DAY}`,
  `${DAY}[/.](?:${DAY})[/.]${YEAR}`,
  `${MONTH}\\.? ${DAY}(?:st|nd|rd|th)?,? ${YEAR}`,
  `${DAY}(?:st|nd|rd|th|\\.)? ${MONTH}\\.?,? ${YEAR}`,
].join('|');
const HOURS = '(?:[01]?\\d|2[0-3]):[0-5]\\d';
const ZONE = '(?:Z|[+-]\\d\\d:?\\d\\d)?';
const HALF = '(?: ?[ap]\\.?m\\b)';

/** Excludes matches inside a longer number, name or path. */
const BEFORE = '(?<![\\w./:-])';
const BEHIND = '(?![\\w/:-]|\\.\\d)';

/**
 * Longer alternatives come first. Every part is of limited length, which bounds the time, and none matches a newline. A
 * clock time of hours and minutes is ambiguous (`16:20` is a verse, or a ratio), and counts only after a word that
 * identifies it.
 */
const OF_WORDS = [
  `(?<uuid>\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b)`,
  `(?<time>${BEFORE}(?:${ISO_DATE}[T ]${HOURS}(?::[0-5]\\d(?:\\.\\d{1,9})?)?${ZONE}|${HOURS}:[0-5]\\d(?:\\.\\d{1,9})?${ZONE}${HALF}?|${HOURS}${HALF})${BEHIND})`,
  `\\b(?:time|now|clock)\\b[^\\n\\d]{0,30}?(?<clock>${BEFORE}${HOURS}${BEHIND})`,
  `(?<date>${BEFORE}(?:${DATE})${BEHIND})`,
  `\\b(?:pid|process id)\\b[ :=#]{1,3}(?<pid>\\d{2,7}\\b)`,
  `(?<timestamp>${BEFORE}1[5-9]\\d{8}(?:\\d{3})?${BEHIND})`,
  `(?<id>(?<![\\w-])(?=[0-9]{0,40}[a-f])(?=[a-f]{0,40}[0-9])[0-9a-f]{16,64}(?![\\w-]))`,
].join('|');
const PATH = `(?<path>(?:/private)?(?:/var)?/tmp/[\\w.@+-]{1,120}(?:/[\\w.@+-]{1,120}){0,8}|/var/folders/[\\w+-]{1,20}/[\\w+-]{1,60}(?:/[\\w.@+-]{1,120}){0,8}|[a-z]:\\\\[\\w .\\\\~-]{1,160}\\\\temp\\\\[\\w.@+-]{1,120})`;

/** All but a path begin at the beginning of a word, which few positions of a text are. */
const PATTERN = new RegExp(`(?<!\\w)(?:${OF_WORDS})|${PATH}`, 'gi');

function findKind({ groups = {}, 0: whole }: RegExpMatchArray): VolatileKind | null {
  if (groups.uuid) return 'uuid';
  if (groups.time ?? groups.clock) return 'time';
  if (groups.date) return 'date';
  if (groups.pid) return 'process-id';
  if (groups.path) return isMadeUp(whole) ? 'temporary-path' : null;
  if (groups.timestamp) return 'timestamp';
  return groups.id ? 'random-id' : null;
}

/** Generated names of temporary files: letters and digits, or both cases of letters, in one piece. */
function isMadeUp(path: string): boolean {
  if (path.includes('/var/folders/')) return true;
  return path
    .split(/[/\\.@+_-]/)
    .some((word) => word.length >= 6 && (/\d[a-z]|[a-z]\d/i.test(word) || /[a-z][A-Z]/.test(word)));
}
