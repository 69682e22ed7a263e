import { normalizeText } from '#analysis/facts/text.js';

/** The ranks of lines, in the order in which they are kept; of one rank the newest line is kept longest. */
export const RANKS = {
  goal: 0,
  rule: 1,
  open: 2,
  failure: 3,
  request: 4,
  decision: 5,
  resolved: 6,
  report: 7,
  detail: 8,
} as const;

/** A line of a summary: text of one line, without its bullet. */
export interface ExtractedLine<Section extends string = string> {
  readonly section: Section;
  readonly text: string;
  readonly rank: number;
}

/** Lines that say the same as one before are left out, whatever their section. */
export function dropRepeats<Any extends ExtractedLine>(lines: readonly Any[]): readonly Any[] {
  const seen = new Set<string>();
  return lines.filter(({ text }) => {
    const key = normalizeText(text.replace(/^(?:\[[ x]\]|Asked:) /, ''));
    if (key === '' || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The lines that fit into `room` UTF-16 code units, in their order. Better ranks win, then newer lines. */
export function fitLines<Any extends ExtractedLine>(lines: readonly Any[], room: number): readonly Any[] {
  const byWorth = lines.map((line, at) => ({ line, at })).toSorted((a, b) => a.line.rank - b.line.rank || b.at - a.at);
  const kept = new Set<number>();
  let left = room;
  for (const { line, at } of byWorth) {
    const cost = line.text.length + BULLET_LENGTH;
    if (cost > left) continue;
    left -= cost;
    kept.add(at);
  }
  return lines.filter((_, at) => kept.has(at));
}

/** The characters of `- ` or `12. ` and the newline. */
const BULLET_LENGTH = 6;

export interface Heading<Section extends string> {
  readonly section: Section;
  readonly title: string;
  /** The text before each line. */
  readonly bullet: '- ' | '1. ' | '';
}

/** Sections in their order, each with its lines; `(none)` in one that has none, unless room is scarce. */
export function formatSections<Section extends string>(
  headings: readonly Heading<Section>[],
  lines: readonly ExtractedLine<Section>[],
  isScarce = false,
): string {
  const blocks = headings.flatMap(({ section, title, bullet }) => {
    const own = lines.filter((line) => line.section === section);
    if (own.length === 0 && isScarce) return [];
    // A heading above others has no lines of its own.
    if (own.length === 0 && title === PROGRESS) return [title];
    const bulleted = own.map(({ text }, at) => `${bullet === '1. ' ? `${at + 1}. ` : bullet}${text}`);
    return [[title, ...(own.length === 0 ? ['- (none)'] : bulleted)].join('\n')];
  });
  // Pi's own format has no blank line below the heading of all progress.
  return blocks.join('\n\n').replace(`${PROGRESS}\n\n###`, `${PROGRESS}\n###`);
}

const PROGRESS = '## Progress';
