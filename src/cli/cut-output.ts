import * as z from 'zod/mini';
import { pluralize } from '#base/numbers.js';
import { jsonDocument } from '#base/schema.js';
import type { Io } from '#platform/io.js';
import { formatJsonLine } from '#ui/doc/json.js';
import type { Outcome } from './commands/define.js';

/** As Pi estimates tokens. */
export const CHARACTERS_PER_TOKEN = 4;

/** The line of JSON Lines that `--max-tokens` cut: before the lines if the last ones are kept, otherwise after them. */
export const cutDocument = jsonDocument('ctx/cut', {
  /** The limit that was set. */
  maxTokens: z.int(),
  /** `last`: the newest entries of a log. */
  kept: z.enum(['first', 'last']),
  /** The number of lines that are missing; null if the rest was not read. */
  leftOut: z.nullable(z.int()),
});

/** Cuts the pieces of an output. */
export type OutputCut = (pieces: Pieces) => AsyncGenerator<string>;

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>;

/** Dropped items that are kept in memory before the others are moved. */
const MOST_DROPPED = 1000;

/** The items of a list that fit into a number of characters: its first ones, or its last ones. */
export class FittingItems<Item> {
  /** The number of items that made room for later ones. */
  leftOut = 0;
  private kept: (readonly [item: Item, size: number])[] = [];
  private start = 0;

  /** `least`: the number of items that are kept even if they do not fit. */
  constructor(
    private left: number,
    private readonly isEndKept: boolean,
    private readonly least = 0,
  ) {}

  /** Takes the next item. false: it does not fit, and the list ends before it. */
  add(item: Item, size: number): boolean {
    this.left -= size;
    if (this.left < 0 && !this.isEndKept && this.kept.length >= this.least) return false;
    this.kept.push([item, size]);
    while (this.left < 0 && this.kept.length - this.start > this.least) this.drop();
    return true;
  }

  items(): readonly Item[] {
    return this.kept.slice(this.start).map(([item]) => item);
  }

  private drop(): void {
    this.left += this.kept[this.start]?.[1] ?? 0;
    this.start += 1;
    this.leftOut += 1;
    if (this.start <= MOST_DROPPED || this.start * 2 < this.kept.length) return;
    this.kept = this.kept.slice(this.start);
    this.start = 0;
  }
}

/** Builds the cut of an output after a whole line, or before one. The note about it is a part of text and of JSON Lines. */
export function createCut(io: Io, outcome: Outcome, format: string, maxTokens: number): OutputCut {
  const { newestLast, format: own = format } = outcome.kind === 'stream' ? outcome : {};
  const told: Told = {
    maxTokens,
    layout: LINES_OF_JSON.has(own) ? 'json' : TEXTS.has(own) ? 'text' : 'data',
    stderr: io.stderr,
  };
  return (pieces) => (newestLast ? endOf(pieces, told, newestLast.titles) : startOf(pieces, told));
}

const LINES_OF_JSON: ReadonlySet<string> = new Set(['json', 'ndjson']);
const TEXTS: ReadonlySet<string> = new Set(['text', 'markdown']);

interface Told {
  readonly maxTokens: number;
  /** `data`: rows of a table, among which no note may be. */
  readonly layout: 'json' | 'text' | 'data';
  readonly stderr: Io['stderr'];
}

/** The lines from the first one on that fit. */
async function* startOf(pieces: Pieces, told: Told): AsyncGenerator<string> {
  const last = noteOf(told, null);
  let left = told.maxTokens * CHARACTERS_PER_TOKEN - last.length;
  for await (const piece of pieces) {
    const text = textOf(piece);
    if (text.length > left) {
      const start = text.slice(0, Math.max(0, left));
      yield start.slice(0, start.lastIndexOf('\n') + 1) + last;
      return warn(told);
    }
    left -= text.length;
    yield text;
  }
}

/** The titles, and the lines that fit from the last one back. */
async function* endOf(pieces: Pieces, told: Told, titles: number): AsyncGenerator<string> {
  const lines = readOutputLines(pieces);
  let title = '';
  for (let at = 0; at < titles; at += 1) title += (await lines.next()).value ?? '';
  const most = told.maxTokens * CHARACTERS_PER_TOKEN - title.length - noteOf(told, Number.MAX_SAFE_INTEGER).length;
  const kept = new FittingItems<string>(most, true);
  for await (const text of lines) kept.add(text, text.length);
  const { leftOut } = kept;
  yield `${title}${leftOut === 0 ? '' : noteOf(told, leftOut)}${kept.items().join('')}`;
  if (leftOut > 0) await warn(told);
}

/** The lines of an output, with their ends. */
async function* readOutputLines(pieces: Pieces): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = `${rest}${textOf(piece)}`.split(/(?<=\n)/);
    rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '');
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function textOf(piece: string | Uint8Array): string {
  return typeof piece === 'string' ? piece : new TextDecoder().decode(piece);
}

/** Tells that lines are missing here. `leftOut`: their number, before the other lines; null if more follow that were not read. */
function noteOf({ maxTokens, layout }: Told, leftOut: number | null): string {
  const kept = leftOut === null ? 'first' : 'last';
  if (layout === 'json')
    return formatJsonLine({ schema: 'ctx/cut', schemaVersion: 1, maxTokens, kept, leftOut } satisfies z.infer<
      typeof cutDocument
    >);
  const before = leftOut === null ? '' : `${pluralize(leftOut, 'line')} before these, `;
  return layout === 'text' ? `… ${before}${cutText(maxTokens)}` : '';
}

/** Scripts are told on standard error too. */
async function warn({ maxTokens, layout, stderr }: Told): Promise<void> {
  if (layout !== 'text') await stderr.write(`ctx: ${cutText(maxTokens)}`);
}

function cutText(maxTokens: number): string {
  return `cut at ${maxTokens} tokens (--max-tokens)\n`;
}
