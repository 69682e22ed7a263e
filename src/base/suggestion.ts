import leven from 'leven';
import { truncate } from './text.js';

/** The known word that is closest to a mistyped one; null if none is close. */
export function findNearest(word: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  // A third of the letters may be wrong, one in a short word.
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const steps = measureEdits(word.toLowerCase(), candidate.toLowerCase());
    if (steps >= least) continue;
    least = steps;
    best = candidate;
  }
  return best;
}

/** A "did you mean" hint for an error. */
export function didYouMean(word: string, candidates: readonly string[], otherwise: string): string {
  const near = findNearest(word.slice(0, LONGEST_WORD), candidates);
  return near === null ? otherwise : `did you mean "${near}"?`;
}

/** Describes a key that is none of the known ones: `unknown key "patches": did you mean "patch"?`. */
export function describeUnknownKey(key: string, keys: readonly string[]): string {
  return `unknown key ${JSON.stringify(truncate(key, LONGEST_WORD))}: ${didYouMean(key, keys, `use ${keys.join(', ')}`)}`;
}

const LONGEST_WORD = 60;

/** The edit distance of two words, where two letters that have changed places count as one edit. */
function measureEdits(from: string, to: string): number {
  const steps = leven(from, to);
  return steps === 2 && sortLetters(from) === sortLetters(to) ? 1 : steps;
}

function sortLetters(word: string): string {
  return word.split('').toSorted().join('');
}
