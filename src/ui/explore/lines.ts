import { memoizeByObject } from '#base/memoize.js';
import { sliceStart } from '#base/text.js';
import { toVisible } from '#base/visible.js';
import { type Doc, type Span, span } from '../doc/doc.js';
import { renderRichText } from '../doc/rich-text.js';
import type { Ruler } from '../doc/ruler.js';
import type { Style } from '../doc/style.js';
import { renderLines } from '../doc/text.js';
import { type Tone, TONES } from '../doc/tone.js';

interface Piece extends Span {
  /** Swaps foreground and background, for a match, the open tab or the cursor of the prompt. */
  readonly isInverse?: boolean;
}

/** A line of the screen: texts that are safe to print, in tones. */
export type ScreenLine = readonly Piece[];

/** A document, laid out for the screen, whose texts may be shown as they are stored; or the lines of a command. */
export type PageContent =
  | { readonly doc: Doc; readonly isRaw: boolean }
  | { readonly lines: readonly ScreenLine[]; readonly isRaw?: never };

/** The length at which texts are truncated: longer ones need a pager. */
const MOST_CHARACTERS = 400_000;

/** The colours of the screen, and the widths of its characters. */
export interface ScreenLook {
  readonly style: Style;
  readonly ruler: Ruler;
  readonly names?: FileNames | undefined;
}

/** The short names of session files on the screen. */
export interface FileNames {
  /** A path with `~` for the home folder. */
  shortenPath(file: string): string;
  /** The name of a session for other commands, quoted for a shell: an id where it has one. */
  findHandle(file: string): string;
}

interface Screen {
  readonly columns: number;
  readonly look: ScreenLook;
  /** Whether Markdown, code and diffs are drawn; otherwise, texts are shown as they are stored. */
  readonly isRich: boolean;
}

/** Renders a document as lines for a screen. `wrapSpans` wraps them later. */
export function layOutDoc(doc: Doc, { columns, look, isRich }: Screen): readonly ScreenLine[] {
  const shortened = doc.map((block) =>
    block.kind === 'verbatim' ? { ...block, text: shortenText(block.text) } : block,
  );
  const drawn = isRich ? { richLines: renderRichText } : {};
  return renderLines(shortened, { columns, ...look, ...drawn }).map((line) => readSpans(line, look.style));
}

function shortenText(whole: string): string {
  if (whole.length <= MOST_CHARACTERS) return whole;
  const start = sliceStart(whole, MOST_CHARACTERS);
  return `${start}\n… ${whole.length - start.length} more characters: press o to open all of it in a pager`;
}

/** Parses the output of a command, which was printed in a style. */
export function readStyledLines(printed: string, style: Style): readonly ScreenLine[] {
  return printed
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => readSpans(line, style));
}

function readSpans(line: string, style: Style): ScreenLine {
  if (!line.includes(ESCAPE)) return [span(toShownText(line))];
  const tones = findTones(style);
  const spans: Span[] = [];
  let tone: Tone = 'plain';
  for (const [at, part] of line.split(CODE).entries()) {
    // Every second part is the code of a tone, or of its end.
    if (at % 2 === 1) tone = tones.get(part) ?? 'plain';
    else if (part !== '') spans.push(span(toShownText(part), tone));
  }
  return spans;
}

/** Makes text from another process safe again, and expands tabs, which would shift the text after them. */
function toShownText(part: string): string {
  return toVisible(part.replaceAll('\t', '    '));
}

/** The tones by the codes that a style writes; one of those that it writes in the same way. */
const findTones = memoizeByObject((style: Style): ReadonlyMap<string | undefined, Tone> => {
  return new Map(TONES.map((tone) => [CODE.exec(style(tone, 'x'))?.[1], tone]));
});

const ESCAPE = '\u001b';

// oxlint-disable-next-line no-control-regex -- what colours are made of
const CODE = /\u001b\[(\d+)m/;

/** Cuts a line to a number of cells. */
export function cutLineTo(line: ScreenLine, cells: number, ruler: Ruler): ScreenLine {
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
