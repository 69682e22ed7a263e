// AssemblyScript, compiled to WebAssembly by `npm run wasm`.
//
// Copies lines without their long texts. The strings of some keys become empty if they are long; all else stays
// as it is, so JSON.parse of the copy validates everything but these strings. The scanner validates those: a line with a
// control character or an invalid escape in any string is not copied. It looks at 64 bytes at a time, as in
// line-scanner.as.ts.

import { bits, prefixXor, newlinesIn, escapeSigns, unicodeSigns, isHex, behindNewline } from './blocks.as';

/** The memory layout, shared with line-skeletons.ts. */
const NAMES: i32 = 1024;
const NAME_BYTES: i32 = 32;
const RECORDS: i32 = 4096;
const RECORD_BYTES: i32 = 8;
const MOST_RECORDS: i32 = 8192;
const FOREIGN: u32 = 0x80000000;

/** A shorter text is copied: that is faster than to leave it out. */
const LONG: i32 = 64;

const QUOTE: i32 = 0x22;
const COLON: i32 = 0x3a;

let names: i32 = 0;
/** The end of what was written. */
let written: i32 = 0;

/** The number of records of the last scan. */
export let records: i32 = 0;

/** The number of keys in the table of names. */
export function setNames(count: i32): void {
  names = count;
}

/** Copies whole lines from `from` up to `to`, which follows a newline, to `out`. Returns the position where it stopped. */
export function scan(from: i32, to: i32, out: i32): i32 {
  let at = from;
  let count = 0;
  written = out;
  while (at < to && count < MOST_RECORDS) {
    at = copyLine(at, RECORDS + count * RECORD_BYTES);
    count += 1;
  }
  records = count;
  return at;
}

/** Writes the length of the line and that of its copy, which is 0 if JSON.parse must decide about the line. */
function copyLine(start: i32, record: i32): i32 {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  const first = written;
  let copied = start;
  let base = start;
  let high = i8x16.splat(0);
  /** All ones if the block begins inside a string. */
  let inString: u64 = 0;
  let escapesNext: u64 = 0;
  /** The newest string that was opened, and the one before it. */
  let textStart = 0;
  let keyStart = 0;
  let keyEnd = 0;
  while (true) {
    const a = v128.load(base);
    const b = v128.load(base, 16);
    const c = v128.load(base, 32);
    const d = v128.load(base, 48);
    let quotes = bits(i8x16.eq(a, quote), i8x16.eq(b, quote), i8x16.eq(c, quote), i8x16.eq(d, quote));
    let slashes = bits(i8x16.eq(a, backslash), i8x16.eq(b, backslash), i8x16.eq(c, backslash), i8x16.eq(d, backslash));
    const least = i8x16.min_u(i8x16.min_u(a, b), i8x16.min_u(c, d));
    high = v128.or(high, v128.or(v128.or(a, b), v128.or(c, d)));
    let controls: u64 = 0;
    let newline = 64;
    if (v128.any_true(i8x16.lt_u(least, space))) {
      controls = bits(i8x16.lt_u(a, space), i8x16.lt_u(b, space), i8x16.lt_u(c, space), i8x16.lt_u(d, space));
      const newlines = newlinesIn(a, b, c, d);
      if (newlines) {
        newline = <i32>ctz(newlines);
        const line: u64 = (1 << <u64>newline) - 1;
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
      if (escapes & ~escapeSigns(a, b, c, d)) break;
      let unicode = escapes & unicodeSigns(a, b, c, d);
      while (unicode) {
        if (!isHex(base + <i32>ctz(unicode) + 1)) break;
        unicode &= unicode - 1;
      }
      if (unicode) break;
    }

    while (quotes) {
      const bit = ctz(quotes);
      quotes &= quotes - 1;
      const at = base + <i32>bit;
      if ((inside >> bit) & 1) {
        textStart = at + 1;
      } else {
        if (at - textStart >= LONG && isUnread(keyStart, keyEnd, textStart)) {
          copy(copied, textStart);
          copied = at;
        }
        keyStart = textStart;
        keyEnd = at;
      }
    }
    if (newline < 64) {
      const end = base + newline + 1;
      copy(copied, end);
      store<u32>(record, end - start);
      store<u32>(record, <u32>(written - first) | (i8x16.bitmask(high) == 0 ? 0 : FOREIGN), 4);
      return end;
    }
    base += 64;
  }
  const end = behindNewline(base);
  written = first;
  store<u32>(record, end - start);
  store<u32>(record, 0, 4);
  return end;
}

/** Whether the string that begins at `start` is the value of one of the names, written without white space. */
function isUnread(keyStart: i32, keyEnd: i32, start: i32): bool {
  if (keyEnd + 3 != start || <i32>load<u8>(keyEnd + 1) != COLON || <i32>load<u8>(keyEnd) != QUOTE) return false;
  const length = keyEnd - keyStart;
  for (let name = 0; name < names; name += 1) {
    const slot = NAMES + name * NAME_BYTES;
    if (<i32>load<u8>(slot) == length && memory.compare(slot + 1, keyStart, length) == 0) return true;
  }
  return false;
}

@inline
function copy(from: i32, to: i32): void {
  memory.copy(written, from, to - from);
  written += to - from;
}
