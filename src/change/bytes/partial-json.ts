import { BACKSLASH, BRACE, BRACE_END, BRACKET, BRACKET_END, COLON, COMMA, LOWER_U, QUOTE, SPACE } from './ascii.js';
import { FlawCollector, type JsonFlaw } from './flaws.js';

/** One JSON value, or what there is of it. */
export interface PartialJson {
  /** `cut`: the bytes end in the middle of it. `broken`: it goes on with a byte that JSON does not have there. */
  readonly state: 'whole' | 'cut' | 'broken';
  /** Behind the value, or where reading stopped. */
  readonly end: number;
  /** The flaws that keep the value from being JSON, in order. */
  readonly flaws: readonly JsonFlaw[];
  /** The whole members of the value, if it is an object. */
  readonly members: readonly Member[];
  /** The objects and lists that are not closed, outermost first. */
  readonly open: readonly OpenContainer[];
  /** A string value that is not closed: where its text begins, and up to where it surely is text. */
  readonly openText: { readonly start: number; readonly end: number } | null;
}

/** The position of an object's member: key and value with their quotes. The key is raw, its escapes not decoded. */
interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
}

export interface OpenContainer {
  readonly isList: boolean;
  /** The key that was read last; null in a list. */
  readonly key: string | null;
  /** Behind the last item or member that is whole. */
  readonly end: number;
}

/**
 * Reads the JSON value that begins at `start`, strictly, but for what Flaws lists: its lines may be broken, and it may
 * hold control characters, NUL bytes and byte order marks.
 */
export function readPartialJson(bytes: Uint8Array, start: number, limit = bytes.length): PartialJson {
  return new ValueReader(bytes, start, limit).read();
}

const SIMPLE_ESCAPES: Uint8Array = new TextEncoder().encode('"\\/bfnrt');
const TOKEN = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const TOKEN_LETTER = /[-+.\da-z]/i;
const HEX_DIGIT = /[\da-f]/i;
const HIGH_SURROGATE = /^d[89ab]/i;

class ValueReader {
  private at: number;
  private expected: Expected = 'value';
  private readonly places: Place[] = [];
  private readonly members: Member[] = [];
  private readonly flaws: FlawCollector;
  private openText: PartialJson['openText'] = null;
  private state: PartialJson['state'] | null = null;

  constructor(
    private readonly bytes: Uint8Array,
    start: number,
    private readonly limit: number,
  ) {
    this.at = start;
    this.flaws = new FlawCollector(bytes, limit);
  }

  read(): PartialJson {
    while (this.state === null) {
      this.at = this.flaws.skipGap(this.at);
      if (this.at >= this.limit) this.state = 'cut';
      else this.step(this.bytes[this.at] ?? 0);
    }
    const { state, at: end, members, places: open, openText } = this;
    return { state, end, flaws: this.flaws.found, members, open, openText };
  }

  private step(byte: number): void {
    const { expected } = this;
    if (expected === 'colon') return byte === COLON ? this.take('value') : this.break();
    if (expected === 'next') return this.takeNext(byte);
    const isEmpty = byte === (expected === 'first item' ? BRACKET_END : BRACE_END);
    if (isEmpty && expected !== 'value' && expected !== 'key') return this.close();
    if (expected === 'first key' || expected === 'key') return byte === QUOTE ? this.takeKey() : this.break();
    const place = this.places.at(-1);
    if (place) place.start = this.at;
    if (byte === BRACE || byte === BRACKET) return this.open(byte === BRACKET);
    if (byte === QUOTE) return this.takeText();
    return this.takeToken();
  }

  private take(expected: Expected): void {
    this.at += 1;
    this.expected = expected;
  }

  private break(): void {
    this.state = 'broken';
  }

  private open(isList: boolean): void {
    this.take(isList ? 'first item' : 'first key');
    this.places.push({ isList, key: null, keyStart: this.at, start: this.at, end: this.at });
  }

  private close(): void {
    this.places.pop();
    this.at += 1;
    this.valueIsWhole();
  }

