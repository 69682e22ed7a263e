import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Io } from '#platform/io.js';
import { chooseRenderer } from '#ui/doc/index.js';
import { formatJsonLine } from '#ui/doc/json.js';
import type { Printable, View } from '#ui/doc/renderer.js';
import type { Style } from '#ui/doc/style.js';
import type { CommandCall } from '../arguments/command-call.js';
import type { Outcome, OutcomeEnd, OutcomeStream } from '../commands/define.js';
import { shortenPath } from '../sessions/folders.js';
import { chooseStyle } from './colours.js';
import type { OutputCut } from './cut-output.js';

/** Empties the screen of a terminal and goes to its top. */
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/** The requested output. */
export interface PrintOptions extends Pick<CommandCall, 'format' | 'colour' | 'theme' | 'isPlain'> {
  /** Cuts the output; null or undefined prints all of it. */
  readonly cut?: OutputCut | null;
}

/** Prints what a command hands back, as it comes. A reader that goes away ends it. */
export async function print(
  io: Io,
  outcome: Outcome,
  { format, colour, theme, isPlain, cut }: PrintOptions,
): Promise<OutcomeEnd> {
  const style = await chooseStyle(io, io.stdout, colour, theme);
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
    shortenPath: (file) => shortenPath(file, io),
  };
  const pieces = renderOutcome(outcome, { view, style, isFresh: io.stdout.isTerminal });
  for await (const piece of cut?.(pieces) ?? pieces) {
    if (!(await io.stdout.write(piece))) break;
  }
  return outcome.kind === 'pieces' || outcome.kind === 'stream' ? outcome.end() : outcome;
}

interface Printing {
  readonly view: View;
  readonly style: Style;
  /** Each batch of a screen replaces the previous one. */
  readonly isFresh: boolean;
}

async function* renderOutcome(outcome: Outcome, printing: Printing): AsyncGenerator<string | Uint8Array> {
  const { view, style } = printing;
  switch (outcome.kind) {
    case 'single': {
      const renderer = chooseRenderer(view.format);
      yield* renderer.pieces?.(outcome.item, view) ?? [await renderer.render(outcome.item, view, style)];
      return;
    }
    case 'bytes':
      yield* outcome.bytes;
      return;
    case 'pieces':
      for await (const piece of outcome.pieces)
        yield typeof piece === 'string' ? piece : await layOut(view.format, () => piece, printing);
      return;
    case 'stream':
      yield* renderBatches(outcome, printing);
  }
}

/** Available items are joined into larger writes; an asynchronous source decides its own batches. */
async function* renderBatches(outcome: OutcomeStream, printing: Printing): AsyncGenerator<string> {
  const { format, isScreen } = outcome;
  const as = format ?? printing.view.format;
  const isFresh = isScreen && printing.isFresh && as !== 'json';
  for await (const batch of outcome.batches) {
    const text =
      as === 'json'
        ? batch.map(({ data }) => formatJsonLine(data)).join('')
        : await layOut(as, (at) => batch.flatMap((item) => item.doc(at)), printing);
    yield isFresh ? CLEAR + text : text;
  }
}

async function layOut(as: string, doc: Printable['doc'], { view, style }: Printing): Promise<string> {
  return chooseRenderer(as).render({ data: null, doc }, view, style);
}
