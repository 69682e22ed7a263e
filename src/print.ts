import type { End, Outcome } from './commands/define.js';
import type { Io, Output } from './io.js';
import type { Renderer, Report, View } from './render/define.js';
import { renderers } from './render/index.js';
import { jsonLine } from './render/json.js';
import { colourStyle, plainStyle, type Style } from './render/style.js';

/** Reports of a stream that are laid out and written at once. */
const BATCH = 256;

/** How the output was asked for; `colour` is undefined where the terminal decides. */
export interface Wish {
  readonly format: string;
  readonly colour: boolean | undefined;
}

/** Prints what a command hands back, as it comes. A reader that goes away ends it. */
export async function print(io: Io, outcome: Outcome, { format, colour }: Wish): Promise<End> {
  const style = await styleFor(io, io.stdout, colour);
  const view: View = { format, columns: io.stdout.columns, rows: io.stdout.rows };
  if (outcome.kind === 'report') {
    await io.stdout.write((await renderer(format)?.render(outcome.report, view, style)) ?? '');
    return outcome;
  }
  const printed = outcome.format ?? format;
  for await (const batch of batches(outcome.items)) {
    const text = printed === 'json' ? batch.map(({ data }) => jsonLine(data)).join('') : await laidOut(batch);
    if (!(await io.stdout.write(text))) break;
  }
  return outcome.end();

  async function laidOut(batch: readonly Report[]): Promise<string> {
    const whole: Report = { data: null, doc: (at) => batch.flatMap((report) => report.doc(at)) };
    return (await renderer(printed)?.render(whole, view, style)) ?? '';
  }
}

/** Reports that are there are put together; those that have to be waited for come in batches as they are. */
async function* batches(items: Iterable<Report> | AsyncIterable<readonly Report[]>): AsyncGenerator<readonly Report[]> {
  if (Symbol.asyncIterator in items) return yield* items;
  let batch: Report[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function renderer(format: string): Renderer | undefined {
  return renderers.find(({ name }) => name === format);
}

async function styleFor({ env }: Io, output: Output, colour: boolean | undefined): Promise<Style> {
  const wanted = colour ?? (output.isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb');
  return wanted ? colourStyle() : plainStyle;
}
