import { visible } from '#base/visible.js';
import { startOf } from '#base/words.js';
import { type Doc, type Span, span, type Tone } from '../doc/doc.js';
import { richLines } from '../doc/rich-text.js';
import type { Ruler } from '../doc/ruler.js';
import type { Style } from '../doc/style.js';
import { textLines } from '../doc/text.js';

interface Piece extends Span {
  /** Swaps foreground and background, for a match, the open tab or the cursor of the prompt. */
  readonly isInverse?: boolean;
}

/** A line of the screen: texts that are safe to print, in tones. */
export type Line = readonly Piece[];

/** A document, laid out for the screen, whose texts may be shown as they are stored; or the lines of a command. */
export type PageContent =
  | { readonly doc: Doc; readonly isRaw: boolean }
  | { readonly lines: readonly Line[]; readonly isRaw?: never };

/** The length at which texts are truncated: longer ones need a pager. */
const MOST_CHARACTERS = 400_000;

interface Screen {
  readonly columns: number;
  readonly ruler: Ruler;
  /** Whether Markdown, code and diffs are drawn; otherwise, texts are shown as they are stored. */
  readonly isRich: boolean;
}

/** Renders a document as lines for a screen. `wrapSpans` wraps them later. */
export function linesOfDoc(doc: Doc, { columns, ruler, isRich }: Screen): readonly Line[] {
  const shortened = doc.map((block) => (block.kind === 'verbatim' ? { ...block, text: cut(block.text) } : block));
  const drawn = isRich ? { richLines } : {};
  return textLines(shortened, { columns, style: MARKED, ruler, ...drawn }).map(spansOf);
}

function cut(whole: string): string {
  if (whole.length <= MOST_CHARACTERS) return whole;
  const start = startOf(whole, MOST_CHARACTERS);
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
  'emphasis',
  'faint',
  'code',
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

/** Cuts a line to a number of cells. */
export function fitted(line: Line, cells: number, ruler: Ruler): Line {
  const spans: Piece[] = [];
  let left = cells;
  for (const piece of line) {
    if (left <= 0) break;
    const text = ruler.cutTo(piece.text, left);
    if (text === '') continue;
    spans.push({ ...piece, text });
    left -= ruler.widthOf(text);
  }
  return spans;
}

export function widthOf(line: Line, ruler: Ruler): number {
  return line.reduce((sum, { text: part }) => sum + ruler.widthOf(part), 0);
}

export function plainText(line: Line): string {
  return line.map(({ text: part }) => part).join('');
}
