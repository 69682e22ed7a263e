import { asObject, isObject, type JsonObject, parseJson } from '#base/json.js';
import { readRepairedText } from '../bytes/flaws.js';
import { type OpenContainer, type PartialJson, readPartialJson } from '../bytes/partial-json.js';

/** An entry that breaks off, with the text that closes it. */
export interface ClosedEntry {
  /** The offset after the last byte that is kept. */
  readonly end: number;
  readonly closing: string;
  readonly value: PartialJson;
  readonly entry: JsonObject;
}

/**
 * Closes an entry that breaks off before `end`, if a part of it is worth keeping: the beginning of a text, whole blocks,
 * a header. No text is invented. Returns null if nothing is worth keeping.
 */
export function closeEntry(bytes: Uint8Array, start: number, end: number): ClosedEntry | null {
  const value = readPartialJson(bytes, start, end);
  for (const cut of listCuts(bytes, value)) {
    const entry = parseJson(readRepairedText(bytes, { start, end: cut.end, flaws: value.flaws }) + cut.closing);
    if (isWorthKeeping(entry, cut)) return { ...addUsage(entry, cut), value, entry };
  }
  return null;
}

/** The readable part of an entry. */
export function readEntryStart(bytes: Uint8Array, start: number, end: number): JsonObject {
  const { open, flaws } = readPartialJson(bytes, start, end);
  const entry = open[0] && parseJson(`${readRepairedText(bytes, { start, end: open[0].end, flaws })}}`);
  return asObject(entry);
}

/** A place where an entry can be closed. */
interface Cut {
  readonly end: number;
  readonly closing: string;
  /** The number of objects and lists to close. */
  readonly depth: number;
  /** Whether the last block is incomplete. */
  readonly isInBlock: boolean;
  /** The text that closes the parts of the message, before the message itself. */
  readonly inner: string;
}

/** Lists the places where an entry can be closed, from the one that keeps most to the one that keeps least. */
function* listCuts(bytes: Uint8Array, { open, openText }: PartialJson): Generator<Cut> {
  const keys = open.map(({ isList, key }) => (isList ? LIST : key));
  const depth = countClosableParts(keys);
  if (openText && depth === open.length && TEXTS.has(keys.join('.')))
    yield buildCut(open, findCharacterEnd(bytes, openText), '"');
  for (let at = depth; at > 0; at -= 1) {
    const place = open[at - 1];
    if (place) yield buildCut(open.slice(0, at), place.end, '');
  }
}

const LIST = '[]';

/** The places of text that can break off, as the keys that lead there. */
const TEXTS: ReadonlySet<string> = new Set([
  'message.content',
  'message.content.[].text',
  'message.output',
  'content',
  'content.[].text',
  'summary',
]);

/** Parts that may be closed before they are complete; the last part of each is a block of content. */
const PARTS: readonly (readonly (string | null)[])[] = [
  ['message', 'content', LIST, 'a block'],
  ['content', LIST, 'a block'],
];

/** The number of open objects and lists, from the outermost on, that can be closed. */
function countClosableParts(keys: readonly (string | null)[]): number {
  const depths = PARTS.map((parts) => {
    let depth = 1;
    while (depth < parts.length && depth < keys.length && keys[depth - 1] === parts[depth - 1]) depth += 1;
    return depth;
  });
  return Math.min(
    keys.length,
    depths.reduce((one, other) => Math.max(one, other), 0),
  );
}

function buildCut(open: readonly OpenContainer[], end: number, quote: string): Cut {
  const ends = open.map(({ isList }) => (isList ? ']' : '}')).toReversed();
  const isInBlock = open.length > 2 && open.at(-2)?.isList === true;
  const inner = quote + ends.slice(0, -2).join('');
  return { end, closing: quote + ends.join(''), depth: open.length, isInBlock, inner };
}

/** Text may break off in the middle of a character. */
function findCharacterEnd(bytes: Uint8Array, { start, end }: { readonly start: number; readonly end: number }): number {
  for (let at = end - 1; at >= Math.max(start, end - 4); at -= 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) return end;
    if (byte < 0xc0) continue;
    return at + countCharacterBytes(byte) > end ? at : end;
  }
  return end;
}

/** The bytes of a character in UTF-8 that begins with a byte, and has more than one. */
function countCharacterBytes(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}

function isWorthKeeping(entry: unknown, cut: Cut): entry is JsonObject {
  if (!isObject(entry)) return false;
  switch (entry.type) {
    case 'session':
      return typeof entry.id === 'string';
    case 'message':
      return isObject(entry.message) && isWorthSending(entry.message, cut);
    case 'custom_message':
      return hasContent(entry, cut);
    case 'branch_summary':
      return isText(entry.summary);
    default:
      // Half a summary of everything, or half a change, is worse than none.
      return false;
  }
}

function isWorthSending(message: JsonObject, cut: Cut): boolean {
  switch (message.role) {
    case 'user':
    case 'assistant':
      return hasContent(message, cut);
    case 'toolResult':
      return typeof message.toolCallId === 'string' && hasContent(message, cut);
    case 'bashExecution':
      return isText(message.command) && isText(message.output);
    default:
      return false;
  }
}

function hasContent({ content }: JsonObject, { isInBlock }: Cut): boolean {
  if (!Array.isArray(content)) return isText(content);
  const last: unknown = content.at(-1);
  return isObject(last) && (!isInBlock || (last.type === 'text' && isText(last.text)));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Pi adds up the usage of all answers without asking whether there is one. */
function addUsage(entry: JsonObject, { end, closing, depth, inner }: Cut): { end: number; closing: string } {
  const { message } = entry;
  const wasCutOff = depth > 1 && isObject(message) && message.role === 'assistant' && !isObject(message.usage);
  return { end, closing: wasCutOff ? `${inner},${NO_USAGE}}}` : closing };
}

const NO_USAGE =
  '"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,' +
  '"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}';
