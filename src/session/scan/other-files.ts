import { CtxError } from '#base/errors.js';
import { asString, isObject, type JsonObject, parseJson } from '#base/json.js';
import { toShellWord } from '#base/shell.js';
import type { ByteSource } from './byte-source.js';
import { DATABASES, SQLITE } from './known-databases.js';
import { EVENT_OF_PI, KNOWN_FILES, type KnownFile, OUTPUT_OF_PI } from './known-files.js';
import { PI_TYPES } from './line-scanner.js';

/** A file whose beginning shows that it is not a session that ctx reads. */
export interface OtherFile extends Pick<KnownFile, 'what' | 'format' | 'hint' | 'isLog'> {
  /** The version of the format that the file names; null if it names none. */
  readonly foundVersion: string | null;
  /**
   * `torn`: no record of it is whole. `guessed`: by its first characters, with which a damaged session may begin as
   * well. `compressed`: by another program.
   */
  readonly state: 'whole' | 'torn' | 'guessed' | 'compressed';
}

/** The first bytes of a file that tell what it is. */
const BEGINNING_BYTES = 1 << 16;
/** The first characters that are searched where no line is an object. */
const GUESSED_CHARACTERS = 4096;
const MOST_LINES = 20;

/** The kind of a file by its first bytes; null if it is one of Pi, damaged or not, or if the kind is unknown. */
export function detectOtherFile(bytes: Uint8Array): OtherFile | null {
  const compressed = detectCompression(bytes);
  if (compressed) return compressed;
  const beginning = decodeBeginning(bytes);
  if (beginning.trim() === '') return null;
  if (!beginning.startsWith(SQLITE)) return detectText(beginning);
  const database = findKind(DATABASES, [beginning]);
  return database ? { ...database, foundVersion: null, state: 'whole' } : null;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of the first bytes of a file, which may end within a character. */
function decodeBeginning(bytes: Uint8Array): string {
  const beginning = decoder.decode(bytes, { stream: true });
  decoder.decode();
  return beginning;
}

function detectText(beginning: string): OtherFile | null {
  const lines = beginning
    .replace(/^\ufeff/, '')
    .split('\n', MOST_LINES)
    .flatMap(listObject);
  if (lines.some(isHeader))
    return isOutputAfterHeader(lines) ? { ...OUTPUT_OF_PI, foundVersion: null, state: 'whole' } : null;
  const others = lines.filter((line) => !isEntryOfPi(line));
  const isDamagedPi = OF_PI.test(beginning);
  const hasLines = lines.length > 0;
  const texts = hasLines || isDamagedPi ? others.map(formatOutline) : [beginning.slice(0, GUESSED_CHARACTERS)];
  const kind = findKind(KNOWN_FILES, texts);
  if (kind)
    return { ...kind, foundVersion: findVersion(kind, texts), state: kind.isRead && !hasLines ? 'torn' : 'whole' };
  const mayBePi = others.length < lines.length || isDamagedPi || BEGINS_JSON.test(beginning);
  return mayBePi ? null : { what: guessWhat(beginning), foundVersion: null, state: 'guessed' };
}

/** Finds the first kind whose sign is in one of the texts. */
function findKind(kinds: readonly KnownFile[], texts: readonly string[]): KnownFile | undefined {
  return kinds.find(({ sign }) => texts.some((text) => sign.test(text)));
}

/** The version that the texts name; null if they name none. */
function findVersion({ version }: KnownFile, texts: readonly string[]): string | null {
  return texts.flatMap((text) => version?.exec(text)?.[1] ?? [])[0] ?? null;
}

/** The beginning of a header, or of an entry of Pi, also in a damaged line. */
const OF_PI = new RegExp(`\\{\\s*"type"\\s*:\\s*"(?:session|${PI_TYPES.join('|')})"`);
const BEGINS_JSON = /^[\s\ufeff\0]*(?:[{["\d]|(?:null|true|false)\s|$)/;

function guessWhat(beginning: string): string {
  if (/[\0\ufffd]/.test(beginning)) return 'a binary file';
  return MARKDOWN.test(beginning) ? 'Markdown' : 'plain text';
}

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
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : value;
}

/** A compressed file, as Codex writes old rollouts. */
function detectCompression(bytes: Uint8Array): OtherFile | null {
  const beginning = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  const found = COMPRESSED.find(({ magic }) => beginning.startsWith(magic));
  if (!found) return null;
  const { program } = found;
  const hint = `decompress it: ${program} -dc FILE | ctx show -`;
  return { what: `compressed with ${program}`, hint, foundVersion: null, state: 'compressed' };
}

const COMPRESSED = [
  { magic: '28b52ffd', program: 'zstd' },
  { magic: '1f8b', program: 'gzip' },
];

/** States that no reader knows a file. */
export const UNKNOWN_FORMAT = 'neither a Pi session nor one of another agent that ctx reads';
export const LIST_SESSIONS_HINT = 'list the sessions that ctx reads: ctx ls --agent all';
const ADD_THE_FORMAT =
  'convert it to ATIF, which ctx reads; or add the format: docs/contributing/add-an-agent.md in the source of ctx';

const RESTORE_IT = 'restore it from a copy, such as one of ctx archive, or begin a new session';

/** Throws a CtxError (input) for a file that another program writes, and unless `isSession`, for text and the like. */
export function refuseOtherFile(source: ByteSource, file: string, { isSession = false } = {}): void {
  const other = detectOtherFile(readBeginning(source));
  if (!other || (isSession && other.state === 'guessed')) return;
  const hint = other.hint?.replace('FILE', () => toShellWord(file)) ?? adviseOn(other);
  throw new CtxError('input', describeOther(other), { where: file, hint });
}

function describeOther({ what, format, foundVersion, state }: OtherFile): string {
  if (state === 'compressed') return `the file is ${what}`;
  const version = foundVersion === null ? null : `version ${foundVersion}`;
  const details = [format, version].filter(Boolean).join(', ');
  const named = details === '' ? what : `${what} (${details})`;
  if (state === 'torn') return `this looks like ${named}, of which no record is whole`;
  const isSession = format !== undefined;
  return `this looks like ${named}, ${isSession ? 'in a format that ctx does not read' : 'not a session'}`;
}

/** The advice for a kind of file that has none of its own. */
function adviseOn({ format, state }: OtherFile): string {
  if (state === 'torn') return RESTORE_IT;
  return format === undefined ? LIST_SESSIONS_HINT : ADD_THE_FORMAT;
}

/** Tests whether the beginning of a file has a header or an entry of Pi, possibly in a damaged line. */
export function hasPiLine(source: ByteSource): boolean {
  const beginning = decodeBeginning(readBeginning(source));
  return OF_PI.test(beginning) || beginning.split('\n', MOST_LINES).flatMap(listObject).some(isEntryOfPi);
}

function readBeginning(source: ByteSource): Uint8Array {
  return source.read(0, Math.min(BEGINNING_BYTES, source.size));
}
