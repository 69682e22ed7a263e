import { limited, patternOf } from '#analysis/search/list-search.js';
import { onceOf } from '#base/once.js';
import { visible } from '#base/visible.js';
import { startOf } from '#base/words.js';
import { type Doc, type Span, span, type Tone, TONES } from '../doc/doc.js';
import { richLines } from '../doc/rich-text.js';
import type { Ruler } from '../doc/ruler.js';
import type { Style } from '../doc/style.js';
import { joined, sliced } from '../doc/text-line.js';
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

/** The colours of the screen, and the widths of its characters. */
export interface Look {
  readonly style: Style;
  readonly ruler: Ruler;
}

interface Screen {
  readonly columns: number;
  readonly look: Look;
  /** Whether Markdown, code and diffs are drawn; otherwise, texts are shown as they are stored. */
  readonly isRich: boolean;
}

/** Renders a document as lines for a screen. `wrapSpans` wraps them later. */
export function linesOfDoc(doc: Doc, { columns, look, isRich }: Screen): readonly Line[] {
  const shortened = doc.map((block) => (block.kind === 'verbatim' ? { ...block, text: cut(block.text) } : block));
  const drawn = isRich ? { richLines } : {};
  return textLines(shortened, { columns, ...look, ...drawn }).map((line) => spansOf(line, look.style));
}

function cut(whole: string): string {
  if (whole.length <= MOST_CHARACTERS) return whole;
  const start = startOf(whole, MOST_CHARACTERS);
  return `${start}\n… ${whole.length - start.length} more characters: press o to open all of it in a pager`;
}

/** Parses the output of a command, which was printed in a style. */
export function linesOfText(printed: string, style: Style): readonly Line[] {
  return printed
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => spansOf(line, style));
}

function spansOf(line: string, style: Style): Line {
  if (!line.includes(ESCAPE)) return [span(shown(line))];
  const tones = tonesOf(style);
  const spans: Span[] = [];
  let tone: Tone = 'plain';
  for (const [at, part] of line.split(CODE).entries()) {
    // Every second part is the code of a tone, or of its end.
    if (at % 2 === 1) tone = tones.get(part) ?? 'plain';
    else if (part !== '') spans.push(span(shown(part), tone));
  }
  return spans;
}

/** Makes text from another process safe again, and expands tabs, which would shift the text after them. */
function shown(part: string): string {
  return visible(part.replaceAll('\t', '    '));
}

/** The tones by the codes that a style writes; one of those that it writes in the same way. */
const tonesOf = onceOf((style: Style): ReadonlyMap<string | undefined, Tone> => {
  return new Map(TONES.map((tone) => [CODE.exec(style(tone, 'x'))?.[1], tone]));
});

const ESCAPE = '\u001b';
// oxlint-disable-next-line no-control-regex -- what colours are made of
const CODE = /\u001b\[(\d+)m/;

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

/** The indices of the lines that match. Every key needs them again. */
export const matchingLines = onceOf((lines: readonly Line[], typed: string): readonly number[] => {
  const pattern = patternOf(typed);
  return limited(pattern, () => lines.flatMap((line, at) => (pattern.test(joined(line)) ? [at] : [])));
});

/** Marks the matches of a pattern in lines. */
export function highlighted(lines: readonly Line[], typed: string | null): readonly Line[] {
  if (typed === null || typed === '') return lines;
  const pattern = patternOf(typed);
  const all = new RegExp(pattern.source, `${pattern.flags}g`);
  return limited(pattern, () => lines.map((line) => markedIn(line, all)));
}

function markedIn(line: Line, pattern: RegExp): Line {
  const text = joined(line);
  let end = 0;
  const before = [...text.matchAll(pattern)].flatMap(({ 0: match, index }) => {
    const pieces = sliced(line, end, index);
    end = index + match.length;
    return [...pieces, ...sliced(line, index, end).map((piece) => ({ ...piece, isInverse: true }))];
  });
  return [...before, ...sliced(line, end, text.length)];
}
