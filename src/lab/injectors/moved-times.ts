import { findVolatileMatches, type VolatileMatch } from '#context/request/volatile.js';

/** A date or time that was taken out of cached content, and the name that replaces it. */
export interface MovedValue {
  readonly name: string;
  readonly value: string;
}

/**
 * Replaces times in texts by names, so that the texts are equal from one request to the next: clock times, timestamps,
 * and dates on lines about the present. Dates in sentences about the past are kept, and so are those of a text full of
 * dates, such as a log.
 */
export function moveTimes(texts: readonly string[]): {
  readonly texts: readonly string[];
  readonly moved: readonly MovedValue[];
} {
  const moved: MovedValue[] = [];
  const names = new Map<string, string>();
  const nameFor = (value: string, kind: string): string => {
    const earlier = names.get(value);
    if (earlier !== undefined) return earlier;
    const name = `${kind} ${names.size + 1}`;
    names.set(value, name);
    moved.push({ name, value });
    return name;
  };
  const stay = texts.map((text) => {
    let replaced = '';
    let from = 0;
    const times = findVolatileMatches(text).filter((found) => isAboutNow(text, found));
    if (times.length > MAX_TIMES) return text;
    for (const found of times) {
      const kind = found.kind === 'date' ? 'date' : 'time';
      replaced += `${text.slice(from, found.start)}[${nameFor(text.slice(found.start, found.end), kind)}, at the end]`;
      from = found.end;
    }
    return replaced + text.slice(from);
  });
  return { texts: stay, moved };
}

/** The most times that one text lists. */
const MAX_TIMES = 10;

function isAboutNow(text: string, { kind, start }: VolatileMatch): boolean {
  if (kind === 'time' || kind === 'timestamp') return true;
  if (kind !== 'date') return false;
  const line = text.slice(text.lastIndexOf('\n', start) + 1, start);
  return NOW.test(line.slice(-LONGEST_LINE));
}

const LONGEST_LINE = 200;

const NOW = /\b(?:today|current|currently|now|date|day|as of|updated|generated|started|time)\b/i;
