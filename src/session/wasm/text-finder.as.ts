// AssemblyScript, compiled to WebAssembly by `npm run wasm`.
//
// Finds many strings at once in bytes that it does not decode. Each string is found by four consecutive bytes, its
// window. Sixteen places at a time are looked up by the halves of their next four bytes, in tables that contain the
// groups, out of eight, with such a byte in a window (as in Hyperscan's Teddy). The few remaining places are
// looked up by their first three bytes in a hash table, and only then compared, byte for byte.
//
// Most strings are the beginnings of tokens, whose window is followed by a long run of letters, digits, _ and -.
// Such runs are rare in words, so these strings are searched only there, with separate tables.

/** The memory layout, shared with text-finder.ts. */
/** The tables of halves: of windows anywhere, and of windows before a run. */
const ANYWHERE: i32 = 1024;
const BEFORE_RUN: i32 = 1152;
const CONSTANTS: i32 = 1280;
const SLOTS: i32 = 2048;
const SLOT_BITS: u32 = 10;
/** A bit for each hash of three bytes: whether a window begins with such bytes. */
const WINDOWS: i32 = 4096;
const WINDOW_BITS: u32 = 15;
const ANCHORS: i32 = 8192;
const ANCHOR_BYTES: i32 = 64;
const TEXT: i32 = 16;
const STEPS: i32 = 65536;
const STEP_BYTES: i32 = 40;
const HITS: i32 = 131072;
const MOST_HITS: i32 = 8192;
/** The interesting places of each 32: their start, those that match a window, those before a run. */
const NOTES: i32 = 196608;
const NOTE_BYTES: i32 = 12;
const PIECE: i32 = 65536;

/** The number of hits of the last search: for each the start of its string, and the number of the string. */
export let hits: i32 = 0;

/**
 * Searches the windows that begin in a range. Returns the position where it stopped, which is before the end if there
 * was no room for more hits. Bytes around the range are read as well.
 */
export function find(from: i32, to: i32): i32 {
  const low1 = v128.load(ANYWHERE);
  const high1 = v128.load(ANYWHERE, 16);
  const low2 = v128.load(ANYWHERE, 32);
  const high2 = v128.load(ANYWHERE, 48);
  const low3 = v128.load(ANYWHERE, 64);
  const high3 = v128.load(ANYWHERE, 80);
  const low4 = v128.load(ANYWHERE, 96);
  const high4 = v128.load(ANYWHERE, 112);
  const half = v128.load(CONSTANTS);
  const wordLow = v128.load(CONSTANTS, 16);
  const wordHigh = v128.load(CONSTANTS, 32);
  const zero = v128.load(CONSTANTS, 48);
  /** The matches of the previous block for the first three bytes of a window. */
  let before1 = zero;
  let before2 = zero;
  let before3 = zero;
  let words: u64 = wordBits(from, half, wordLow, wordHigh, zero) << 32;
  hits = 0;
  let base = from;
  // A window is detected at its last byte.
  while (base < to + 3) {
    const stop = min(base + PIECE, to + 3);
    let noted = NOTES;
    for (; base < stop; base += 32) {
      words = (words >> 32) | (wordBits(base + 32, half, wordLow, wordHigh, zero) << 32);
      let runs = words & (words >> 1);
      runs &= runs >> 2;
      runs &= runs >> 4;
      runs &= (runs >> 8) & (runs >> 12);
      const bytesA = v128.load(base);
      const lowA = v128.and(bytesA, half);
      const highA = v128.and(i16x8.shr_u(bytesA, 4), half);
      const a1 = v128.and(i8x16.swizzle(low1, lowA), i8x16.swizzle(high1, highA));
      const a2 = v128.and(i8x16.swizzle(low2, lowA), i8x16.swizzle(high2, highA));
      const a3 = v128.and(i8x16.swizzle(low3, lowA), i8x16.swizzle(high3, highA));
      const a4 = v128.and(i8x16.swizzle(low4, lowA), i8x16.swizzle(high4, highA));
      const bytesB = v128.load(base, 16);
      const lowB = v128.and(bytesB, half);
      const highB = v128.and(i16x8.shr_u(bytesB, 4), half);
      const b1 = v128.and(i8x16.swizzle(low1, lowB), i8x16.swizzle(high1, highB));
      const b2 = v128.and(i8x16.swizzle(low2, lowB), i8x16.swizzle(high2, highB));
      const b3 = v128.and(i8x16.swizzle(low3, lowB), i8x16.swizzle(high3, highB));
      const b4 = v128.and(i8x16.swizzle(low4, lowB), i8x16.swizzle(high4, highB));
      const a = v128.and(v128.and(behind3(before1, a1), behind2(before2, a2)), v128.and(behind1(before3, a3), a4));
      const b = v128.and(v128.and(behind3(a1, b1), behind2(a2, b2)), v128.and(behind1(a3, b3), b4));
      before1 = b1;
      before2 = b2;
      before3 = b3;
      // The result is mostly empty, but testing takes longer than storing it.
      const places = isAny(a, zero) | (isAny(b, zero) << 16);
      store<u32>(noted, base - 3);
      store<u32>(noted, places, 4);
      store<u32>(noted, <u32>runs, 8);
      noted += (places | <u32>runs) != 0 ? NOTE_BYTES : 0;
    }
    const stopped = lookAtNotes(noted, from, to);
    if (stopped != 0) return stopped;
  }
  return to;
}

