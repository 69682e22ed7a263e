import { pluralize } from '#base/numbers.js';
import { CHARACTERS_PER_TOKEN } from '#context/size/tokens.js';
import type { Io } from '#platform/io.js';
import { formatJsonLine } from '#ui/doc/json.js';
import type { Outcome } from '../commands/define.js';
import type { CutDocument } from './cut-document.js';
import { FittingItems } from './fitting-items.js';

/** Cuts the pieces of an output. */
export type OutputCut = (pieces: Pieces) => AsyncGenerator<string>;

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>;

/**
 * Builds the cut of an output after a whole line, or before one. The note about it is a part of text and of JSON Lines.
 */
export function createCut(io: Io, outcome: Outcome, format: string, maxTokens: number): OutputCut {
  const { newestLast, format: own = format } = outcome.kind === 'stream' ? outcome : {};
  const options: CutOptions = {
    maxTokens,
    layout: chooseLayout(own),
    stderr: io.stderr,
  };
  return (pieces) => (newestLast ? keepEnd(pieces, options, newestLast.titles) : keepStart(pieces, options));
}

function chooseLayout(format: string): CutOptions['layout'] {
  if (LINES_OF_JSON.has(format)) return 'json';
  return TEXTS.has(format) ? 'text' : 'data';
}

const LINES_OF_JSON: ReadonlySet<string> = new Set(['json', 'ndjson']);
const TEXTS: ReadonlySet<string> = new Set(['text', 'markdown']);

interface CutOptions {
  readonly maxTokens: number;
  /** `data`: rows of a table, among which no note may be. */
  readonly layout: 'json' | 'text' | 'data';
  readonly stderr: Io['stderr'];
}

/** The lines from the first one on that fit. */
async function* keepStart(pieces: Pieces, options: CutOptions): AsyncGenerator<string> {
  const last = formatNote(options, null);
  let left = options.maxTokens * CHARACTERS_PER_TOKEN - last.length;
  for await (const piece of pieces) {
    const text = toText(piece);
    if (text.length > left) {
      const start = text.slice(0, Math.max(0, left));
      yield start.slice(0, start.lastIndexOf('\n') + 1) + last;
      return warn(options);
    }
    left -= text.length;
    yield text;
  }
}

/** The titles, and the lines that fit from the last one back. */
async function* keepEnd(pieces: Pieces, options: CutOptions, titles: number): AsyncGenerator<string> {
  const lines = readOutputLines(pieces);
  let title = '';
  for (let at = 0; at < titles; at += 1) title += (await lines.next()).value ?? '';
  const longestNote = formatNote(options, Number.MAX_SAFE_INTEGER);
  const most = options.maxTokens * CHARACTERS_PER_TOKEN - title.length - longestNote.length;
  const kept = new FittingItems<string>(most, true);
  for await (const text of lines) kept.add(text, text.length);
  const { leftOut } = kept;
  yield `${title}${leftOut === 0 ? '' : formatNote(options, leftOut)}${kept.list().join('')}`;
  if (leftOut > 0) await warn(options);
}

/** The lines of an output, with their ends. */
async function* readOutputLines(pieces: Pieces): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = `${rest}${toText(piece)}`.split(/(?<=\n)/);
    rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '');
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function toText(piece: string | Uint8Array): string {
  return typeof piece === 'string' ? piece : new TextDecoder().decode(piece);
}

/**
 * Tells that lines are missing here. `leftOut`: their number, before the other lines; null if more follow that were not
 * read.
 */
function formatNote({ maxTokens, layout }: CutOptions, leftOut: number | null): string {
  const kept = leftOut === null ? 'first' : 'last';
  if (layout === 'json')
    return formatJsonLine({ schema: 'ctx/cut', schemaVersion: 1, maxTokens, kept, leftOut } satisfies CutDocument);
  const before = leftOut === null ? '' : `${pluralize(leftOut, 'line')} before these, `;
  return layout === 'text' ? `… ${before}${describeCut(maxTokens)}` : '';
}

/** Scripts are told on standard error too. */
async function warn({ maxTokens, layout, stderr }: CutOptions): Promise<void> {
  if (layout !== 'text') await stderr.write(`ctx: ${describeCut(maxTokens)}`);
}

function describeCut(maxTokens: number): string {
  return `cut at ${maxTokens} tokens (--max-tokens)\n`;
}
