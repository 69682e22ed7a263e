import type { RecordedLines } from './records.js';

/** The larger of the two context windows that models of Claude have, in tokens. */
const LARGE_WINDOW = 1_000_000;
const SMALL_WINDOW = 200_000;

/** The context window, if a file tells it: by the name of a model, or by a context that is larger than the small one. */
export function windowIn({ chain }: Pick<RecordedLines, 'chain'>): number | null {
  const isLarge = [...chain.values()].some(
    ({ model, boundary }) => model?.endsWith('[1m]') || (boundary?.tokensBefore ?? 0) > SMALL_WINDOW,
  );
  return isLarge ? LARGE_WINDOW : null;
}
