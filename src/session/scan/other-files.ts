import { CtxError } from '#base/errors.js';
import { asString, isObject, type JsonObject, parseJson } from '#base/json.js';
import { toShellWord } from '#base/shell.js';
import type { ByteSource } from './byte-source.js';
import { DATABASES, EVENT_OF_PI, KNOWN_FILES, type KnownFile, type OtherFile } from './known-files.js';
import { PI_TYPES } from './line-scanner.js';

/** The first bytes of a file that tell what it is. */
const BEGINNING_BYTES = 1 << 16;
/** The first characters that are searched where no line is an object. */
const GUESSED_CHARACTERS = 4096;
const MOST_LINES = 20;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The kind of a file that is not a session; null if it is one of Pi, damaged or not, or if the kind is unknown. */
function detectSource(source: ByteSource): OtherFile | null {
  return detectOtherFile(source.read(0, Math.min(BEGINNING_BYTES, source.size)));
}

/** The kind of a file by its first bytes; null as for `detectSource`. */
export function detectOtherFile(bytes: Uint8Array): OtherFile | null {
  const compressed = detectCompression(bytes);
  if (compressed) return compressed;
  const beginning = decoder.decode(bytes, { stream: true });
  decoder.decode();
  if (beginning.trim() === '') return null;
  if (beginning.startsWith(SQLITE)) return nameFile(DATABASES, [beginning]) ?? ANY_DATABASE;
  const lines = beginning
    .replace(/^\ufeff/, '')
    .split('\n', MOST_LINES)
    .flatMap(listObject);
  if (lines.some(isHeader)) return isOutputAfterHeader(lines) ? (KNOWN_FILES[0] ?? null) : null;
  const entries = lines.filter(isEntryOfPi);
  const signs = lines.filter((line) => !isEntryOfPi(line)).map(formatOutline);
  if (lines.length === 0 && !OF_PI.test(beginning)) signs.push(beginning.slice(0, GUESSED_CHARACTERS));
  const known = nameFile(KNOWN_FILES, signs);
  if (known) return known.isRead && lines.length === 0 ? { ...known, isTorn: true } : known;
  return entries.length > 0 || OF_PI.test(beginning) || BEGINS_JSON.test(beginning) ? null : guessFile(beginning);
}

const SQLITE = 'SQLite format 3\0';
const ANY_DATABASE: OtherFile = { what: 'an SQLite database' };

/** The first kind of file of which one of the texts has the sign, with the version that the texts name. */
function nameFile(kinds: readonly KnownFile[], texts: readonly string[]): OtherFile | null {
  const kind = kinds.find(({ sign }) => texts.some((text) => sign.test(text)));
  if (!kind) return null;
  const versions = texts.flatMap((text) => kind.version?.exec(text)?.[1] ?? []);
  return { ...kind, ...(versions[0] !== undefined && { foundVersion: versions[0] }) };
}
/** The beginning of a header, or of an entry of Pi, also in a damaged line. */
const OF_PI = new RegExp(`\\{\\s*"type"\\s*:\\s*"(?:session|${PI_TYPES.join('|')})"`);
const BEGINS_JSON = /^[\s\ufeff\0]*(?:[{["\d]|(?:null|true|false)\s|$)/;
const MARKDOWN = /^\s*(?:#{1,6} |```|---\r?\n|\[!\[|<!--)/;

function listObject(line: string): readonly JsonObject[] {
  const value = parseJson(line);
  return isObject(value) ? [value] : [];
}

function isHeader({ type }: JsonObject): boolean {
  return type === 'session';
}

/** Entries of version 1 have neither id nor parent. */
function isEntryOfPi(line: JsonObject): boolean {
  const { type, message } = line;
  return type === 'message' ? isObject(message) : PI_TYPES.includes(asString(type) ?? '') && 'timestamp' in line;
}

function isOutputAfterHeader(lines: readonly JsonObject[]): boolean {
  return isPiEvent(lines[lines.findIndex(isHeader) + 1]);
}

/** Tests whether a line is an event that Pi prints: no entry of Pi has such a type, and events have no id. */
export function isPiEvent(line: unknown): boolean {
  return isObject(line) && !('id' in line) && EVENT_OF_PI.test(formatOutline(line));
}

/** The JSON of an object without what is inside of its values. */
function formatOutline(line: JsonObject): string {
  return JSON.stringify(Object.fromEntries(Object.entries(line).map(([key, value]) => [key, toEmptyValue(value)])));
}

function toEmptyValue(value: unknown): unknown {
  return Array.isArray(value) ? [] : isObject(value) ? {} : value;
}

function guessFile(beginning: string): OtherFile {
  const what = /[\0\ufffd]/.test(beginning) ? 'a binary file' : MARKDOWN.test(beginning) ? 'Markdown' : 'plain text';
  return { what, isGuess: true };
}

/** A compressed file, as Codex writes old rollouts. */
function detectCompression(bytes: Uint8Array): OtherFile | null {
  const begin = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  const [, program] = COMPRESSED.find(([magic]) => begin.startsWith(magic)) ?? [];
  return program === undefined
    ? null
    : { what: `compressed with ${program}`, hint: `decompress it: ${program} -dc FILE | ctx show -` };
}

const COMPRESSED = [
  ['28b52ffd', 'zstd'],
  ['1f8b', 'gzip'],
] as const;

/** States that no reader knows a file. */
export const UNKNOWN_FORMAT = 'neither a Pi session nor one of another agent that ctx reads';
export const LIST_SESSIONS_HINT = 'list the sessions that ctx reads: ctx ls --agent all';
const ADD_THE_FORMAT =
  'convert it to ATIF, which ctx reads; or add the format: docs/contributing/add-an-agent.md in the source of ctx';

const RESTORE_IT = 'restore it from a copy, such as one of ctx archive, or begin a new session';

/** The error for a file that is not a session. */
function buildOtherFileError(file: string, { what, format, foundVersion, hint, isTorn }: OtherFile): CtxError {
  const isSession = /(?:session|task|trajectory|history)$/.test(what);
  const details = [format, foundVersion === undefined ? null : `version ${foundVersion}`].filter(Boolean).join(', ');
  const named = details === '' ? what : `${what} (${details})`;
  const rest = isTorn
    ? 'of which no record is whole'
    : isSession
      ? 'in a format that ctx does not read'
      : 'not a session';
  const message = what.startsWith('compressed') ? `the file is ${what}` : `this looks like ${named}, ${rest}`;
  const otherwise = isTorn ? RESTORE_IT : isSession ? ADD_THE_FORMAT : LIST_SESSIONS_HINT;
  return new CtxError('input', message, { where: file, hint: hint?.replace('FILE', toShellWord(file)) ?? otherwise });
}

/** Throws a CtxError (input) for a file that another program writes, and unless `isSession`, for text and the like. */
export function refuseOtherFile(source: ByteSource, file: string, { isSession = false } = {}): void {
  const other = detectSource(source);
  if (other && !(isSession && other.isGuess)) throw buildOtherFileError(file, other);
}

/** Tests whether the beginning of a file has a header or an entry of Pi, possibly in a damaged line. */
export function hasPiLine(source: ByteSource): boolean {
  const beginning = decoder.decode(source.read(0, Math.min(BEGINNING_BYTES, source.size)), { stream: true });
  decoder.decode();
  return OF_PI.test(beginning) || beginning.split('\n', MOST_LINES).flatMap(listObject).some(isEntryOfPi);
}
