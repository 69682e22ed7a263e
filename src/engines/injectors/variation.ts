/** The style of lists, sections and progress. */
export interface ListStyle {
  readonly progress: 'fraction' | 'percentage' | 'bar' | 'count';
  readonly separator: '' | '---' | '===' | '***';
  readonly list: 'bulleted' | 'numbered' | 'indented';
  readonly label: 'Progress:' | 'Status:' | 'Current state:';
}

/** The style without variation. */
export const PLAIN_STYLE: ListStyle = { progress: 'fraction', separator: '', list: 'bulleted', label: 'Progress:' };

const PROGRESS = ['fraction', 'percentage', 'bar', 'count'] as const;
const SEPARATORS = ['', '---', '===', '***'] as const;
const LISTS = ['bulleted', 'numbered', 'indented'] as const;
const LABELS = ['Progress:', 'Status:', 'Current state:'] as const;

/**
 * The style of a request: fixed for one seed and number, and different for most others, so that a model does not fall
 * into answering a pattern. null: nothing varies.
 */
export function styleFor(seed: number | null, request: number): ListStyle {
  if (seed === null) return PLAIN_STYLE;
  const draw = numbersFrom(seed, request);
  return {
    progress: pick(PROGRESS, draw()),
    separator: pick(SEPARATORS, draw()),
    list: pick(LISTS, draw()),
    label: pick(LABELS, draw()),
  };
}

function pick<const Value>(values: readonly [Value, ...Value[]], at: number): Value {
  return values[at % values.length] ?? values[0];
}

/** Whole numbers that look random: Mulberry32. */
function numbersFrom(seed: number, request: number): () => number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(request + 1, 0xc2b2ae35);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Lines of a list. */
export function listed(lines: readonly string[], { list }: Pick<ListStyle, 'list'>): string {
  return lines
    .map((line, at) => `${list === 'numbered' ? `${at + 1}. ` : list === 'bulleted' ? '- ' : '  '}${line}`)
    .join('\n');
}

/** Progress, in words or as a bar. */
export function progressText(done: number, all: number, { progress }: Pick<ListStyle, 'progress'>): string {
  switch (progress) {
    case 'fraction':
      return `${done}/${all} steps completed`;
    case 'percentage':
      return `${all === 0 ? 0 : Math.floor((done / all) * 100)}% of ${all} steps completed`;
    case 'bar': {
      const filled = all === 0 ? 0 : Math.floor((done / all) * BAR);
      return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${done} of ${all}`;
    }
    case 'count':
      return `${done} of ${all} steps completed, ${all - done} to go`;
  }
}

const BAR = 10;
