const STEPS = '▁▂▃▄▅▆▇█';
const EIGHTHS = ' ▏▎▍▌▋▊▉█';

/** The scale that several lines share: the value of a full block, and the number of values per block. */
export interface SparklineScale {
  readonly top: number;
  readonly size: number;
}

/**
 * Values as a line of blocks, the highest as tall as a line unless a scale is given; where they are too many, the mean of
 * each group.
 */
export function renderSparkline(values: readonly number[], cells: number, scale?: SparklineScale): string {
  const size = scale?.size ?? Math.max(1, Math.ceil(values.length / Math.max(1, cells)));
  const means: number[] = [];
  for (let start = 0; start < values.length; start += size) {
    const group = values.slice(start, start + size);
    means.push(group.reduce((sum, value) => sum + value, 0) / group.length);
  }
  const top = scale?.top ?? means.reduce((most, value) => Math.max(most, value), 0);
  const stepOf = (value: number): number => Math.min(STEPS.length - 1, Math.floor((value / top) * STEPS.length));
  return means.map((value) => STEPS[stepOf(value)] ?? '▁').join('');
}

/** A bar as long as its share of the longest one, to an eighth of a cell. */
export function renderBar(value: number, longest: number, cells: number): string {
  if (value <= 0 || longest <= 0) return '';
  const eighths = Math.max(1, Math.round((value / longest) * cells * 8));
  const rest = EIGHTHS[eighths % 8] ?? '';
  return '█'.repeat(Math.floor(eighths / 8)) + rest.trim();
}
