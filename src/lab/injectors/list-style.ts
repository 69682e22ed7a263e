const STYLES = {
  progress: ['fraction', 'percentage', 'bar', 'count'],
  separator: ['', '---', '===', '***'],
  list: ['bulleted', 'numbered', 'indented'],
  label: ['Progress:', 'Status:', 'Current state:'],
} as const;

/** The style of lists, sections and progress. */
export type ListStyle = { readonly [Part in keyof typeof STYLES]: (typeof STYLES)[Part][number] };

/** The style without variation. */
export const PLAIN_STYLE: ListStyle = { progress: 'fraction', separator: '', list: 'bulleted', label: 'Progress:' };

/**
 * The style of a request: fixed for one seed and number, and different for most others, so that a model does not fall
 * into answering a pattern. null: nothing varies.
 */
export function pickListStyle(seed: number | null, request: number): ListStyle {
  if (seed === null) return PLAIN_STYLE;
  const draw = startNumbers(seed, request);
  return {
    progress: pick(STYLES.progress, draw()),
    separator: pick(STYLES.separator, draw()),
    list: pick(STYLES.list, draw()),
    label: pick(STYLES.label, draw()),
  };
}

function pick<const Value>(values: readonly [Value, ...Value[]], at: number): Value {
  return values[at % values.length] ?? values[0];
}

/** Whole numbers that look random: Mulberry32. */
function startNumbers(seed: number, request: number): () => number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(request + 1, 0xc2b2ae35);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

export function formatList(lines: readonly string[], { list }: Pick<ListStyle, 'list'>): string {
  return lines.map((line, at) => `${formatMark(list, at)}${line}`).join('\n');
}

function formatMark(list: ListStyle['list'], at: number): string {
  switch (list) {
    case 'numbered':
      return `${at + 1}. `;
    case 'bulleted':
      return '- ';
    default:
      return '  ';
  }
}

/** Progress, in words or as a bar. */
export function formatProgress(done: number, all: number, { progress }: Pick<ListStyle, 'progress'>): string {
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
