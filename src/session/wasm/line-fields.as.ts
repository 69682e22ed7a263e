// AssemblyScript, compiled to WebAssembly by `npm run wasm`.
//
// Reads some fields of every line that is a JSON object, without decoding the rest, and confirms the line only if all of
// it is valid JSON by the grammar. JSON.parse decides about any other line. It looks at 64 bytes at a time, as in
// line-scanner.as.ts. Strings of the fields are interned: equal ones have one number.

import { bits, prefixXor, newlinesIn, escapeSigns, unicodeSigns, isHex, behindNewline, hasBackslash, lineAndTabSigns } from './blocks.as';
import { allocateTables, entries, intern, isSame, isText, strings } from './strings.as';

export { entries, intern, strings };
import { numberEnd, readTime, time } from './values.as';

/** The memory layout, shared with line-fields.ts. */
const FIELDS: i32 = 1024;
const FIELD_BYTES: i32 = 64;
const MODE_AT: i32 = 32;
const FIRST_AT: i32 = 33;
const END_AT: i32 = 34;
const SLOT_AT: i32 = 36;
/** The newest text of the field: many are equal in every line. */
const NEWEST_AT: i32 = 40;
const STACK: i32 = 8192;
const STACK_BYTES: i32 = 2;
const DEEPEST: i32 = 4000;
const RECORDS: i32 = 16384;
const RECORDS_END: i32 = 524288;
const ITEMS: i32 = 524288;
const ITEMS_END: i32 = 1048576;

/** How much of a field is read: only its kind, a text, a time, the fields of the objects in a list, or a number. */
const TEXT: i32 = 1;
const TIME: i32 = 2;
const LIST: i32 = 3;
const COUNT: i32 = 4;

/** The kinds of values. */
const NULL: i32 = 1;
const FALSE: i32 = 2;
const TRUE: i32 = 3;
const NUMBER: i32 = 4;
const STRING: i32 = 5;
const OBJECT_VALUE: i32 = 6;
const ARRAY_VALUE: i32 = 7;
const TIME_VALUE: i32 = 8;
const KIND_BITS: i32 = 4;

/** A record begins with the length of its line, and the place of its first item plus one: 0 if the line is not confirmed. */
const ITEM_AT: i32 = 4;
const FOREIGN: u32 = 0x80000000;

const LARGEST: f64 = 268435455;
const LARGEST_COUNT: f64 = 9007199254740991;
const LATEST: f64 = 4294967296000;

/** The next token that the grammar allows. */
const VALUE: i32 = 0;
const FIRST_ITEM: i32 = 1;
const FIRST_KEY: i32 = 2;
const KEY: i32 = 3;
const COLON: i32 = 4;
const NEXT: i32 = 5;
const DONE: i32 = 6;

const OBJECT: i32 = 1;
const ARRAY: i32 = 2;
/** A container whose fields are not read. */
const UNREAD: i32 = 255;

let recordBytes: i32 = 0;
let itemBytes: i32 = 0;

let state: i32 = 0;
let depth: i32 = 0;
let container: i32 = 0;
/** The field whose value the container is; 0 for the line itself. */
let owner: i32 = 0;
/** The field of the next value, 0 if it is not read. */
let tag: i32 = 0;
/** A bit for each field that was read. */
let seen: u64 = 0;
let isKey: bool = false;
let stringStart: i32 = 0;
/** The end of the last block in which something was escaped. */
let lastEscape: i32 = 0;
let record: i32 = 0;
let item: i32 = 0;
let listed: i32 = 0;

/** The numbers of records and items of the last scan. */
export let records: i32 = 0;
export let items: i32 = 0;

/** `top`: the end of the memory for lines. */
export function begin(recordSize: i32, itemSize: i32, top: i32, seed: i32): void {
  recordBytes = recordSize;
  itemBytes = itemSize;
  allocateTables(top, seed);
}

/** Scans whole lines from `from` up to `to`, which follows a newline. Returns the position where it stopped. */
export function scan(from: i32, to: i32): i32 {
  let at = from;
  records = 0;
  items = 0;
  record = RECORDS;
  while (at < to && record + recordBytes <= RECORDS_END && ITEMS + items * itemBytes < ITEMS_END / 4 * 3) {
    at = scanLine(at);
    records += 1;
    record += recordBytes;
  }
  return at;
}

