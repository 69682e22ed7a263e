// AssemblyScript for line-scanner.as.ts and line-fields.as.ts.
//
// Walks a line of JSON without decoding it, and confirms it only if all of it is valid by the grammar. It looks at 64 bytes
// at a time, each byte a bit of a mask: quotes, backslashes, control characters; only the bytes outside of strings are then
// walked token by token. A reader, which is a class without instances, takes what it needs of the tokens.

/** The containers around the current one, a byte for each. */
const STACK: i32 = 8192;
const DEEPEST: i32 = 4000;

/** The next token that the grammar allows. */
const VALUE: i32 = 0;
const FIRST_ITEM: i32 = 1;
const FIRST_KEY: i32 = 2;
const KEY: i32 = 3;
const COLON: i32 = 4;
const NEXT: i32 = 5;
const DONE: i32 = 6;

export const OBJECT: i32 = 1;
export const ARRAY: i32 = 2;

let state: i32 = 0;
/** The number of open containers, and the kind of the innermost one. */
export let depth: i32 = 0;
export let container: i32 = 0;
/** Whether the string is a key, and where its content begins. */
let isKey: bool = false;
export let stringStart: i32 = 0;
/** The end of the last block in which something was escaped. */
export let lastEscape: i32 = 0;
/** Whether the last line is one object of valid JSON, and whether it has no other characters than ASCII. */
export let isWhole: bool = false;
export let isAscii: bool = false;

/** Begins a line. `objects`: the number of open objects, of which the innermost one expects a value. */
export function begin(objects: i32): void {
  state = VALUE;
  container = 0;
  depth = 0;
  lastEscape = 0;
  for (; depth < objects; depth += 1) {
    store<u8>(STACK + depth, <u8>container);
    container = OBJECT;
  }
}

