// AssemblyScript, compiled to WebAssembly by `npm run wasm`.
//
// Compares the shapes of two lines of JSON without decoding them: the same keys in the same order, values of
// the same kinds, and the same strings where a string decides the kind of a value. Other strings and numbers
// do not matter, and neither does the content of arbitrary fields. The line is known to be JSON.

/** The memory layout, shared with line-shape.ts. */
const FREE_FORM: i32 = 1024;
const NAME_BYTES: i32 = 16;
const FREE_FORMS: i32 = 4;
const INPUT: i32 = 2048;

const QUOTE: u8 = 0x22;
const PRIME: u64 = 0x9e3779b97f4a7c15;
/** Numbers with fewer digits before the point are always finite. */
const MOST_DIGITS: i32 = 15;
const LONGEST_KEY: i32 = 256;

let hash: u64 = 0;
/** Whether the line contains something that its shape does not cover. */
let isDoubtful: bool = false;
let depth: i32 = 0;
/** The depth inside an arbitrary field; 0 outside. */
let freeDepth: i32 = 0;
let isFreeNext: bool = false;
let isTagNext: bool = false;

/** The shape of the line in memory as a number; 0 if it cannot be determined. */
export function shapeOf(length: i32, seed: u64): f64 {
  hash = seed;
  isDoubtful = false;
  depth = 0;
  freeDepth = 0;
  isFreeNext = false;
  isTagNext = false;
  const end = INPUT + length;
  // A line may be split into blocks anywhere: the data after its end must not contain a quote.
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
    // Every second backslash of a run escapes; found by one subtraction, as in json-line.as.ts.
    if ((backslashes | escapesNext) != 0) {
      const odd: u64 = 0xaaaaaaaaaaaaaaaa;
      const series = ((((backslashes & ~escapesNext) << 1) | odd) - (backslashes & ~escapesNext)) ^ odd;
      quotes &= ~(series ^ (backslashes | escapesNext));
      escapesNext = (series & backslashes) >> 63;
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

@inline
function mix(value: u64): void {
  hash = (hash ^ value) * PRIME;
  hash ^= hash >> 32;
}

/** The bytes between two strings. */
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
      // With a space before its colon, a key would not be recognised.
      isDoubtful = true;
    }
  }
}

/** All numbers are equal, except those that may be too large. */
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

/** Reads a key, or a string that matters, eight bytes at a time. With escapes, its text is unknown. */
function takeWord(start: i32, end: i32): void {
  if (end - start > LONGEST_KEY) isDoubtful = true;
  mix(<u64>(end - start) | 0x100000000);
  for (let at = start; at < end; at += 8) {
    const left = end - at;
    const bytes = left < 8 ? load<u64>(at) & ((1 << <u64>(left * 8)) - 1) : load<u64>(at);
    if (hasBackslash(bytes)) isDoubtful = true;
    mix(bytes);
  }
}

/** Whether one of eight bytes is a backslash: the subtraction borrows from a byte that is zero. */
@inline
function hasBackslash(bytes: u64): bool {
  const differences = bytes ^ 0x5c5c5c5c5c5c5c5c;
  return ((differences - 0x0101010101010101) & ~differences & 0x8080808080808080) != 0;
}

/** `type`, `role` and `op` decide the kind of a value. */
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