function scanLine(start: i32): i32 {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  const firstItem = items;
  beginLine();
  let base = start;
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
    let quotes = bits(i8x16.eq(a, quote), i8x16.eq(b, quote), i8x16.eq(c, quote), i8x16.eq(d, quote));
    let slashes = bits(i8x16.eq(a, backslash), i8x16.eq(b, backslash), i8x16.eq(c, backslash), i8x16.eq(d, backslash));
    const least = i8x16.min_u(i8x16.min_u(a, b), i8x16.min_u(c, d));
    high = v128.or(high, v128.or(v128.or(a, b), v128.or(c, d)));
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

    const allQuotes = quotes;
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
        isSound = closeString(end);
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
        isSound = open(byte == 0x7b ? OBJECT : ARRAY);
      } else if (byte == 0x7d || byte == 0x5d) {
        isSound = close(byte == 0x7d ? OBJECT : ARRAY);
      } else if (byte != 0x20 && byte != 0x09 && byte != 0x0d) {
        scalarEnd = scalar(at, byte);
        isSound = scalarEnd != 0;
        tokens &= scalarEnd - base > 63 ? 0 : ~0 << <u64>(scalarEnd - base);
      }
      if (!isSound) break;
    }
    if (!isSound) break;
    if (newline < 64) {
      const end = base + newline + 1;
      if (state != DONE) items = firstItem;
      else store<u32>(record, <u32>(firstItem + 1) | (i8x16.bitmask(high) == 0 ? 0 : FOREIGN), ITEM_AT);
      store<u32>(record, end - start);
      return end;
    }
    base += 64;
  }
  items = firstItem;
  const end = behindNewline(base);
  store<u32>(record, end - start);
  return end;
}

function beginLine(): void {
  memory.fill(record, 0, recordBytes);
  state = VALUE;
  depth = 0;
  container = 0;
  owner = UNREAD;
  tag = 0;
  seen = 0;
  lastEscape = 0;
  listed = 0;
}

function openString(at: i32): bool {
  isKey = state == KEY || state == FIRST_KEY;
  stringStart = at + 1;
  return isKey || ((state == VALUE || state == FIRST_ITEM) && depth > 0);
}

function closeString(at: i32): bool {
  if (isKey) {
    state = COLON;
    return owner == UNREAD || takeKey(at);
  }
  state = NEXT;
  return tag == 0 || takeString(at);
}

@inline
function fieldAt(field: i32): i32 {
  return FIELDS + field * FIELD_BYTES;
}

/** Finds the field of a key. A key with escapes, or a repeated one, is left to JSON.parse. */
function takeKey(end: i32): bool {
  const length = end - stringStart;
  const last = <i32>load<u8>(fieldAt(owner), END_AT);
  let field = <i32>load<u8>(fieldAt(owner), FIRST_AT);
  while (field < last && (<i32>load<u8>(fieldAt(field)) != length || !isSame(fieldAt(field) + 1, stringStart, length)))
    field += 1;
  if (field == last) return lastEscape <= stringStart || !hasBackslash(stringStart, end);
  tag = field;
  const bit: u64 = 1 << <u64>field;
  const isFirst = (seen & bit) == 0;
  seen |= bit;
  return isFirst;
}

/** Writes the kind of the value of a field, with a number. */
@inline
function write(field: i32, kind: i32, number: i32): void {
  store<u32>(slotOf(field), kind | (number << KIND_BITS));
}

@inline
function slotOf(field: i32): i32 {
  const slot = load<i32>(fieldAt(field), SLOT_AT);
  return slot < 0 ? item - slot - 4 : record + slot;
}

function takeString(end: i32): bool {
  const field = tag;
  tag = 0;
  const mode = <i32>load<u8>(fieldAt(field), MODE_AT);
  const length = end - stringStart;
  if (mode == TIME && length == 24 && readTime(stringStart) && time >= 0 && time < LATEST) {
    const seconds = <u32>(time / 1000);
    write(field, TIME_VALUE, <i32>(time - <f64>seconds * 1000));
    store<u32>(slotOf(field), seconds, 4);
  } else if (mode == TEXT || mode == TIME) {
    if (lastEscape > stringStart && !isCanonical(stringStart, end)) return false;
    let text = load<i32>(fieldAt(field), NEWEST_AT);
    if (text == 0 || !isText(text, stringStart, length)) {
      text = intern(stringStart, length);
      store<i32>(fieldAt(field), text, NEWEST_AT);
    }
    write(field, STRING, text);
  } else write(field, STRING, length == 0 ? 0 : 1);
  return true;
}

