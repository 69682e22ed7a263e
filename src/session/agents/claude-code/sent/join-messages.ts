import type { JsonObject } from '#base/json.js';
import { readWordsAfterResult } from '../content/attachment-message.js';
import { buildClaudeResult, joinTextBlocks } from '../content/content.js';
import type { ClaudeEntry, ClaudeEntryForm, EntryChange, SentMessage } from '../entries/entries.js';
import { RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';

/** The entries between two answers, as they show the messages that were sent. */
export interface JoinedMessages {
  readonly changes: ReadonlyMap<ClaudeEntry, EntryChange>;
  readonly messages: readonly JoinedMessage[];
}

/** A message that was sent, and the entries that show it: one each result of a call, and one its text. */
interface JoinedMessage {
  readonly message: SentMessage;
  readonly results: readonly ClaudeEntry[];
  /** null for a message without a text. */
  readonly text: JoinedText | null;
}

/** The text of a message. */
interface JoinedText {
  readonly form: 'prompt' | 'note';
  readonly lines: readonly number[];
  /** null for a text that needs a new entry. */
  readonly entry: ClaudeEntry | null;
}

/** The result of a call, in the content of a line. */
interface Result {
  readonly line: number;
  readonly place: number;
  readonly call: number;
}

/** A message, divided into the results of calls and the lines with its other blocks. */
interface Parts {
  readonly message: SentMessage;
  readonly results: readonly Result[];
  readonly others: readonly number[];
}

/**
 * Finds how the entries between two answers show the messages that were sent: one entry for each result of a call, and
 * one for each message. The entries that are left over show nothing. null if the entries have other results. `valueAt`:
 * the value of a line.
 */
export function joinMessages(
  records: ClaudeRecords,
  entries: readonly ClaudeEntry[],
  sent: readonly SentMessage[],
  valueAt: (line: number) => JsonObject,
): JoinedMessages | null {
  const messages = sent.map((message) => splitParts(records, message));
  const results = entries.filter(({ form }) => form === 'result');
  if (!areResultsFirst(messages) || !haveSameCalls(results, messages)) return null;
  const appended = findAppended(entries, messages, valueAt);
  const free = entries.filter((entry) => !appended?.entries.includes(entry));
  const texts = chooseTexts(free, messages);
  const moved = findMovedResults(results, messages, appended?.result ?? null);
  const tagged = new Set(appended?.entries);
  const changes = new Map<ClaudeEntry, EntryChange>();
  for (const entry of entries) {
    const change = tagged.has(entry) ? tagWords(entry) : findChange(entry, moved, texts);
    if (change) changes.set(entry, change);
  }
  return { changes, messages: pairEntries(messages, results, texts) };
}

function splitParts({ blocks }: ClaudeRecords, message: SentMessage): Parts {
  const results = message.lines.flatMap((line) =>
    blocks.listAnsweredCalls(line).map((call, place) => ({ line, place, call })),
  );
  return { message, results, others: message.lines.filter((line) => blocks.hasMoreThanResults(line)) };
}

function areResultsFirst(messages: readonly Parts[]): boolean {
  const first = messages.findIndex(({ others }) => others.length > 0);
  return first === -1 || messages.slice(first + 1).every(({ results }) => results.length === 0);
}

function haveSameCalls(results: readonly ClaudeEntry[], messages: readonly Parts[]): boolean {
  const calls = messages.flatMap((message) => message.results.map(({ call }) => call));
  return results.length === calls.length && results.every(({ call }, at) => call === calls[at]);
}

/** Attachments whose words are at the end of a result. */
interface AppendedWords {
  readonly result: ClaudeEntry;
  readonly entries: readonly ClaudeEntry[];
}

/**
 * Finds the attachments whose words the client appended to the text of the last result. They are shown after it, as
 * messages of their own. null if no words of the user are among them, or if the result has other words.
 */
function findAppended(
  entries: readonly ClaudeEntry[],
  messages: readonly Parts[],
  valueAt: (line: number) => JsonObject,
): AppendedWords | null {
  const at = entries.findLastIndex(({ form }) => form === 'result');
  const result = entries[at];
  const sent = messages.flatMap(({ results }) => results).at(-1);
  if (!sent || !result || sent.line === result.record) return null;
  const textAt = (line: number, place: number): string =>
    joinTextBlocks(buildClaudeResult(valueAt(line), place, '')['content']);
  const appended = entries.slice(at + 1).filter(({ form }) => form === 'queued' || form === 'attachment');
  if (!appended.some(({ form }) => form === 'queued')) return null;
  const words = appended.map(({ record }) => readWordsAfterResult(valueAt(record)) ?? '').join('');
  const isWhole = textAt(sent.line, sent.place) === `${textAt(result.record, result.place)}${words}`;
  return isWhole ? { result, entries: appended } : null;
}

/**
 * Chooses the entries that show the texts of messages, in order. The last text of the user is the prompt, if any of
 * these entries has words of the user.
 */
function chooseTexts(entries: readonly ClaudeEntry[], messages: readonly Parts[]): readonly JoinedText[] {
  const texts = messages.filter(({ others }) => others.length > 0);
  const lastResult = entries.findLastIndex(({ form }) => form === 'result');
  const free = entries.slice(lastResult + 1).filter(({ form }) => TEXTS.has(form));
  const own = free.findLastIndex(({ form }) => form === 'text' || form === 'queued');
  const prompt = own === -1 ? -1 : texts.findLastIndex(({ message }) => message.role === RECORD_TYPE.user);
  const shift = prompt !== -1 && own >= prompt ? own - prompt : 0;
  return texts.map(({ others }, at) => ({
    form: at === prompt ? 'prompt' : 'note',
    lines: others,
    entry: free[at < prompt ? at : at + shift] ?? null,
  }));
}

const TEXTS: ReadonlySet<ClaudeEntryForm> = new Set(['text', 'queued', 'command', 'meta', 'attachment']);

/**
 * Finds the results that were sent from another line than the one of their record, since the client joins its own words
 * to results. `unchanged`: a result that is shown as it is recorded.
 */
function findMovedResults(
  entries: readonly ClaudeEntry[],
  messages: readonly Parts[],
  unchanged: ClaudeEntry | null,
): ReadonlyMap<ClaudeEntry, Result> {
  const moved = new Map<ClaudeEntry, Result>();
  for (const [at, result] of messages.flatMap(({ results }) => results).entries()) {
    const entry = entries[at];
    if (entry && entry !== unchanged && entry.record !== result.line) moved.set(entry, result);
  }
  return moved;
}

function tagWords({ form }: ClaudeEntry): EntryChange | null {
  return form === 'attachment' ? { form: 'tagged' } : null;
}

/** Finds the change of an entry; null if the entry goes on to show its record. */
function findChange(
  entry: ClaudeEntry,
  moved: ReadonlyMap<ClaudeEntry, Result>,
  texts: readonly JoinedText[],
): EntryChange | null {
  const { form, record, target } = entry;
  if (form === 'result') {
    const result = moved.get(entry);
    return result ? { lines: [result.line], place: result.place } : null;
  }
  // A result that is built from what was sent has its replacement already.
  if (form === 'replaced') return target && moved.has(target) ? { form: 'joined', lines: [record] } : null;
  if (!TEXTS.has(form)) return null;
  const text = texts.find((each) => each.entry === entry);
  if (!text) return { form: 'joined' };
  const isWhole = text.lines.length === 1 && text.lines[0] === record;
  return isWhole ? null : { form: text.form, lines: text.lines };
}

/** Puts each message together with the entries that show it. */
function pairEntries(
  messages: readonly Parts[],
  results: readonly ClaudeEntry[],
  texts: readonly JoinedText[],
): readonly JoinedMessage[] {
  let result = 0;
  let text = 0;
  return messages.map(({ message, results: own, others }) => {
    const first = result;
    result += own.length;
    const shown = { message, results: results.slice(first, result) };
    if (others.length === 0) return { ...shown, text: null };
    text += 1;
    return { ...shown, text: texts[text - 1] ?? null };
  });
}
