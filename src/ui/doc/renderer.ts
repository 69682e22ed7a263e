import type { Doc } from './doc.js';
import type { Style } from './style.js';

/** A command's result: data for programs, and a document for people, which is built on demand. */
export interface Printable {
  readonly data: unknown;
  doc(view: View): Doc;
}

/** The medium in which a document is read. */
export interface View {
  readonly format: string;
  readonly columns: number;
  /** Lines that fit on the screen. */
  readonly rows: number;
  /** People read it there, so texts of a session are wrapped as well. */
  readonly isTerminal?: boolean;
  /** Gives the address of a file, where the terminal has hyperlinks. */
  readonly addressOf?: ((file: string) => string) | undefined;
  /** Gives the short form of a path, which text has where a line or a heading names a file. */
  readonly shortenPath?: ((file: string) => string) | undefined;
}

/** An output format, as `--format` names it. */
export interface Format {
  readonly name: string;
  readonly summary: string;
}

/** One output format of every command. */
export interface Renderer extends Format {
  render(report: Printable, view: View, style: Style): string | Promise<string>;
  /** Renders in pieces, so that the whole text need not be in memory. */
  pieces?(report: Printable, view: View): Iterable<string>;
}
