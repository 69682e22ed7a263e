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

/** The position of an object's member: key and value with their quotes. `key`: as JSON.parse reads it. */
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
 * Reads the JSON value that begins at `start`, strictly, but for its flaws: its lines may be broken, and it may hold
 * control characters, NUL bytes, byte order marks, and backslashes that begin no escape.
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
  private readonly containers: Container[] = [];
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
      else this.readNext(this.bytes[this.at] ?? 0);
    }
    const { state, at: end, members, containers: open, openText } = this;
    return { state, end, flaws: this.flaws.found, members, open, openText };
  }

  private readNext(byte: number): void {
    switch (this.expected) {
      case 'value':
        return this.readValue(byte);
      case 'first item':
        return byte === BRACKET_END ? this.endContainer() : this.readValue(byte);
      case 'first key':
        return byte === BRACE_END ? this.endContainer() : this.readKey(byte);
      case 'key':
        return this.readKey(byte);
      case 'colon':
        return byte === COLON ? this.pass('value') : this.stop();
      case 'comma or end':
        return this.readAfterValue(byte);
    }
  }

  /** Moves past one byte that was expected. */
  private pass(next: Expected): void {
    this.at += 1;
    this.expected = next;
  }

  /** Ends reading before a byte that JSON does not have here. */
  private stop(): void {
    this.state = 'broken';
  }

  private readValue(byte: number): void {
    const container = this.containers.at(-1);
    if (container) container.start = this.at;
    if (byte === BRACE || byte === BRACKET) return this.beginContainer(byte === BRACKET);
    return byte === QUOTE ? this.readText() : this.readToken();
  }

  private beginContainer(isList: boolean): void {
    this.pass(isList ? 'first item' : 'first key');
    this.containers.push({ isList, key: null, keyStart: this.at, start: this.at, end: this.at });
  }

  private endContainer(): void {
    this.containers.pop();
    this.at += 1;
    this.endValue();
  }

  private readAfterValue(byte: number): void {
    const isList = this.containers.at(-1)?.isList ?? false;
    if (byte === COMMA) return this.pass(isList ? 'value' : 'key');
    return byte === (isList ? BRACKET_END : BRACE_END) ? this.endContainer() : this.stop();
  }

  /** A value ends before the next byte: the whole one, an item, or a member. */
  private endValue(): void {
    const container = this.containers.at(-1);
    if (!container) {
      this.state = 'whole';
      return;
    }
    container.end = this.at;
    this.expected = 'comma or end';
    const { key, keyStart, start } = container;
    const isMember = this.containers.length === 1 && key !== null;
    if (isMember) this.members.push({ key, keyStart, start, end: this.at });
  }

  private readKey(byte: number): void {
    if (byte !== QUOTE) return this.stop();
    const container = this.containers.at(-1);
    const start = this.at;
    if (!this.readString('key') || !container) return;
    container.key = this.flaws.readKey(start + 1, this.at - 1);
    container.keyStart = start;
    this.expected = 'colon';
  }

  private readText(): void {
    if (this.readString('text')) this.endValue();
  }

  /** Moves past the closing quote. Returns false if there is none: then reading ends here. */
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
      if (byte < SPACE) at = flaws.noteControl(at, kind);
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
    return { next: this.flaws.noteBackslash(start), kind: 'whole' };
  }

  /** Reads a number, or one of the words that JSON has. */
  private readToken(): void {
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
    else if (TOKEN.test(token)) this.endValue();
    else {
      this.at = start;
      this.state = 'broken';
    }
  }
}

/** The tokens with which JSON may go on. */
type Expected = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'comma or end';

/** An object or list that is being read. */
interface Container extends OpenContainer {
  key: string | null;
  /** Where the key begins that was read last, and where its value does. */
  keyStart: number;
  start: number;
  end: number;
}

/**
 * An escape that was read. `half`: the other half of the character has to follow. `none`: it is cut off, or broken in two
 * and no escape.
 */
interface Escape {
  readonly next: number;
  readonly kind: 'whole' | 'half' | 'none';
}