/** Walks the rest of a line. Returns the position after its newline. */
export function walk<Reader>(from: i32): i32 {
  const reader = changetype<Reader>(0);
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  let base = from;
  let high = i8x16.splat(0);
  /** All ones if the block begins inside a string. */
  let inString: u64 = 0;
  let escapesNext: u64 = 0;
  let scalarEnd = base;
  while (true) {
    const a = v128.load(base);
    const b = v128.load(base, 16);
    const c = v128.load(base, 32);
    const d = v128.load(base, 48);
    const allQuotes = bits(i8x16.eq(a, quote), i8x16.eq(b, quote), i8x16.eq(c, quote), i8x16.eq(d, quote));
    let slashes = bits(i8x16.eq(a, backslash), i8x16.eq(b, backslash), i8x16.eq(c, backslash), i8x16.eq(d, backslash));
    const least = i8x16.min_u(i8x16.min_u(a, b), i8x16.min_u(c, d));
    high = v128.or(high, v128.or(v128.or(a, b), v128.or(c, d)));
    let quotes = allQuotes;
    let controls: u64 = 0;
    let line: u64 = ~0;
    let newline = 64;
    if (v128.any_true(i8x16.lt_u(least, space))) {
      controls = bits(i8x16.lt_u(a, space), i8x16.lt_u(b, space), i8x16.lt_u(c, space), i8x16.lt_u(d, space));
      const newlines = newlinesIn(a, b, c, d);
      if (newlines) {
        newline = <i32>ctz(newlines);
        line = (1 << <u64>newline) - 1;
        quotes &= line;
        slashes &= line;
        controls &= line;
      }
    }

    // Every second backslash of a run escapes; found by one subtraction, as in simdjson.
    let escaped = escapesNext;
    if (slashes | escapesNext) {
      const odd: u64 = 0xaaaaaaaaaaaaaaaa;
      const starts = slashes & ~escapesNext;
      const series = (((starts << 1) | odd) - starts) ^ odd;
      escaped = series ^ (slashes | escapesNext);
      escapesNext = (series & slashes) >> 63;
    }

    quotes &= ~escaped;
    const inside = quotes ? prefixXor(quotes) ^ inString : inString;
    inString = <u64>(<i64>inside >> 63);
    if (controls & inside) break;
    const escapes = escaped & inside;
    if (escapes) {
      lastEscape = base + 64;
      const usual = allQuotes | slashes | lineAndTabSigns(a, b, c, d);
      if (escapes & ~usual) {
        if (escapes & ~escapeSigns(a, b, c, d)) break;
        let unicode = escapes & unicodeSigns(a, b, c, d);
        while (unicode) {
          if (!isHex(base + <i32>ctz(unicode) + 1)) break;
          unicode &= unicode - 1;
        }
        if (unicode) break;
      }
    }

    let tokens = (~inside & line) | quotes;
    if (scalarEnd > base) tokens &= scalarEnd - base > 63 ? 0 : ~0 << <u64>(scalarEnd - base);
    // Most blocks are inside a long text.
    if (tokens == 0 && newline == 64) {
      base += 64;
      continue;
    }
    let isSound = true;
    while (tokens) {
      const bit = ctz(tokens);
      tokens &= tokens - 1;
      const at = base + <i32>bit;
      const byte = <i32>load<u8>(at);
      if (byte == 0x22) {
        let end = at;
        if ((inside >> bit) & 1) {
          isSound = openString(at);
          // A string that opens as the last token of a block is closed in another one.
          if (tokens == 0 || !isSound) break;
          end = base + <i32>ctz(tokens);
          tokens &= tokens - 1;
        }
        state = isKey ? COLON : NEXT;
        isSound = isKey ? reader.key(end) : reader.text(end);
        // A colon directly follows most keys, and a comma most values.
        if (tokens != 0 && <i32>load<u8>(end + 1) == (isKey ? 0x3a : 0x2c)) {
          tokens &= tokens - 1;
          state = isKey || container != OBJECT ? VALUE : KEY;
        }
      } else if (byte == 0x3a) {
        isSound = state == COLON;
        state = VALUE;
      } else if (byte == 0x2c) {
        isSound = state == NEXT;
        state = container == OBJECT ? KEY : VALUE;
      } else if (byte == 0x7b || byte == 0x5b) {
        isSound = open<Reader>(reader, at, byte == 0x7b ? OBJECT : ARRAY);
      } else if (byte == 0x7d || byte == 0x5d) {
        isSound = close<Reader>(reader, at, byte == 0x7d ? OBJECT : ARRAY);
      } else if (byte != 0x20 && byte != 0x09 && byte != 0x0d) {
        scalarEnd = scalar<Reader>(reader, at, byte);
        isSound = scalarEnd != 0;
        tokens &= scalarEnd - base > 63 ? 0 : ~0 << <u64>(scalarEnd - base);
      }
      if (!isSound) break;
    }
    if (!isSound) break;
    if (newline < 64) {
      isWhole = state == DONE;
      isAscii = i8x16.bitmask(high) == 0;
      return base + newline + 1;
    }
    base += 64;
  }
  isWhole = false;
  return behindNewline(base);
}


function openString(at: i32): bool {
  isKey = state == KEY || state == FIRST_KEY;
  stringStart = at + 1;
  return isKey || ((state == VALUE || state == FIRST_ITEM) && depth > 0);
}

function open<Reader>(reader: Reader, at: i32, kind: i32): bool {
  if ((state != VALUE && state != FIRST_ITEM) || depth == DEEPEST) return false;
  if ((depth == 0 && kind != OBJECT) || !reader.open(at, kind)) return false;
  store<u8>(STACK + depth, <u8>container);
  depth += 1;
  container = kind;
  state = kind == OBJECT ? FIRST_KEY : FIRST_ITEM;
  return true;
}

