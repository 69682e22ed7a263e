import type { MarkdownNode } from '#analysis/reading/reading-block.js';
import type { Tone } from './tone.js';

/** Text on one line. It may hold anything: renderers make it safe. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
  /** The file on this machine that it names, for terminals that can open it. Never a name that a session gives. */
  readonly file?: string;
  /** Whether the text is a command line to paste. */
  readonly isCommand?: true;
}

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** The one column that gives way when the line is too long. */
  readonly isFlexible?: true;
  /** Whether the cells are sentences, which wrap where the column gives way, and are not cut. */
  readonly isProse?: true;
}

/** A cell of a row, at least `width` cells of the terminal wide. */
export interface Cell extends Span {
  readonly width: number;
  readonly align: 'left' | 'right';
  /** The cells of the terminal that its text is cut to. */
  readonly most?: number;
  /** Whether the text is cut at its beginning, as a path is. */
  readonly isPath?: boolean;
}

interface BarSegment {
  readonly tone: Tone;
  readonly value: number;
}

/** A piece of a printable document. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string; readonly file?: string }
  /** Prose: where a line ends it goes on in the next one. */
  | {
      readonly kind: 'line';
      readonly spans: readonly Span[];
      /** Whether the line lists something, and is cut like a row. */
      readonly isCut?: true;
      /**
       * The number of cells by which the lines that it wraps to are indented more than the first one; 2 is the default.
       */
      readonly hanging?: number;
    }
  /** Items that are titles name what follows them. */
  | { readonly kind: 'bullets'; readonly items: readonly (readonly Span[])[]; readonly isTitle?: true }
  /**
   * A line of a listing. Its cells have widths of their own, so that it can be printed before the next one is known;
   * the last one takes what is left.
   */
  | {
      readonly kind: 'row';
      readonly cells: readonly Cell[];
      /** The cells after the last fixed-width cell are a sentence, which wraps below itself. */
      readonly isProse?: true;
      /** Whether the row may be longer than a line. */
      readonly isLong?: true;
    }
  /** A row of a single span is a remark that runs across all columns. */
  | {
      readonly kind: 'table';
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly Span[])[];
      readonly hasTitles: boolean;
    }
  | {
      readonly kind: 'bar';
      readonly segments: readonly BarSegment[];
      readonly total: number;
      readonly label: readonly Span[];
    }
  /** Two texts beside each other. Each is wrapped within its half of the line, and nothing of it is cut off. */
  | { readonly kind: 'pair'; readonly left: readonly Span[]; readonly right: readonly Span[] }
  /**
   * A line that is never cut, for scripts; tabs and newlines in it are meant. `file` and `command`: the path or the
   * command line at its end.
   */
  | { readonly kind: 'whole'; readonly text: string; readonly file?: string; readonly command?: string }
  /**
   * Text with its own lines, as it is in the session. A terminal shows Markdown and code rendered, where `language`
   * names it.
   */
  | {
      readonly kind: 'verbatim';
      readonly text: string;
      readonly language: string;
      /** The text as parsed Markdown: a document in Markdown has it as a part of its own, not as a quotation. */
      readonly nodes?: readonly MarkdownNode[];
      /** Each line of the nodes stays a line, as in what a user types. */
      readonly keepsLines?: boolean;
    }
  /** A line, and what is below it if it is unfolded. A document in Markdown shows it folded. */
  | { readonly kind: 'fold'; readonly summary: readonly Span[]; readonly body: Doc }
  | { readonly kind: 'gap' };

export type Doc = readonly Block[];

export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone };
}

/** A text that names a file: see `Span`. */
export function fileSpan(text: string, file: string, tone: Tone = 'plain'): Span {
  // Standard input is no file.
  return file === '-' ? { text, tone } : { text, tone, file };
}

export function heading(level: 1 | 2 | 3, text: string): Block {
  return { kind: 'heading', level, text };
}

/** A heading that is the name of a file. */
export function fileHeading(file: string): Block {
  return { ...fileSpan(file, file), kind: 'heading', level: 2 };
}

export function line(...spans: readonly (Span | string)[]): Block {
  return { kind: 'line', spans: spansOf(spans) };
}

function spansOf(parts: readonly (Span | string)[]): readonly Span[] {
  return parts.map((part) => (typeof part === 'string' ? span(part) : part));
}

/** A line whose text begins after a label of `hanging` cells, and wraps below itself. */
export function hangingLine(hanging: number, ...spans: readonly (Span | string)[]): Block {
  return { kind: 'line', spans: spansOf(spans), hanging };
}

/** A command line to paste, which is never wrapped or cut, after a label. */
export function commandLine(label: string, command: string): Block {
  return { kind: 'whole', text: label + command, command };
}

/** A line of a listing: it is cut where the line ends. */
export function cutLine(...spans: readonly (Span | string)[]): Block {
  return { kind: 'line', spans: spansOf(spans), isCut: true };
}

export function pair(before: readonly Span[], after: readonly Span[]): Block {
  return { kind: 'pair', left: before, right: after };
}

export function verbatim(text: string, language = ''): Block {
  return { kind: 'verbatim', text, language };
}

/** A cell of a row; a negative width aligns to the right. */
export function cell(text: string, width = 0, tone: Tone = 'plain'): Cell {
  return { text, tone, width: Math.abs(width), align: width < 0 ? 'right' : 'left' };
}

export function listingRow(cells: readonly Cell[]): Block {
  return { kind: 'row', cells };
}

/** A row whose last cell is a sentence, which wraps below itself. */
export function proseRow(cells: readonly Cell[]): Block {
  return { kind: 'row', cells, isProse: true };
}

export function table(
  columns: readonly Column[],
  rows: readonly (readonly Span[])[],
  { hasTitles = true }: { readonly hasTitles?: boolean } = {},
): Block {
  return { kind: 'table', columns, rows, hasTitles };
}

export function left(title: string): Column {
  return { title, align: 'left' };
}

export function right(title: string): Column {
  return { title, align: 'right' };
}

/** The column that is cut where the line is too long. */
export function flexible(title: string): Column {
  return { title, align: 'left', isFlexible: true };
}

export const gap: Block = { kind: 'gap' };