  private takeNext(byte: number): void {
    const isList = this.places.at(-1)?.isList ?? false;
    if (byte === COMMA) return this.take(isList ? 'value' : 'key');
    return byte === (isList ? BRACKET_END : BRACE_END) ? this.close() : this.break();
  }

  private valueIsWhole(): void {
    const place = this.places.at(-1);
    if (!place) {
      this.state = 'whole';
      return;
    }
    place.end = this.at;
    this.expected = 'next';
    if (this.places.length === 1 && place.key !== null)
      this.members.push({ key: place.key, keyStart: place.keyStart, start: place.start, end: this.at });
  }

  private takeKey(): void {
    const place = this.places.at(-1);
    const start = this.at;
    if (!this.readString('key') || !place) return;
    place.key = this.flaws.readText(start + 1, this.at - 1);
    place.keyStart = start;
    this.expected = 'colon';
  }

  private takeText(): void {
    if (this.readString('text')) this.valueIsWhole();
  }

  /** Moves past the closing quote. false: there is none, and reading ends here. */
  private readString(kind: 'key' | 'text'): boolean {
    const { bytes, limit, flaws } = this;
    const start = this.at + 1;
    let at = start;
    /** Behind the last character that is whole. */
    let end = at;
    while (at < limit) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.at = at + 1;
        return true;
      }
      if (byte < SPACE) at = flaws.take(at, kind);
      else if (byte !== BACKSLASH) at += 1;
      else {
        const escape = this.readEscape(at);
        at = escape.next;
        if (escape.kind === 'none') break;
        if (escape.kind === 'half') continue;
      }
      end = at;
    }
    this.at = at;
    this.state = at < limit ? 'broken' : 'cut';
    if (kind === 'text') this.openText = { start, end };
    return false;
  }

  private readEscape(start: number): Escape {
    const { bytes, limit, flaws } = this;
    let at = flaws.skipBreaks(start + 1);
    if (at < limit && SIMPLE_ESCAPES.includes(bytes[at] ?? 0)) return { next: at + 1, kind: 'whole' };
    if (at < limit && bytes[at] !== LOWER_U) return this.passBackslash(start, at);
    let digits = '';
    while (digits.length < 4) {
      at = flaws.skipBreaks(at + 1);
      if (at >= limit) return { next: limit, kind: 'none' };
      const digit = String.fromCharCode(bytes[at] ?? 0);
      if (!HEX_DIGIT.test(digit)) return this.passBackslash(start, at - digits.length - 1);
      digits += digit;
    }
    return { next: at + 1, kind: HIGH_SURROGATE.test(digits) ? 'half' : 'whole' };
  }

  /** Skips a backslash that begins no escape, unless a line break separates it from the next character. */
  private passBackslash(start: number, next: number): Escape {
    if (next !== start + 1) return { next: start, kind: 'none' };
    return { next: this.flaws.takeBackslash(start), kind: 'whole' };
  }

  /** A number, or one of the words that JSON has. */
  private takeToken(): void {
    const { bytes, limit, flaws } = this;
    const start = this.at;
    let token = '';
    while (this.at < limit) {
      const letter = String.fromCharCode(bytes[this.at] ?? 0);
      if (!TOKEN_LETTER.test(letter)) break;
      token += letter;
      this.at = flaws.skipBreaks(this.at + 1);
    }
    // A value that ends here could be incomplete.
    if (this.at >= limit) this.state = 'cut';
    else if (TOKEN.test(token)) this.valueIsWhole();
    else {
      this.at = start;
      this.state = 'broken';
    }
  }
}

/** The tokens with which JSON may go on. */
type Expected = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'next';

/** An object or list that is being read. */
interface Place {
  readonly isList: boolean;
  key: string | null;
  keyStart: number;
  start: number;
  end: number;
}

/** `half`: the other half of the character has to follow. `none`: it is cut off, or broken in two and no escape. */
interface Escape {
  readonly next: number;
  readonly kind: 'whole' | 'half' | 'none';
}
