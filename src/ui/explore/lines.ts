import { visible } from '#base/visible.js';
import { type Doc, type Span, span, type Tone } from '../doc/doc.js';
import type { Ruler } from '../doc/ruler.js';
import type { Style } from '../doc/style.js';
import { textLines } from '../doc/text.js';
import type { ExplorerState } from './state.js';

/** Text that is safe to print, in a tone. */
interface Piece extends Span {
  /** Swaps foreground and background. */
  readonly isInverse?: true;
}

/** A line of the screen. */
export type Line = readonly Piece[];

/** The length at which texts are truncated: longer ones need a pager. */
const MOST_CHARACTERS = 400_000;

/** Renders a document as lines for a screen of `columns` cells. `wrapSpans` wraps them later. */
export function linesOfDoc(doc: Doc, columns: number, ruler: Ruler): readonly Line[] {
  const shortened = doc.map((block) => (block.kind === 'verbatim' ? { ...block, text: cut(block.text) } : block));
  return textLines(shortened, { columns, style: MARKED, ruler }).map(spansOf);
}

function cut(whole: string): string {
  if (whole.length <= MOST_CHARACTERS) return whole;
  const start = whole.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  return `${start}\n… ${whole.length - start.length} more characters: press o to open all of it in a pager`;
}

/** Parses the output of a command, with the colours of our own renderer. */
export function linesOfText(printed: string): readonly Line[] {
  return printed
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => spansOf(line));
}

/** The tones of the ANSI styles that our renderers use. */
const TONES: Readonly<Record<string, Tone>> = {
  1: 'strong',
  2: 'faint',
  31: 'error',
  32: 'good',
  33: 'warning',
  34: 'system',
};

/** Marks that distinguish tones of the same colour. Text that is safe to print contains none. */
const MARKED: Style = (tone, text) =>
  text === '' ? '' : `\u001b[${FIRST_MARK + MARKS.indexOf(tone)}m${text}\u001b[0m`;

const FIRST_MARK = 200;
const MARKS: readonly Tone[] = [
  'plain',
  'strong',
  'faint',
  'id',
  'system',
  'tools',
  'messages',
  'good',
  'warning',
  'error',
];

function spansOf(line: string): Line {
  if (!line.includes(ESCAPE)) return [span(shown(line))];
  const spans: Span[] = [];
  let tone: Tone = 'plain';
  for (const [at, part] of line.split(STYLE).entries()) {
    // Every second part is the code of a style.
    if (at % 2 === 1) tone = toneOf(part);
    else if (part !== '') spans.push(span(shown(part), tone));
  }
  return spans;
}

/** Makes text from another process safe again, and expands tabs, which would shift the text after them. */
function shown(part: string): string {
  return visible(part.replaceAll('\t', '    '));
}

function toneOf(mark: string): Tone {
  return TONES[mark] ?? MARKS[Number(mark) - FIRST_MARK] ?? 'plain';
}

const ESCAPE = '\u001b';
// oxlint-disable-next-line no-control-regex -- what colours are made of
const STYLE = /\u001b\[(\d+)m/;

/** Truncates or pads a line to a number of cells. */
export function fitted(line: Line, cells: number, ruler: Ruler): Line {
  const spans: Piece[] = [];
  let left = cells;
  for (const piece of line) {
    if (left <= 0) break;
    const part = ruler.cutTo(piece.text, left);
    if (part === '') continue;
    spans.push({ ...piece, text: part });
    left -= ruler.widthOf(part);
  }
  if (left > 0) spans.push(span(' '.repeat(left)));
  return spans;
}

export function inverse(line: Line): Line {
  return line.map((piece) => ({ ...piece, isInverse: true }));
}

/** Aligns one text left and one right. The right one is omitted if there is no room. */
export function apart(left: Line, right: Line, cells: number, ruler: Ruler): Line {
  const taken = widthOf(left, ruler);
  const room = cells - taken - GAP;
  const width = widthOf(right, ruler);
  if (width > room) return fitted(left, cells, ruler);
  return [...left, span(' '.repeat(cells - taken - width)), ...right];
}

const GAP = 2;

export function widthOf(line: Line, ruler: Ruler): number {
  return line.reduce((sum, { text: part }) => sum + ruler.widthOf(part), 0);
}

export function plainText(line: Line): string {
  return line.map(({ text: part }) => part).join('');
}

/** A title within a horizontal rule across a pane. */
export function rule(title: Line, cells: number, { ruler }: Pick<ExplorerState, 'ruler'>): Line {
  const line = [span('─ ', 'faint'), ...title, span(' ')];
  const rest = cells - widthOf(line, ruler);
  return rest > 0 ? [...line, span('─'.repeat(rest), 'faint')] : fitted(line, cells, ruler);
}
