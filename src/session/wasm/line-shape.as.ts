// AssemblyScript, compiled to WebAssembly by `npm run wasm`.
//
// Tells whether two lines of JSON have the same shape without decoding them: the same keys in the same order, values of
// the same kinds, and the same words where a word decides what a value is. What is said in other strings and numbers
// makes no difference, and neither does what stands in fields that may hold anything. The line is known to be JSON.

/** Where things lie in memory; line-shape.ts knows the same numbers. */
const FREE_FORM: i32 = 1024;
const NAME_BYTES: i32 = 16;
const FREE_FORMS: i32 = 4;
const INPUT: i32 = 2048;

const QUOTE: u8 = 0x22;
const PRIME: u64 = 0x9e3779b97f4a7c15;
/** So many digits before the point make no number that cannot be held. */
const MOST_DIGITS: i32 = 15;
const LONGEST_KEY: i32 = 256;

let hash: u64 = 0;
/** Whether the line holds something that its shape does not tell. */
let isDoubtful: bool = false;
let depth: i32 = 0;
/** The depth inside of a field that may hold anything; 0 outside of such a field. */
let freeDepth: i32 = 0;
let isFreeNext: bool = false;
let isTagNext: bool = false;

/** A number for the shape of the line that stands in memory; 0 where nobody can say. */
export function shapeOf(length: i32, seed: u64): f64 {
  hash = seed;
  isDoubtful = false;
  depth = 0;
  freeDepth = 0;
  isFreeNext = false;
  isTagNext = false;
  const end = INPUT + length;
  // A line may be cut into blocks anywhere: what stands behind its end is no quote.
  v128.store(end, i8x16.splat(0x20));
  v128.store(end, i8x16.splat(0x20), 16);
  v128.store(end, i8x16.splat(0x20), 32);
  v128.store(end, i8x16.splat(0x20), 48);
  let isInString = false;
  let start = INPUT;
  let escapesNext: u64 = 0;
  for (let base = INPUT; base < end; base += 64) {
    const backslashes = bits(base, 0x5c);
    let quotes = bits(base, QUOTE);
    if ((backslashes | escapesNext) != 0) {
      const escaped = escapedBits(backslashes, escapesNext);
      escapesNext = nextEscape;
      quotes &= ~escaped;
    }
    while (quotes != 0) {
      const at = base + <i32>ctz(quotes);
      quotes &= quotes - 1;
      if (isInString) takeString(start, at);
      else takeOutside(start, at);
      isInString = !isInString;
      start = at + 1;
    }
    if (isDoubtful) return 0;
  }
  takeOutside(start, end);
  return isDoubtful ? 0 : <f64>(hash >> 11);
}

@inline
function bits(at: i32, byte: u8): u64 {
  const wanted = i8x16.splat(<i8>byte);
  return (
    <u64>i8x16.bitmask(i8x16.eq(v128.load(at), wanted)) |
    (<u64>i8x16.bitmask(i8x16.eq(v128.load(at, 16), wanted)) << 16) |
    (<u64>i8x16.bitmask(i8x16.eq(v128.load(at, 32), wanted)) << 32) |
    (<u64>i8x16.bitmask(i8x16.eq(v128.load(at, 48), wanted)) << 48)
  );
}

let nextEscape: u64 = 0;

/** The bytes that a backslash escapes; the first one may be escaped by the last block. */
function escapedBits(backslashes: u64, isFirst: u64): u64 {
  let escaped: u64 = isFirst;
  let left = backslashes & ~isFirst;
  nextEscape = 0;
  while (left != 0) {
    const at = ctz(left);
    if (at == 63) {
      nextEscape = 1;
      break;
    }
    escaped |= (<u64>2) << at;
    left &= ~((<u64>3) << at);
  }
  return escaped;
}

@inline
function mix(value: u64): void {
  hash = (hash ^ value) * PRIME;
  hash ^= hash >> 32;
}

/** What stands between two strings. */
function takeOutside(start: i32, end: i32): void {
  for (let at = start; at < end; at += 1) {
    const byte = load<u8>(at);
    if (byte == 0x7b || byte == 0x5b) {
      depth += 1;
      if (freeDepth == 0) mix(byte);
      if (isFreeNext && freeDepth == 0) freeDepth = depth;
      isFreeNext = false;
    } else if (byte == 0x7d || byte == 0x5d) {
      if (freeDepth == depth) freeDepth = 0;
      depth -= 1;
      if (freeDepth == 0) mix(byte);
    } else if (byte == 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      at = endOfNumber(at) - 1;
      if (freeDepth == 0) mix(0x30);
      isFreeNext = false;
    } else if (byte > 0x20) {
      if (byte != 0x3a) isFreeNext = false;
      if (freeDepth == 0) mix(byte);
    } else if (byte != 0x0a && byte != 0x0d) {
      // With space between a key and its colon it would not be known as one.
      isDoubtful = true;
    }
  }
}

/** All numbers are alike but for those that may be too big to be one. */
function endOfNumber(start: i32): i32 {
  let at = start;
  let digits = 0;
  let isFraction = false;
  while (true) {
    const byte = load<u8>(at);
    if (byte >= 0x30 && byte <= 0x39) {
      if (!isFraction) digits += 1;
    } else if (byte == 0x2e) {
      isFraction = true;
    } else if ((byte | 0x20) == 0x65) {
      if (load<u8>(at + 1) != 0x2d && freeDepth == 0) isDoubtful = true;
      isFraction = true;
    } else if (byte != 0x2d && byte != 0x2b) {
      break;
    }
    at += 1;
  }
  if (digits > MOST_DIGITS && freeDepth == 0) isDoubtful = true;
  return at;
}

function takeString(start: i32, end: i32): void {
  if (load<u8>(end + 1) == 0x3a) {
    if (freeDepth != 0) return;
    takeWord(start, end);
    isTagNext = isTag(start, end - start);
    isFreeNext = isFreeForm(start, end - start);
    return;
  }
  if (freeDepth == 0) {
    if (isTagNext) takeWord(start, end);
    else mix(start == end ? 0x65 : 0x73);
  }
  isTagNext = false;
  isFreeNext = false;
}

/** A key, or a word that matters. One that is written with escapes may be another word than it looks like. */
function takeWord(start: i32, end: i32): void {
  if (end - start > LONGEST_KEY) isDoubtful = true;
  mix(<u64>(end - start) | 0x100000000);
  for (let at = start; at < end; at += 1) {
    const byte = load<u8>(at);
    if (byte == 0x5c) isDoubtful = true;
    mix(byte);
  }
}

/** `type`, `role` and `op` say what a value is. */
@inline
function isTag(start: i32, length: i32): bool {
  if (length == 4) {
    const word = load<u32>(start);
    return word == 0x65707974 || word == 0x656c6f72;
  }
  return length == 2 && load<u16>(start) == 0x706f;
}

/** The names in the table are padded with zeros. */
function isFreeForm(start: i32, length: i32): bool {
  if (length >= NAME_BYTES) return false;
  for (let name = 0; name < FREE_FORMS; name += 1) {
    const at = FREE_FORM + name * NAME_BYTES;
    if (<i32>load<u8>(at + NAME_BYTES - 1) == length && isEqual(at, start, length)) return true;
  }
  return false;
}

function isEqual(one: i32, other: i32, length: i32): bool {
  for (let at = 0; at < length; at += 1) if (load<u8>(one + at) != load<u8>(other + at)) return false;
  return true;
}