function close<Reader>(reader: Reader, at: i32, kind: i32): bool {
  const mayClose = state == NEXT || state == (kind == OBJECT ? FIRST_KEY : FIRST_ITEM);
  if (!mayClose || container != kind) return false;
  reader.close(at, kind);
  depth -= 1;
  container = <i32>load<u8>(STACK + depth);
  state = depth == 0 ? DONE : NEXT;
  return true;
}

/** The end of a number, true, false or null that begins here; 0 if there is none. */
function scalar<Reader>(reader: Reader, at: i32, byte: i32): i32 {
  if ((state != VALUE && state != FIRST_ITEM) || depth == 0) return 0;
  state = NEXT;
  return reader.scalar(at, byte);
}

@inline
function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>(<u32>i8x16.bitmask(a)) |
    (<u64>(<u32>i8x16.bitmask(b)) << 16) |
    (<u64>(<u32>i8x16.bitmask(c)) << 32) |
    (<u64>(<u32>i8x16.bitmask(d)) << 48)
  );
}

/** Bit i is the parity of the bits up to i: set from an opening quote up to the closing one. */
@inline
function prefixXor(quotes: u64): u64 {
  let x = quotes;
  x ^= x << 1;
  x ^= x << 2;
  x ^= x << 4;
  x ^= x << 8;
  x ^= x << 16;
  x ^= x << 32;
  return x;
}

@inline
function newlinesIn(a: v128, b: v128, c: v128, d: v128): u64 {
  const newline = i8x16.splat(0x0a);
  return bits(i8x16.eq(a, newline), i8x16.eq(b, newline), i8x16.eq(c, newline), i8x16.eq(d, newline));
}

/** The characters allowed after a backslash: " / \ b f n r t u, tested by both halves of the byte. */
@inline
function escapeSigns(a: v128, b: v128, c: v128, d: v128): u64 {
  return bits(isEscapeSign(a), isEscapeSign(b), isEscapeSign(c), isEscapeSign(d));
}

@inline
function isEscapeSign(bytes: v128): v128 {
  const byLow = i8x16(0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
  const byHigh = i8x16(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
  const low = i8x16.swizzle(byLow, v128.and(bytes, i8x16.splat(0x0f)));
  const highHalf = i8x16.swizzle(byHigh, i8x16.shr_u(bytes, 4));
  return i8x16.ne(v128.and(low, highHalf), i8x16.splat(0));
}

@inline
function unicodeSigns(a: v128, b: v128, c: v128, d: v128): u64 {
  const u = i8x16.splat(0x75);
  return bits(i8x16.eq(a, u), i8x16.eq(b, u), i8x16.eq(c, u), i8x16.eq(d, u));
}

/** Whether four hex digits of either case are here, as after \u. */
function isHex(from: i32): bool {
  for (let at = from; at < from + 4; at += 1) {
    const byte = <u32>load<u8>(at);
    if (byte - 0x30 > 9 && (byte | 0x20) - 0x61 > 5) return false;
  }
  return true;
}

function behindNewline(from: i32): i32 {
  let at = from;
  let newlines: u64 = 0;
  while (newlines == 0) {
    newlines = newlinesIn(v128.load(at), v128.load(at, 16), v128.load(at, 32), v128.load(at, 48));
    at += 64;
  }
  return at - 63 + <i32>ctz(newlines);
}

/** The most frequent characters after a backslash, besides quotes and backslashes: n and t. */
@inline
function lineAndTabSigns(a: v128, b: v128, c: v128, d: v128): u64 {
  return bits(isLineOrTabSign(a), isLineOrTabSign(b), isLineOrTabSign(c), isLineOrTabSign(d));
}

@inline
function isLineOrTabSign(bytes: v128): v128 {
  return v128.or(i8x16.eq(bytes, i8x16.splat(0x6e)), i8x16.eq(bytes, i8x16.splat(0x74)));
}

export function hasBackslash(start: i32, end: i32): bool {
  for (let at = start; at < end; at += 1) if (load<u8>(at) == 0x5c) return true;
  return false;
}
