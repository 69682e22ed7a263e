import type { JsonObject } from '#base/json.js';
import { readWordsAfterResult } from './attachments.js';
import { buildClaudeResult, joinTextBlocks } from './content.js';
import { RECORD_TYPE } from './fields.js';
import { NONE } from './links.js';
import type { Nodes, Piece } from './nodes.js';
import type { ClaudeRecords } from './records.js';

/** A request whose messages are recorded. */
export interface SentRequest {
  /** The entry before its answer. */
  readonly above: number;
  /** The first line of its answer. */
  readonly line: number;
  readonly list: number;
}

/** The result of a call, in the content of a line. */
interface Result {
  readonly line: number;
  readonly place: number;
  readonly call: number;
}

/** A message, divided into the results of calls and the lines with its other blocks. */
interface Parts {
  readonly piece: Piece;
  readonly results: readonly Result[];
  readonly others: readonly number[];
}

/**
 * Makes the entries between two answers show messages that were sent: one entry each result of a call, and one each
 * message. Those that are left over show nothing. Returns the messages with their entries, and the last entry; null if
 * the entries have other results. `valueAt`: the value of a line.
 */
export function joinMessages(
  nodes: Nodes,
  all: readonly number[],
  sent: readonly Piece[],
  { above, line }: SentRequest,
  valueAt: (line: number) => JsonObject,
): { readonly pieces: readonly Piece[]; readonly end: number } | null {
  const messages = sent.map((piece) => partsOf(nodes.records, piece));
  const own = all.filter((node) => nodes.making(node) === 'result');
  if (!isInOrder(messages) || !hasResults(nodes, own, messages)) return null;
  const after = afterResult(nodes, all, messages, valueAt);
  for (const node of after?.nodes ?? [])
    if (nodes.making(node) === 'attachment') nodes.remake(node, { making: 'told', lines: nodes.lines(node) });
  const segment = all.filter((node) => !after?.nodes.includes(node));
  const texts = messages.filter(({ others }) => others.length > 0);
  const { places, prompt } = placesOf(nodes, segment, texts);
  leaveOut(nodes, segment, new Set(places));
  takeResults(nodes, segment, { own, messages, kept: after?.result ?? NONE });
  let end = above;
  const shown = texts.map(({ others }, at) => {
    const making = at === prompt ? 'prompt' : 'note';
    const place = places[at] ?? NONE;
    if (place !== NONE) return takeText(nodes, place, making, others);
    end = nodes.add(end, { making, record: line, place: NEW_PLACE + at, lines: others });
    return end;
  });
  return { pieces: withNodes(messages, [...own], shown), end };
}

/**
 * The attachments whose words the client appended to the text of the last result. With words of the user among them,
 * they are shown after it, as messages of their own. null if there are none, or if the result has other words.
 */
function afterResult(
  nodes: Nodes,
  segment: readonly number[],
  messages: readonly Parts[],
  valueAt: (line: number) => JsonObject,
): { readonly result: number; readonly nodes: readonly number[] } | null {
  const at = segment.findLastIndex((node) => nodes.making(node) === 'result');
  const result = segment[at] ?? NONE;
  const sent = messages.flatMap(({ results }) => results).at(-1);
  if (!sent || result === NONE || sent.line === nodes.record(result)) return null;
  const textAt = (line: number, place: number): string =>
    joinTextBlocks(buildClaudeResult(valueAt(line), place, '')['content']);
  const told = segment.slice(at + 1).filter((node) => TOLD.has(nodes.making(node)));
  if (!told.some((node) => nodes.making(node) === 'queued')) return null;
  const words = told.map((node) => readWordsAfterResult(valueAt(nodes.record(node))) ?? '').join('');
  const isWhole = textAt(sent.line, sent.place) === `${textAt(nodes.record(result), nodes.place(result))}${words}`;
  return isWhole ? { result, nodes: told } : null;
}

