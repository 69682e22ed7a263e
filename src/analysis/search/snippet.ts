/** A piece of a text around what was found. */
export interface Snippet {
  /** One line; it begins and ends with an ellipsis where the text goes on. */
  readonly text: string;
  /** The places of what was found, in UTF-16 code units. */
  readonly matches: readonly { readonly start: number; readonly end: number }[];
  /** The number of patterns that match in it. */
  readonly patterns: number;
}

/** The characters of a snippet, about two lines of a terminal. */
const LONGEST = 160;
/** The characters before the first match. */
const BEFORE = 40;
/** The matches that are looked at: a text may have very many. */
const MOST_MATCHES = 500;

interface Match {
  readonly start: number;
  readonly end: number;
  /** The place of its pattern in the list. */
  readonly pattern: number;
}

/** The piece of a text that matches most of the patterns; null if none matches. */
export function buildSnippet(text: string, patterns: readonly RegExp[]): Snippet | null {
  const whole = text.normalize('NFD').replaceAll(/\s+/gu, ' ');
  const matches = findMatches(whole, patterns);
  const first = chooseFirst(matches);
  if (first === null) return null;
  const start = moveToWord(whole, Math.max(0, first.start - BEFORE));
  const end = Math.min(whole.length, Math.max(first.end, start + LONGEST));
  const inside = matches.filter((match) => match.start >= start && match.end <= end);
  return composeSnippet(whole, { start, end }, inside);
}

function findMatches(text: string, patterns: readonly RegExp[]): readonly Match[] {
  const found = patterns.flatMap((pattern, at) => {
    const matches: Match[] = [];
    for (const { index, 0: matched } of text.matchAll(pattern)) {
      if (matches.push({ start: index, end: index + matched.length, pattern: at }) === MOST_MATCHES) break;
    }
    return matches;
  });
  return found.toSorted((a, b) => a.start - b.start);
}

/** The match after which most patterns match within the length of a snippet. */
function chooseFirst(matches: readonly Match[]): Match | null {
  let best: Match | null = null;
  let most = 0;
  for (const [at, match] of matches.entries()) {
    const near = new Set<number>();
    for (let next = at; next < matches.length; next += 1) {
      const other = matches[next];
      if (!other || other.end > match.start + LONGEST - BEFORE) break;
      near.add(other.pattern);
    }
    if (near.size > most || best === null) {
      best = match;
      most = near.size;
    }
  }
  return best;
}

/** A place behind a space, if one is near. */
function moveToWord(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.indexOf(' ', at);
  return space >= 0 && space < at + BEFORE / 2 ? space + 1 : at;
}

/** Composed characters (NFC) are what people and terminals expect, so that the places are counted again. */
function composeSnippet(text: string, { start, end }: Omit<Match, 'pattern'>, matches: readonly Match[]): Snippet {
  let composed = start > 0 ? '…' : '';
  let at = start;
  const places = matches.flatMap((match) => {
    if (match.start < at) return [];
    composed += text.slice(at, match.start).normalize('NFC');
    const from = composed.length;
    composed += text.slice(match.start, match.end).normalize('NFC');
    at = match.end;
    return [{ start: from, end: composed.length }];
  });
  composed += text.slice(at, end).normalize('NFC');
  const patterns = new Set(matches.map(({ pattern }) => pattern)).size;
  return { text: end < text.length ? `${composed}…` : composed, matches: places, patterns };
}
