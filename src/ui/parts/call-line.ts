import type { ReadingBlock } from '#analysis/reading/reading-block.js';
import { buildEntryBlocks } from '#analysis/reading/reading-blocks.js';
import { asText, type JsonObject } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { formatCall, shorten } from '#context/words/message-text.js';
import type { Entry } from '#session/entry.js';
import { type Span, span } from '../doc/doc.js';

/** The look of the lines of a conversation. */
export interface LineStyle {
  /** A document in Markdown, where what is folded is in the text. */
  readonly isDocument: boolean;
  /** Short lines also have the beginning of a result, since nothing is below them. */
  readonly isShort: boolean;
  /** The folder of the session, which lines leave out. */
  readonly cwd: string;
}

/** A call in words. */
export interface CallWords {
  readonly tool: string;
  readonly subject: string;
  /** Short arguments. */
  readonly details: readonly string[];
}

/** The outcome of a call. */
export interface CallOutcome {
  /** null for a call without a result. */
  readonly result: ResultText | null;
  /** A remark about it, or the reason of its failure; empty for none. */
  readonly note: string;
}

/** The result of a call. */
export interface ResultText {
  readonly blocks: readonly ReadingBlock[];
  readonly text: string;
  readonly isFailed: boolean;
  readonly images: number;
}

/** The characters of a call on a line with its result, and alone. */
const SHORT_SUBJECT = 48;
const MOST_SUBJECT = 120;
/** The characters of the first line of what is folded. */
const MOST_FIRST = 120;

/** A call with its outcome on one line. */
export function renderCallLine(call: CallWords, outcome: CallOutcome, style: LineStyle): readonly Span[] {
  return [...renderTool(call, style), ...renderDetails(call, style), ...renderOutcome(outcome, style)];
}

/** Tests whether the line of a call cuts its subject. */
export function isCutOnLine(subject: string): boolean {
  return subject.length > MOST_SUBJECT;
}

function renderTool({ tool, subject: whole }: CallWords, { isDocument, isShort, cwd }: LineStyle): readonly Span[] {
  // Some models begin each command with the folder of the session, which the facts have.
  const entering = `cd ${cwd} && `;
  const subject = isShort && whole.startsWith(entering) ? whole.slice(entering.length) : whole;
  const words = shorten(subject.split('\n')[0] ?? '', isShort ? SHORT_SUBJECT : MOST_SUBJECT);
  const name = span(tool, isDocument ? 'code' : 'tools');
  if (words === '') return [name];

  const hasMoreLines = subject.trim().includes('\n') && !words.endsWith('…');
  return [name, span(' '), span(hasMoreLines ? `${words} …` : words, isDocument ? 'code' : 'plain')];
}

/** Short arguments; a line that is short has only the size of an edit. */
function renderDetails({ details }: CallWords, { isDocument, isShort }: LineStyle): readonly Span[] {
  const shown = isShort ? details.filter((detail) => SIZE_OF_EDIT.test(detail)) : details;
  return shown.length === 0 ? [] : [span('  '), span(shown.join(', '), isDocument ? 'code' : 'faint')];
}

const SIZE_OF_EDIT = /^\+\d+ -\d+$/;

/** The outcome of a call: whether it failed, the size of its result, and where there is room its beginning. */
function renderOutcome({ result, note }: CallOutcome, { isShort }: LineStyle): readonly Span[] {
  if (!result) return [span(' → no result', 'warning')];
  const what = span(isShort ? describeBeginning(result) : describeSize(result), 'faint');
  if (result.isFailed)
    return [span(' → ', 'faint'), span(note === '' ? 'failed' : note, 'error'), span(', ', 'faint'), what];
  return [span(' → ', 'faint'), what, span(note === '' ? '' : `, ${note}`, 'faint')];
}

function describeSize({ text, images }: ResultText): string {
  const lines = listTextLines(text).length;
  const sizes: string[] = [];
  if (lines > 0) sizes.push(pluralize(lines, 'line'));
  if (images > 0) sizes.push(pluralize(images, 'image'));
  return sizes.length === 0 ? 'no output' : sizes.join(', ');
}

/** The first line of a result, after the size of a longer one. */
function describeBeginning(result: ResultText): string {
  const [first, ...others] = listTextLines(result.text);
  if (first === undefined) return describeSize(result);
  const beginning = shorten(first, MOST_FIRST);
  return others.length === 0 ? beginning : `${describeSize(result)}: ${beginning}`;
}

/** A text that is folded in a few words: its name, its number of lines, and where there is room the first one. */
export function describeFold(name: string, text: string, { isShort }: LineStyle): string {
  const [first, ...others] = listTextLines(text);
  const count = others.length > 0 ? `, ${pluralize(others.length + 1, 'line')}` : '';
  const beginning = isShort && first !== undefined ? `: ${shorten(first, MOST_FIRST)}` : '';
  return name + count + beginning;
}

/** The lines of a text that are not blank. */
function listTextLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '');
}

/** The arguments of a call in a few words. */
export function describeArguments(call: JsonObject, cwd: string): string {
  const text = formatCall(call, cwd);
  const tool = asText(call.name);
  if (!text.startsWith(tool)) return text;
  const given = text.slice(tool.length);
  return given.replace(/^\(([^]*)\)$/, '$1').trim();
}

/** Reads the result of a call from its entry. */
export function readResult(entry: Entry, call: JsonObject | undefined, cwd: string): ResultText {
  const all = buildEntryBlocks(entry, { call, cwd }) ?? [];
  const blocks = all.filter(({ kind }) => kind !== 'failure');
  return {
    blocks,
    text: joinTexts(blocks),
    isFailed: blocks.length < all.length,
    images: blocks.filter(({ kind }) => kind === 'image').length,
  };
}

/** The texts of blocks, one below the other. */
export function joinTexts(blocks: readonly ReadingBlock[]): string {
  return blocks.map((block) => ('content' in block ? block.content.text : '')).join('\n');
}
