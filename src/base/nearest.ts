/** The known word that is closest to a mistyped one; null if none is close. */
export function nearest(word: string, known: readonly string[]): string | null {
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
  const near = nearest(word.slice(0, LONGEST_WORD), known);
  return near === null ? otherwise : `did you mean "${near}"?`;
}

const LONGEST_WORD = 60;

/** The edit distance of two words, where swapping two neighbours counts as one edit. */
function stepsBetween(from: string, to: string): number {
  let twoAbove: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const steps = [row];
    for (let at = 1; at <= to.length; at += 1) {
      const isSame = from[row - 1] === to[at - 1];
      const isSwapped = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      steps.push(
        Math.min(
          (above[at] ?? 0) + 1,
          (steps[at - 1] ?? 0) + 1,
          (above[at - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (twoAbove[at - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    twoAbove = above;
    above = steps;
  }
  return above[to.length] ?? 0;
}