/** Checks the recorded places. Returns the one where there is no room for more hits, or 0. */
function lookAtNotes(end: i32, from: i32, to: i32): i32 {
  for (let note = NOTES; note < end; note += NOTE_BYTES) {
    const start = load<i32>(note);
    let places = load<u32>(note, 4);
    // A run begins three bytes after the place, where the window was detected.
    const runs = load<u32>(note, 8);
    if (runs != 0) places |= (inRunGroups(start) | (inRunGroups(start + 16) << 16)) & runs;
    if (places == 0) continue;
    while (places) {
      const at = start + <i32>ctz(places);
      places &= places - 1;
      if (!isWindow(load<u32>(at) & 0xffffff) || at < from || at >= to) continue;
      if (hits > MOST_HITS - MOST_ANCHORS) return at;
      look(at);
    }
  }
  return 0;
}

/** The maximum number of strings, which may all have the same window. */
const MOST_ANCHORS: i32 = 800;

/** The sixteen places that begin three before the second block. */
@inline
function behind3(before: v128, block: v128): v128 {
  return i8x16.shuffle(before, block, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28);
}

@inline
function behind2(before: v128, block: v128): v128 {
  return i8x16.shuffle(before, block, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
}

@inline
function behind1(before: v128, block: v128): v128 {
  return i8x16.shuffle(before, block, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
}

@inline
function isAny(groups: v128, zero: v128): u32 {
  return <u32>i8x16.bitmask(i8x16.eq(groups, zero)) ^ 0xffff;
}

/** The places, of sixteen, that match a window before a run. */
function inRunGroups(at: i32): u32 {
  const half = v128.load(CONSTANTS);
  const first = groupsOf(v128.load(at), v128.load(BEFORE_RUN), v128.load(BEFORE_RUN, 16), half);
  const second = groupsOf(v128.load(at, 1), v128.load(BEFORE_RUN, 32), v128.load(BEFORE_RUN, 48), half);
  const third = groupsOf(v128.load(at, 2), v128.load(BEFORE_RUN, 64), v128.load(BEFORE_RUN, 80), half);
  const fourth = groupsOf(v128.load(at, 3), v128.load(BEFORE_RUN, 96), v128.load(BEFORE_RUN, 112), half);
  return isAny(v128.and(v128.and(first, second), v128.and(third, fourth)), v128.load(CONSTANTS, 48));
}

@inline
function groupsOf(bytes: v128, low: v128, high: v128, half: v128): v128 {
  return v128.and(
    i8x16.swizzle(low, v128.and(bytes, half)),
    i8x16.swizzle(high, v128.and(i16x8.shr_u(bytes, 4), half)),
  );
}

/** The bytes, of 32, that runs consist of: A-Z a-z 0-9 _ - and \\, tested by both halves of the byte. */
@inline
function wordBits(at: i32, half: v128, low: v128, high: v128, zero: v128): u64 {
  return (
    <u64>isAny(groupsOf(v128.load(at), low, high, half), zero) |
    (<u64>isAny(groupsOf(v128.load(at, 16), low, high, half), zero) << 16)
  );
}

/**
 * Stores constants that the compiler would rebuild in each iteration of the loop: the lower half of each byte, and
 * tables of the halves of characters of runs, with bit 1 for 0-9, 2 for the rows of @ and `, 4 for the rows of P and p,
 * 8 for -, 16 for _, 32 for \\, which begins a line break in the middle of a run.
 */
export function setUp(): void {
  v128.store(CONSTANTS, i8x16.splat(0x0f));
  v128.store(CONSTANTS, i8x16(5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 2, 34, 10, 2, 18), 16);
  v128.store(CONSTANTS, i8x16(0, 0, 8, 1, 2, 52, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0), 32);
  v128.store(CONSTANTS, i8x16.splat(0), 48);
}

/** Records the strings whose window is at a place. Strings of one window are consecutive in the table. */
function look(at: i32): void {
  const window = load<u32>(at) & 0xffffff;
  let slot = slotOf(window);
  while (true) {
    const number = <i32>load<u16>(SLOTS + slot * 2);
    if (number == 0) return;
    let anchor = ANCHORS + (number - 1) * ANCHOR_BYTES;
    if (load<u32>(anchor) == window) {
      let next = number;
      while (next != 0) {
        compare(anchor, next - 1, at);
        next = <i32>load<u16>(anchor, 4);
        anchor = ANCHORS + (next - 1) * ANCHOR_BYTES;
      }
      return;
    }
    slot = (slot + 1) & ((1 << SLOT_BITS) - 1);
  }
}

@inline
function slotOf(window: u32): u32 {
  return (window * 0x9e3779b1) >> (32 - SLOT_BITS);
}

/** Whether three bytes may begin a window. Few places that match a group do, so this is nearly always false. */
@inline
function isWindow(bytes: u32): bool {
  const bit = (bytes * 0x9e3779b1) >> (32 - WINDOW_BITS);
  return ((load<u8>(WINDOWS + <i32>(bit >> 3)) >> <u8>(bit & 7)) & 1) != 0;
}

/**
 * An anchor is its window (four bytes), the next one of the same window (two), its length and the position of its window
 * (one each), its first step (two), the number of steps (one), whether it begins a word (one), and from byte 16 on
 * its text.
 */
function compare(anchor: i32, number: i32, window: i32): void {
  const start = window - <i32>load<u8>(anchor, 7);
  if (load<u8>(anchor, 11) && isInWord(start)) return;
  const length = <i32>load<u8>(anchor, 6);
  for (let at = 0; at < length; at += 1) if (load<u8>(start + at) != load<u8>(anchor + at, TEXT)) return;
  let at = start + length;
  let step = STEPS + <i32>load<u16>(anchor, 8) * STEP_BYTES;
  const limit = start + MOST_AHEAD;
  for (let left = <i32>load<u8>(anchor, 10); left > 0 && at < limit; left -= 1) {
    const most = <i32>load<u16>(step, 34);
    let count = 0;
    while (count < most && at < limit) {
      const unit = unitFor(step, at);
      if (unit == 0) break;
      at += unit >> 1;
      count += unit & 1;
    }
    if (count < <i32>load<u16>(step, 32) && at < limit) return;
    step += STEP_BYTES;
  }
  const hit = HITS + hits * 8;
  store<u32>(hit, <u32>start);
  store<u32>(hit, <u32>number, 4);
  hits += 1;
}

/** The maximum distance, since escapes may be long. A longer match counts as found. */
const MOST_AHEAD: i32 = 1984;

/**
 * The length of the next character of a class in bytes, twice, and one more if it counts: a colour and a line break are
 * skipped. 0 if another character follows. A character may be an escape of JSON, a URL or HTML.
 */
@inline
function unitFor(step: i32, at: i32): i32 {
  const byte = <i32>load<u8>(at);
  if (byte != BACKSLASH) {
    if (isIn(step, byte)) return 3;
    if (byte != PERCENT && byte != AMPERSAND) return 0;
  } else {
    const colour = colourAt(at);
    if (colour != 0) return colour << 1;
    if (isIn(step, byte)) return 3;
  }
  return decodedFor(step, at, byte);
}

function decodedFor(step: i32, at: i32, byte: i32): i32 {
  const found = byte == PERCENT ? percentAt(at) : byte == AMPERSAND ? entityAt(at) : escapeAt(at);
  if (found == 0) return 0;
  const character = found & 0xff;
  const length = found >> 8;
  if (character == 0x0a || character == 0x0d) return length << 1;
  return isIn(step, character) ? (length << 1) | 1 : 0;
}

const PERCENT: i32 = 0x25;
const AMPERSAND: i32 = 0x26;
const BACKSLASH: i32 = 0x5c;
const MOST_BACKSLASHES: i32 = 64;
const MOST_LEVELS: i32 = 4;

/** `%3D`, also `%253D`: the length in bytes above the lowest eight bits, and in these the character. Or 0. */
function percentAt(at: i32): i32 {
  let digits = at + 1;
  for (let level = 0; level < MOST_LEVELS && load<u16>(digits) == 0x3532 && byteAt(digits + 2) > 0; level += 1) digits += 2;
  const character = byteAt(digits);
  return character > 0 ? ((digits + 2 - at) << 8) | character : 0;
}

/** `&quot;`, `&#34;`, `&#x22;`, also `&amp;quot;`: see `percentAt`. */
function entityAt(at: i32): i32 {
  let name = at + 1;
  for (let level = 0; level < MOST_LEVELS && load<u32>(name) == 0x3b706d61; level += 1) name += 4;
  const four = load<u32>(name);
  if (load<u8>(name, 4) == 0x3b) {
    if (four == 0x746f7571) return ((name + 5 - at) << 8) | 0x22;
    if (four == 0x736f7061) return ((name + 5 - at) << 8) | 0x27;
  }
  if ((four & 0xffffff) == 0x3b746c) return ((name + 3 - at) << 8) | 0x3c;
  if ((four & 0xffffff) == 0x3b7467) return ((name + 3 - at) << 8) | 0x3e;
  if ((four & 0xff) == 0x23) {
    const isHex = load<u8>(name, 1) == 0x78;
    const base = isHex ? 16 : 10;
    let digit = name + (isHex ? 2 : 1);
    let character = 0;
    for (const end = digit + 4; digit < end && hexAt(digit) < base; digit += 1) character = character * base + hexAt(digit);
    if (load<u8>(digit) == 0x3b && character > 0 && character < 0x80) return ((digit + 1 - at) << 8) | character;
  }
  return name > at + 1 ? ((name - at) << 8) | AMPERSAND : 0;
}

/** `\n`, `\"`, `\u003d`, also of JSON in JSON: see `percentAt`. */
function escapeAt(at: i32): i32 {
  const letter = endOfBackslashes(at);
  const byte = <i32>load<u8>(letter);
  const length = (letter + 1 - at) << 8;
  if (byte == 0x6e || byte == 0x72) return length | 0x0a;
  if (byte == 0x74) return length | 0x09;
  if (byte == 0x22 || byte == 0x27 || byte == 0x2f || byte == 0x60) return length | byte;
  if (byte != 0x75 || load<u16>(letter, 1) != 0x3030) return 0;
  const character = byteAt(letter + 3);
  return character > 0 && character < 0x80 ? ((letter + 5 - at) << 8) | character : 0;
}

/** The length of a colour escape: `\u001b[1;32m`. */
function colourAt(at: i32): i32 {
  let place = endOfBackslashes(at);
  const four = load<u32>(place);
  if (four == 0x31303075 && (load<u8>(place, 4) | 0x20) == 0x62) place += 5;
  else if (((four & 0xffffff) | 0x200000) == 0x623178) place += 3;
  else if ((four & 0xffffff) == 0x333330) place += 3;
  else if ((four & 0xff) == 0x65) place += 1;
  else return 0;
  if (load<u8>(place) != 0x5b) return 0;
  place += 1;
  for (const end = place + MOST_OF_A_COLOUR; place < end && isOfColour(<i32>load<u8>(place)); ) place += 1;
  return isLetter(<i32>load<u8>(place)) ? place + 1 - at : 0;
}

const MOST_OF_A_COLOUR: i32 = 20;

/** 0-9 ; ? */
@inline
function isOfColour(byte: i32): bool {
  return (byte >= 0x30 && byte <= 0x39) || byte == 0x3b || byte == 0x3f;
}

@inline
function isLetter(byte: i32): bool {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

function endOfBackslashes(at: i32): i32 {
  let place = at + 1;
  for (const end = at + MOST_BACKSLASHES; place < end && load<u8>(place) == BACKSLASH; ) place += 1;
  return place;
}

/** The value of two hex digits; -1 for others. */
function byteAt(at: i32): i32 {
  const high = hexAt(at);
  const low = hexAt(at + 1);
  return high > 15 || low > 15 ? -1 : (high << 4) | low;
}

/** The value of a hex digit; more than 15 for others. */
function hexAt(at: i32): i32 {
  const byte = <i32>load<u8>(at);
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 99;
}

/** Whether a letter, digit or _ precedes a place, other than that of an escape (the n of \\n) or a colour. */
function isInWord(at: i32): bool {
  const byte = <i32>load<u8>(at - 1);
  if (!isLetter(byte) && !(byte >= 0x30 && byte <= 0x39) && byte != 0x5f) return false;
  if (load<u8>(at - 2) == BACKSLASH || load<u8>(at - 6) == BACKSLASH) return false;
  if (load<u8>(at - 3) == PERCENT && byteAt(at - 2) >= 0) return false;
  let place = at - 2;
  for (const end = place - MOST_OF_A_COLOUR; place > end && isOfColour(<i32>load<u8>(place)); ) place -= 1;
  return !isLetter(byte) || load<u8>(place) != 0x5b;
}

/** Whether a byte is in a class, which is a bit for each byte. */
@inline
function isIn(bitmap: i32, byte: i32): bool {
  return ((load<u8>(bitmap + (byte >> 3)) >> <u8>(byte & 7)) & 1) != 0;
}

/** Puts the first string of a window into the hash table. The others are linked to it. */
export function addWindow(number: i32): void {
  const window = load<u32>(ANCHORS + number * ANCHOR_BYTES);
  const bit = (window * 0x9e3779b1) >> (32 - WINDOW_BITS);
  const place = WINDOWS + <i32>(bit >> 3);
  store<u8>(place, <u8>(<u32>load<u8>(place) | (1 << (bit & 7))));
  let slot = slotOf(window);
  while (load<u16>(SLOTS + slot * 2) != 0) slot = (slot + 1) & ((1 << SLOT_BITS) - 1);
  store<u16>(SLOTS + slot * 2, <u16>(number + 1));
}
