import { formatTextPath } from '#analysis/secrets/secrets-in-entry.js';
import type { RecordMembers } from '#session/agents/record-members.js';

/** A name, a string or a number of a JSON text, as it is written: `start` and `end` enclose its quotes. */
export interface JsonToken {
  readonly kind: 'key' | 'text' | 'number';
  readonly start: number;
  readonly end: number;
  /** The object or list that holds it. */
  readonly frame: Frame;
  /** The token's own key, or the key or index of its value. */
  readonly key: string | number;
}

/** An object or a list in a JSON text, or the whole text. */
interface Frame {
  /** The frame around it; null for the whole text. */
  readonly up: Frame | null;
  /** The key or the index of it in the frame around it. */
  readonly key: string | number;
  /** The object is a tool's or an extension's, and readers of a session do not depend on it. */
  readonly isFree: boolean;
  /** The keys of the object are names from a user or a tool. */
  readonly hasNames: boolean;
  /** The `type` of an object, once it was read. */
  type: string | null;
}

/** An object or a list whose end was not read yet. */
interface OpenFrame extends Frame {
  readonly up: OpenFrame | null;
  /** The key or the index of the value that is read next. */
  next: string | number;
  /** The next string is a key. */
  awaitsKey: boolean;
}

/** The members of objects whose values are not those of the format. */
type FreeMembers = Pick<RecordMembers, 'free' | 'named'>;

/**
 * The tokens of a text that is JSON, in order, repeated keys included. Not recursive: JSON may be nested deeper than
 * a call stack.
 */
export function* readJsonTokens(text: string, members: FreeMembers): Generator<JsonToken> {
  let open: OpenFrame = openFrame(null, true, members);
  for (let at = 0; at < text.length;) {
    const character = text[at];
    switch (character) {
      case '{':
      case '[':
        open = openFrame(open, character === '[', members);
        break;
      case '}':
      case ']':
        open = open.up ?? open;
        break;
      case ',':
        if (typeof open.next === 'number') open.next += 1;
        else open.awaitsKey = true;
        break;
      case '"': {
        const end = findStringEnd(text, at);
        yield readStringToken(open, text, { start: at, end });
        at = end;
        continue;
      }
      default:
        if (character !== '-' && !isDigit(character)) break;
        NUMBER.lastIndex = at;
        NUMBER.test(text);
        yield { kind: 'number', start: at, end: NUMBER.lastIndex, frame: open, key: open.next };
        at = NUMBER.lastIndex;
        continue;
    }
    at += 1;
  }
}

const NUMBER = /-?[\d.eE+-]*/y;

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

function openFrame(up: OpenFrame | null, isList: boolean, { free, named }: FreeMembers): OpenFrame {
  const key = up?.next ?? 0;
  return {
    up,
    key,
    isFree: up !== null && (up.isFree || free.has(key)),
    hasNames: up !== null && (up.hasNames || named.has(key)),
    type: null,
    next: isList ? 0 : '',
    awaitsKey: !isList,
  };
}

function readStringToken(
  open: OpenFrame,
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): JsonToken {
  if (open.awaitsKey) {
    open.awaitsKey = false;
    open.next = readJsonString(text, start, end);
    return { kind: 'key', start, end, frame: open, key: open.next };
  }
  if (open.next === 'type') open.type = readJsonString(text, start, end);
  return { kind: 'text', start, end, frame: open, key: open.next };
}

function findStringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** The value of the string between `start` and `end`, its quotes included. */
export function readJsonString(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  // The text between quotes is always a string.
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** Maps characters of the string that begins at `start` to their offsets. Call it with rising places. */
export function buildOffsetMap(text: string, start: number): (place: number) => number {
  let read = 0;
  let at = start + 1;
  return (place) => {
    for (;;) {
      const escape = text.indexOf('\\', at);
      if (escape === -1 || escape - at >= place - read) return at + place - read;
      read += escape - at + 1;
      at = escape + (text[escape + 1] === 'u' ? UNICODE_ESCAPE : SHORT_ESCAPE);
    }
  };
}

const UNICODE_ESCAPE = 6;

const SHORT_ESCAPE = 2;

/** `message.content[0].text`; `shown` formats a key. */
export function describePlace({ frame, key, kind }: JsonToken, shown: (key: string) => string): string {
  const steps = [key];
  for (let at = frame; at.up?.up && steps.length <= MOST_STEPS; at = at.up) steps.push(at.key);
  const isCut = steps.length > MOST_STEPS;
  const last = steps.slice(0, MOST_STEPS).toReversed();
  const place = formatTextPath(last.map((step) => (typeof step === 'number' ? step : shown(step))));
  return `${isCut ? '….' : ''}${place}${kind === 'key' ? ' (the key)' : ''}`;
}

/** JSON may be nested deeper than a reader can follow. */
const MOST_STEPS = 40;