const TOLD: ReadonlySet<string> = new Set(['queued', 'attachment']);

function partsOf({ blocks }: ClaudeRecords, piece: Piece): Parts {
  const results = piece.lines.flatMap((line) => blocks.results(line).map((call, place) => ({ line, place, call })));
  return { piece, results, others: piece.lines.filter((line) => blocks.hasOther(line)) };
}

/** Whether all results come first. */
function isInOrder(messages: readonly Parts[]): boolean {
  const first = messages.findIndex(({ others }) => others.length > 0);
  return first === -1 || messages.slice(first + 1).every(({ results }) => results.length === 0);
}

function hasResults(nodes: Nodes, own: readonly number[], messages: readonly Parts[]): boolean {
  const calls = messages.flatMap(({ results }) => results.map(({ call }) => call));
  return own.length === calls.length && own.every((node, at) => nodes.call(node) === calls[at]);
}

/**
 * The entries that show the texts, NONE for a new one, and the number of the text with the prompt of the user, which is
 * the last one of the user.
 */
function placesOf(
  nodes: Nodes,
  segment: readonly number[],
  texts: readonly Parts[],
): { readonly places: readonly number[]; readonly prompt: number } {
  const lastResult = segment.findLastIndex((node) => nodes.making(node) === 'result');
  const free = segment.slice(lastResult + 1).filter((node) => isText(nodes, node));
  const own = free.findLastIndex((node) => OF_USER.has(nodes.making(node)));
  const prompt = own === -1 ? -1 : texts.findLastIndex(({ piece }) => piece.role === RECORD_TYPE.user);
  const shift = prompt !== -1 && own >= prompt ? own - prompt : 0;
  const places = texts.map((_, at) => free[at < prompt ? at : at + shift] ?? NONE);
  return { places, prompt };
}

const OF_USER: ReadonlySet<string> = new Set(['text', 'queued']);

function isText(nodes: Nodes, node: number): boolean {
  return TEXTS.has(nodes.making(node));
}

const TEXTS: ReadonlySet<string> = new Set(['text', 'queued', 'command', 'meta', 'attachment']);

/** The texts of these entries are part of other messages, or were not sent. */
function leaveOut(nodes: Nodes, segment: readonly number[], kept: ReadonlySet<number>): void {
  for (const node of segment)
    if (isText(nodes, node) && !kept.has(node)) nodes.remake(node, { making: 'joined', lines: nodes.lines(node) });
}

/** The client joins what it tells the model to results. */
function takeResults(
  nodes: Nodes,
  segment: readonly number[],
  { own, messages, kept }: { own: readonly number[]; messages: readonly Parts[]; kept: number },
): void {
  const changed = new Set<number>();
  for (const [at, { line, place }] of messages.flatMap(({ results }) => results).entries()) {
    const node = own[at] ?? NONE;
    if (line === nodes.record(node) || node === kept) continue;
    nodes.remake(node, { making: 'result', lines: [line], place });
    changed.add(node);
  }
  for (const node of segment)
    if (nodes.making(node) === 'replaced' && changed.has(nodes.target(node)))
      nodes.remake(node, { making: 'joined', lines: [nodes.record(node)] });
}

/** An entry whose record is the whole message shows it already. */
function takeText(nodes: Nodes, node: number, making: 'prompt' | 'note', lines: readonly number[]): number {
  const isWhole = lines.length === 1 && lines[0] === nodes.record(node);
  if (!isWhole) nodes.remake(node, { making, lines });
  return node;
}

function withNodes(messages: readonly Parts[], results: number[], texts: number[]): readonly Piece[] {
  return messages.map(({ piece, results: own, others }) => ({
    ...piece,
    nodes: [...results.splice(0, own.length), ...(others.length > 0 ? texts.splice(0, 1) : [])],
  }));
}

/** The place of a message without an entry of its own comes after those of a model and of a prompt. */
const NEW_PLACE = 3;
