import type { JsonObject } from '#base/json.js';
import { readWordsAfterResult } from '../content/attachment-message.js';
import { buildClaudeResult, joinTextBlocks } from '../content/content.js';
import type { ClaudeEntries, ClaudeEntry, ClaudeEntryForm, Piece } from '../entries/entries.js';
import { RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';

/** A request whose messages are recorded. */
export interface SentRequest {
  /** The entry before its answer. */
  readonly above: ClaudeEntry | null;
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
  entries: ClaudeEntries,
  all: readonly ClaudeEntry[],
  sent: readonly Piece[],
  { above, line }: SentRequest,
  valueAt: (line: number) => JsonObject,
): { readonly pieces: readonly Piece[]; readonly end: ClaudeEntry | null } | null {
  const messages = sent.map((piece) => splitParts(entries.records, piece));
  const results = all.filter(({ form }) => form === 'result');
  if (!areResultsFirst(messages) || !haveSameCalls(results, messages)) return null;
  const appended = findAppended(all, messages, valueAt);
  for (const entry of appended?.entries ?? []) if (entry.form === 'attachment') entry.form = 'tagged';
  const segment = all.filter((entry) => !appended?.entries.includes(entry));
  const texts = messages.filter(({ others }) => others.length > 0);
  const { places, prompt } = choosePlaces(segment, texts);
  leaveOutTexts(segment, new Set(places));
  leaveOutReplacements(segment, changeResults(results, messages, appended?.result ?? null));
  let end = above;
  const shown = texts.map(({ others }, at) => {
    const form = at === prompt ? 'prompt' : 'note';
    const place = places[at];
    if (place) {
      showText(place, form, others);
      return place;
    }
    end = entries.add(end, { form, record: line, place: NEW_PLACE + at, lines: others });
    return end;
  });
  return { pieces: addEntries(messages, results, shown), end };
}

/**
 * The attachments whose words the client appended to the text of the last result. With words of the user among them,
 * they are shown after it, as messages of their own. null if there are none, or if the result has other words.
 */
function findAppended(
  segment: readonly ClaudeEntry[],
  messages: readonly Parts[],
  valueAt: (line: number) => JsonObject,
): { readonly result: ClaudeEntry; readonly entries: readonly ClaudeEntry[] } | null {
  const at = segment.findLastIndex(({ form }) => form === 'result');
  const result = segment[at];
  const sent = messages.flatMap(({ results }) => results).at(-1);
  if (!sent || !result || sent.line === result.record) return null;
  const textAt = (line: number, place: number): string =>
    joinTextBlocks(buildClaudeResult(valueAt(line), place, '')['content']);
  const appended = segment.slice(at + 1).filter(({ form }) => form === 'queued' || form === 'attachment');
  if (!appended.some(({ form }) => form === 'queued')) return null;
  const words = appended.map(({ record }) => readWordsAfterResult(valueAt(record)) ?? '').join('');
  const isWhole = textAt(sent.line, sent.place) === `${textAt(result.record, result.place)}${words}`;
  return isWhole ? { result, entries: appended } : null;
}

function splitParts({ blocks }: ClaudeRecords, piece: Piece): Parts {
  const results = piece.lines.flatMap((line) => blocks.results(line).map((call, place) => ({ line, place, call })));
  return { piece, results, others: piece.lines.filter((line) => blocks.hasOther(line)) };
}

function areResultsFirst(messages: readonly Parts[]): boolean {
  const first = messages.findIndex(({ others }) => others.length > 0);
  return first === -1 || messages.slice(first + 1).every(({ results }) => results.length === 0);
}

function haveSameCalls(results: readonly ClaudeEntry[], messages: readonly Parts[]): boolean {
  const calls = messages.flatMap((message) => message.results.map(({ call }) => call));
  return results.length === calls.length && results.every(({ call }, at) => call === calls[at]);
}

/**
 * The entries that show the texts, undefined for a new one, and the number of the text with the prompt of the user, which
 * is the last one of the user.
 */
function choosePlaces(
  segment: readonly ClaudeEntry[],
  texts: readonly Parts[],
): { readonly places: readonly (ClaudeEntry | undefined)[]; readonly prompt: number } {
  const lastResult = segment.findLastIndex(({ form }) => form === 'result');
  const free = segment.slice(lastResult + 1).filter(isText);
  const own = free.findLastIndex(({ form }) => form === 'text' || form === 'queued');
  const prompt = own === -1 ? -1 : texts.findLastIndex(({ piece }) => piece.role === RECORD_TYPE.user);
  const shift = prompt !== -1 && own >= prompt ? own - prompt : 0;
  return { places: texts.map((_, at) => free[at < prompt ? at : at + shift]), prompt };
}

function isText({ form }: ClaudeEntry): boolean {
  return TEXTS.has(form);
}

const TEXTS: ReadonlySet<ClaudeEntryForm> = new Set(['text', 'queued', 'command', 'meta', 'attachment']);

/** The texts of these entries are part of other messages, or were not sent. */
function leaveOutTexts(segment: readonly ClaudeEntry[], kept: ReadonlySet<ClaudeEntry | undefined>): void {
  for (const entry of segment) if (isText(entry) && !kept.has(entry)) entry.form = 'joined';
}

/** The client joins what it tells the model to results: builds them from the lines that were sent, and returns those. */
function changeResults(
  results: readonly ClaudeEntry[],
  messages: readonly Parts[],
  unchanged: ClaudeEntry | null,
): ReadonlySet<ClaudeEntry | null> {
  const changed = new Set<ClaudeEntry | null>();
  for (const [at, { line, place }] of messages.flatMap((message) => message.results).entries()) {
    const entry = results[at];
    if (!entry || line === entry.record || entry === unchanged) continue;
    entry.lines = [line];
    entry.place = place;
    changed.add(entry);
  }
  return changed;
}

/** A result that is built from what was sent has its replacement already. */
function leaveOutReplacements(segment: readonly ClaudeEntry[], changed: ReadonlySet<ClaudeEntry | null>): void {
  for (const entry of segment) {
    if (entry.form !== 'replaced' || !changed.has(entry.target)) continue;
    entry.form = 'joined';
    entry.lines = [entry.record];
  }
}

/** An entry whose record is the whole message shows it already. */
function showText(entry: ClaudeEntry, form: 'prompt' | 'note', lines: readonly number[]): void {
  if (lines.length === 1 && lines[0] === entry.record) return;
  entry.form = form;
  entry.lines = lines;
}

/** Adds the entries that show each message to it: those of its results, and that of its text. */
function addEntries(
  messages: readonly Parts[],
  results: readonly ClaudeEntry[],
  texts: readonly ClaudeEntry[],
): readonly Piece[] {
  let result = 0;
  let text = 0;
  return messages.map(({ piece, results: own, others }) => {
    const entries = results.slice(result, result + own.length);
    result += own.length;
    if (others.length === 0) return { ...piece, entries };
    text += 1;
    return { ...piece, entries: [...entries, ...texts.slice(text - 1, text)] };
  });
}

/** The place of a message without an entry of its own comes after those of a model and of a prompt. */
const NEW_PLACE = 3;