/** Whether a string has only escapes that JSON.stringify writes too, so that equal strings are equal bytes. */
function isCanonical(start: i32, end: i32): bool {
  for (let at = start; at < end; at += 1) {
    if (load<u8>(at) != 0x5c) continue;
    at += 1;
    const sign = load<u8>(at);
    if (sign == 0x2f || sign == 0x75) return false;
  }
  return true;
}

function open(kind: i32): bool {
  if ((state != VALUE && state != FIRST_ITEM) || depth == DEEPEST) return false;
  if (depth == 0 && kind != OBJECT) return false;
  store<u8>(STACK + depth * STACK_BYTES, <u8>container);
  store<u8>(STACK + depth * STACK_BYTES, <u8>owner, 1);
  const isItem = container == ARRAY && owner != UNREAD && kind == OBJECT;
  if (depth == 0) owner = 0;
  else if (isItem) {
    if (!newItem()) return false;
  } else if (tag == 0) owner = UNREAD;
  else {
    const isList = <i32>load<u8>(fieldAt(tag), MODE_AT) == LIST;
    write(tag, kind == OBJECT ? OBJECT_VALUE : ARRAY_VALUE, 0);
    owner = isList == (kind == ARRAY) ? tag : UNREAD;
  }
  tag = 0;
  depth += 1;
  container = kind;
  state = kind == OBJECT ? FIRST_KEY : FIRST_ITEM;
  return true;
}

/** Adds a row for an object in a list, whose fields may be read again. */
function newItem(): bool {
  item = ITEMS + items * itemBytes;
  if (item + itemBytes > ITEMS_END) return false;
  memory.fill(item, 0, itemBytes);
  items += 1;
  listed += 1;
  const first = <u64>load<u8>(fieldAt(owner), FIRST_AT);
  const end = <u64>load<u8>(fieldAt(owner), END_AT);
  seen &= ~(((1 << end) - 1) ^ ((1 << first) - 1));
  return true;
}

function close(kind: i32): bool {
  const mayClose = state == NEXT || state == (kind == OBJECT ? FIRST_KEY : FIRST_ITEM);
  if (!mayClose || container != kind) return false;
  if (kind == ARRAY && owner != UNREAD) {
    write(owner, ARRAY_VALUE, listed);
    listed = 0;
  }
  depth -= 1;
  container = <i32>load<u8>(STACK + depth * STACK_BYTES);
  owner = <i32>load<u8>(STACK + depth * STACK_BYTES, 1);
  state = depth == 0 ? DONE : NEXT;
  return true;
}

/** The end of a number, true, false or null that begins here; 0 if there is none. */
function scalar(at: i32, byte: i32): i32 {
  if ((state != VALUE && state != FIRST_ITEM) || depth == 0) return 0;
  state = NEXT;
  const field = tag;
  tag = 0;
  if (byte == 0x6e) {
    if (field) write(field, NULL, 0);
    return load<u32>(at) == 0x6c6c756e ? at + 4 : 0;
  }
  if (byte == 0x74) {
    if (field) write(field, TRUE, 0);
    return load<u32>(at) == 0x65757274 ? at + 4 : 0;
  }
  if (byte == 0x66) {
    if (field) write(field, FALSE, 0);
    return load<u32>(at + 1) == 0x65736c61 ? at + 5 : 0;
  }
  const end = numberEnd(at, byte);
  if (!field || end == 0) return end;
  let value: f64 = 0;
  for (let digit = at; digit < end; digit += 1) {
    const sign = <i32>load<u8>(digit) - 0x30;
    if (sign < 0 || sign > 9) return 0;
    value = value * 10 + <f64>sign;
  }
  const isCount = <i32>load<u8>(fieldAt(field), MODE_AT) == COUNT;
  if (value > (isCount ? LARGEST_COUNT : LARGEST)) return 0;
  write(field, NUMBER, isCount ? 0 : <i32>value);
  if (isCount) store<f64>(slotOf(field), value, 4);
  return end;
}
