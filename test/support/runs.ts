/** The share of its cases that each law tries: a tenth without `CTX_RUNS`. */
const SHARE = process.env['UPDATE'] === '1' ? 1 : Number(process.env['CTX_RUNS'] ?? 0.1);

/** Whether lists of cases are tried whole. */
export const isWhole = SHARE >= 0.4;

/** How many of `count` cases are tried: at most `most` where not all are, since each takes long. */
export function runs(count: number, most = Infinity): number {
  return Math.ceil(isWhole ? count * SHARE : Math.min(count * SHARE, most));
}

/** Whether the case at a place of a list is tried: where not all are, the `first` and every `step`th before and after it. */
export function isTried(at: number, step: number, first = 0): boolean {
  return isWhole || at % step === first % step;
}

/** The cases of a list that are tried. With another `first`, another list tries other cases. */
export function tried<Value>(all: readonly Value[], step: number, first = 0): readonly Value[] {
  return all.filter((_, at) => isTried(at, step, first));
}
