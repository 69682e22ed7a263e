import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CtxError, shortenForError } from '#base/errors.js';
import { toVisibleLine } from '#base/visible.js';
import type { NewFile } from '#platform/files/new-file.js';
import type { Io } from '#platform/io.js';
import type { Output } from '#platform/terminal/output.js';
import { type Doc, line, span } from '#ui/doc/doc.js';
import { chooseRenderer } from '#ui/doc/index.js';
import { formatJsonLine } from '#ui/doc/json.js';
import type { Printable, View } from '#ui/doc/renderer.js';
import { loadColourStyle, plainStyle, type Style, type Theme } from '#ui/doc/style.js';
import { type Colour, type Outcome, type OutcomeEnd, streamBatches } from './commands/define.js';
import type { OutputCut } from './cut-output.js';

/** Empties the screen of a terminal and goes to its top. */
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/** The requested output. */
export interface PrintOptions {
  readonly format: string;
  readonly colour: Colour | undefined;
  readonly theme?: Theme | undefined;
  /** Texts of a session are printed as they are stored. */
  readonly isPlain: boolean;
  /** Cuts the output; null or undefined prints all of it. */
  readonly cut?: OutputCut | null;
}

/** Prints what a command hands back, as it comes. A reader that goes away ends it. */
export async function print(
  io: Io,
  outcome: Outcome,
  { format, colour, theme, isPlain, cut }: PrintOptions,
): Promise<OutcomeEnd> {
  const style = await styleFor(io, io.stdout, colour, theme);
  const view: View = {
    format,
    columns: io.stdout.columns,
    rows: io.stdout.rows,
    isTerminal: io.stdout.isTerminal && !isPlain,
    // An address contains only letters, digits and harmless punctuation, whatever the name of the file.
    addressOf:
      io.stdout.isTerminal && (await io.hasHyperlinks())
        ? (file) => pathToFileURL(path.resolve(io.cwd || '/', file)).href
        : undefined,
  };
  const pieces = printed(outcome, { view, style, isFresh: io.stdout.isTerminal });
  for await (const piece of cut?.(pieces) ?? pieces) if (!(await io.stdout.write(piece))) break;
  return outcome.kind === 'pieces' || outcome.kind === 'stream' ? outcome.end() : outcome;
}

interface Printing {
  readonly view: View;
  readonly style: Style;
  /** Each batch of a screen replaces the previous one. */
  readonly isFresh: boolean;
}

async function* printed(outcome: Outcome, printing: Printing): AsyncGenerator<string | Uint8Array> {
  const { view, style } = printing;
  switch (outcome.kind) {
    case 'report': {
      const renderer = chooseRenderer(view.format);
      yield* renderer.pieces?.(outcome.report) ?? [await renderer.render(outcome.report, view, style)];
      return;
    }
    case 'bytes':
      yield* outcome.bytes;
      return;
    case 'pieces':
      for await (const piece of outcome.pieces)
        yield typeof piece === 'string' ? piece : await laidOut(view.format, () => piece, printing);
      return;
    case 'stream':
      yield* batches(outcome, printing);
  }
}

/** Available items are joined into larger writes; an asynchronous source decides its own batches. */
async function* batches(
  outcome: Extract<Outcome, { readonly kind: 'stream' }>,
  printing: Printing,
): AsyncGenerator<string> {
  const { format, isScreen } = outcome;
  const as = format ?? printing.view.format;
  const isFresh = isScreen && printing.isFresh && as !== 'json';
  for await (const batch of streamBatches(outcome)) {
    const text =
      as === 'json'
        ? batch.map(({ data }) => formatJsonLine(data)).join('')
        : await laidOut(as, (at) => batch.flatMap((report) => report.doc(at)), printing);
    yield isFresh ? CLEAR + text : text;
  }
}

async function laidOut(as: string, doc: Printable['doc'], { view, style }: Printing): Promise<string> {
  return chooseRenderer(as).render({ data: null, doc }, view, style);
}

async function styleFor(io: Io, output: Output, colour: Colour = 'auto', theme?: Theme): Promise<Style> {
  return hasColours(io, output, colour) ? loadColourStyle(theme) : plainStyle;
}

/** Whether an output gets colours. A flag decides before FORCE_COLOR, NO_COLOR, CLICOLOR_FORCE and the terminal, in this order. */
export function hasColours({ env }: Pick<Io, 'env'>, output: Pick<Output, 'isTerminal'>, colour: Colour): boolean {
  if (colour !== 'auto') return colour === 'always';
  const { FORCE_COLOR: forced, NO_COLOR: none = '', CLICOLOR_FORCE: isForced = '0' } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (none !== '') return false;
  if (isForced !== '0' && isForced !== '') return true;
  return output.isTerminal && env['TERM'] !== 'dumb' && env['CLICOLOR'] !== '0';
}

/** Tests whether the new file of a command is standard output. */
export function writesToStandardOutput(flags: Readonly<Record<string, unknown>>): boolean {
  return flags['output'] === '-' && flags['dry-run'] === undefined;
}

/**
 * The environment of a command whose new file is standard output: its report goes to standard error. Throws a CtxError
 * (usage) for a terminal, which would interpret control characters in the file.
 */
export function printToStandardError(io: Io): Io {
  const { stdout, stderr, files } = io;
  if (stdout.isTerminal)
    throw new CtxError('usage', 'a terminal is no place for a file', {
      where: '--output -',
      hint: 'send it to a pipe or a file',
    });
  const piped: NewFile = {
    // A closed pipe is no error: the reader has seen enough.
    write: async (bytes) => void (await stdout.write(bytes)),
    commit: () => {},
    // Written output cannot be undone; the exit code reports the failure.
    abandon: () => {},
  };
  return {
    ...io,
    stdout: stderr,
    files: {
      ...files,
      createNew: (file, options) => (file === '-' ? Promise.resolve(piped) : files.createNew(file, options)),
    },
  };
}

/** An error for a terminal: the cause, the place and a hint on lines of their own, wrapped at words. */
export async function formatFailure(io: Io, { message, where, hint, excerpt }: CtxError): Promise<string> {
  const doc: Doc = [
    line(span('error: ', 'error'), toVisibleLine(shortenForError(message))),
    ...(where === null ? [] : [line(span(`  ${toVisibleLine(shortenForError(where))}`, 'faint'))]),
    ...excerpt.map((text) => line(span(`  ${toVisibleLine(text)}`))),
    ...(hint === null ? [] : [line(span('hint: ', 'good'), toVisibleLine(shortenForError(hint)))]),
  ];
  return renderForErrors(io, doc);
}

/** A document as text for standard error. */
export async function renderForErrors(io: Io, doc: Doc): Promise<string> {
  const { columns, rows } = io.stderr;
  const style = await styleFor(io, io.stderr, undefined);
  return chooseRenderer('text').render({ data: null, doc: () => doc }, { format: 'text', columns, rows }, style);
}
