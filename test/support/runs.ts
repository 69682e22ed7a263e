/** The share of its cases that each law tries: a tenth without `CTX_RUNS`. */
const SHARE = process.env['UPDATE'] === '1' ? 1 : Number(process.env['CTX_RUNS'] ?? 0.1);

/** Whether lists of cases are tried whole. */
export const isWhole = SHARE >= 0.4;

/** How many of `count` cases are tried: at most `most` where not all are, since each takes long. */
export function runs(count: number, most = Infinity): number {
  return Math.ceil(isWhole ? count * SHARE : Math.min(count * SHARE, most));
}

/** The cases of a list that are tried where not all are: the first one and each `step`th behind it. */
export function tried<Value>(all: readonly Value[], step: number): readonly Value[] {
  return isWhole ? all : all.filter((_, at) => at % step === 0);
}
