import { diffTextLines, diffWords, type Piece } from '../diff/text-diff.js';
import { type Block, line, type Span, span } from '../render/doc.js';
import { count } from './format.js';

/** How changed texts are shown. */
export interface TextStyle {
  /** Nothing is left out. */
  readonly isFull: boolean;
  /** Words inside their text, whatever its length. */
  readonly byWords: boolean;
}

const MOST_CHARACTERS_OF_A_LINE = 300;
const CONTEXT_LINES = 2;
const CONTEXT_CHARACTERS = 60;
const MOST_LINES = 40;

/** What a text has become: its words inside it where it is a single line, else its lines with some around them. */
export function textDiffDoc(before: string, after: string, style: TextStyle): readonly Block[] {
  const isShort = ![before, after].some((text) => text.includes('\n') || text.length > MOST_CHARACTERS_OF_A_LINE);
  if (style.byWords || isShort) return wordLines(diffWords(before, after), style);
  return hunks(diffTextLines(before, after), style);
}

/** As `git diff --word-diff` marks words, since there may be no colours. */
function marked({ kind, text }: Piece): Span {
  if (kind === 'same') return span(text);
  return kind === 'removed' ? span(`[-${text}-]`, 'error') : span(`{+${text}+}`, 'good');
}

function wordLines(pieces: readonly Piece[], { isFull }: TextStyle): readonly Block[] {
  const lines: Span[][] = [[]];
  for (const [at, piece] of pieces.entries()) {
    const isCut = piece.kind === 'same' && !isFull;
    const text = isCut ? shortSame(piece.text, at === 0, at === pieces.length - 1) : piece.text;
    for (const [part, words] of text.split('\n').entries()) {
      if (part > 0) lines.push([]);
      if (words !== '') lines.at(-1)?.push(marked({ kind: piece.kind, text: words }));
    }
  }
  return cutList(
    lines.map((spans) => line(span('    '), ...spans)),
    isFull,
  );
}

/** The words around a change; `…` stands for the others. */
function shortSame(text: string, isFirst: boolean, isLast: boolean): string {
  const [head, tail] = [isFirst ? 0 : CONTEXT_CHARACTERS, isLast ? 0 : CONTEXT_CHARACTERS];
  if (text.length <= head + tail + 3) return text;
  return `${text.slice(0, head)}…${tail === 0 ? '' : text.slice(-tail)}`;
}

interface TextLine {
  readonly kind: Piece['kind'];
  readonly text: string;
}

function hunks(pieces: readonly Piece[], { isFull }: TextStyle): readonly Block[] {
  const all = pieces.flatMap(({ kind, text }) => linesIn(text).map((words): TextLine => ({ kind, text: words })));
  const shown = all.map(
    (_, at) => isFull || all.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(isChange),
  );
  const blocks: Block[] = [];
  for (const [at, { kind, text }] of all.entries()) {
    if (!shown[at]) {
      if (shown[at - 1] ?? true) blocks.push(line(span('    …', 'faint')));
    } else if (kind === 'same') blocks.push(line(span(`      ${text}`, 'faint')));
    else blocks.push(kind === 'removed' ? line(span(`    - ${text}`, 'error')) : line(span(`    + ${text}`, 'good')));
  }
  return cutList(blocks, isFull);
}

function isChange({ kind }: TextLine): boolean {
  return kind !== 'same';
}

function linesIn(text: string): readonly string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function cutList(blocks: readonly Block[], isFull: boolean): readonly Block[] {
  if (isFull || blocks.length <= MOST_LINES) return blocks;
  const more = count(blocks.length - MOST_LINES);
  return [...blocks.slice(0, MOST_LINES), line(span(`    … ${more} more lines: --full shows them`, 'faint'))];
}
