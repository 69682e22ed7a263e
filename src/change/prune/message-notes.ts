import { createHash } from 'node:crypto';
import { readMessageText } from '#analysis/facts/text.js';
import { formatBytes } from '#base/numbers.js';
import type { HistoryItem } from './history.js';

/** The size of a text: `240 lines, 9.1 kB`. */
export function describeSize(text: string): string {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return `${pluralizePlain(lines, 'line')}, ${formatBytes(encoder.encode(text).length)}`;
}

const encoder = new TextEncoder();

/** Tokens: `812 tokens`, `3.1k tokens`. */
export function describeTokens(tokens: number): string {
  if (tokens < 1000) return pluralizePlain(tokens, 'token');
  const thousands = tokens / 1000;
  return `${thousands.toFixed(thousands < 9.95 ? 1 : 0)}k tokens`;
}

/** A short hash that identifies a text: `sha256 1a2b3c4d`. */
export function describeHash(text: string): string {
  return `sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/** The command that prints the full message: `ctx cat 019b2f4e-1c3d 3f12b25a`; its location if no command names it. */
export function describeLocation({
  from: { entryId, line },
  sessionId,
}: Pick<HistoryItem, 'from' | 'sessionId'>): string {
  if (entryId === null) return `line ${line} of this session's file`;
  const session = UUID.test(sessionId) ? sessionId.slice(0, UUID_TIME_CHARACTERS) : sessionId;
  return [session, entryId].every((word) => ARGUMENT.test(word))
    ? `ctx cat ${session} ${entryId}`
    : `entry ${entryId} of this session`;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** The characters of a UUID that hold its time to the millisecond, so that they identify a session. */
const UUID_TIME_CHARACTERS = 13;

/** A word that a shell leaves as it is, and that is no flag. */
const ARGUMENT = /^\w[\w.-]*$/;

/** `1 turn old`, `6 turns old`. */
export function describeAge(age: number): string {
  return `${pluralizePlain(age, 'turn')} old`;
}

/** A number without separators of thousands, as all notes have it: a model reads them, and they are part of a context. */
function pluralizePlain(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}

/** Whether a note in the message names the location of the full one, also as notes did before they named a command. */
export function isShortened(item: HistoryItem): boolean {
  const text = readMessageText(item.message);
  return text.includes(describeLocation(item)) || text.includes(`entry ${item.from.entryId} of this session`);
}
