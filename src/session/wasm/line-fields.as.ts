// AssemblyScript, compiled to WebAssembly by `npm run wasm`.
//
// Reads some fields of every line that is a JSON object, and confirms the line, as json-line.as.ts explains. JSON.parse
// decides about any other line. Strings of the fields are interned: equal ones have one number.

import { ARRAY, begin as beginWalk, container, depth, hasBackslash, isAscii, isWhole, lastEscape, OBJECT, stringStart, walk } from './json-line.as';
import { allocateTables, digits, entries, intern, isSame, isText, strings } from './strings.as';

export { digits, entries, intern, strings };
import { numberEnd, readTime, time } from './values.as';

/** The memory layout, shared with src/session/scan/field-scanner.ts. */
const FIELDS: i32 = 1024;
const FIELD_BYTES: i32 = 64;
const MODE_AT: i32 = 32;
const FIRST_AT: i32 = 33;
const END_AT: i32 = 34;
const SLOT_AT: i32 = 36;
/** The newest text of the field: many are equal in every line. */
const NEWEST_AT: i32 = 40;
/** The owners of the containers around the current one, a byte for each. */
const OWNERS: i32 = 12288;
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

/** A container whose fields are not read. */
const UNREAD: i32 = 255;

let recordBytes: i32 = 0;
let itemBytes: i32 = 0;

/** The field whose value the container is; 0 for the line itself. */
let owner: i32 = 0;
/** The field of the next value, 0 if it is not read. */
let tag: i32 = 0;
/** A bit for each field that was read. */
let seen: u64 = 0;
let record: i32 = 0;
let item: i32 = 0;
let listed: i32 = 0;

/** The numbers of records and items of the last scan. */
export let records: i32 = 0;
export let items: i32 = 0;
/** Whether the last line is not confirmed, and whether any other has non-ASCII characters. */
export let isDoubtful: bool = false;
export let isForeign: bool = false;

/** `top`: the end of the memory for lines. */
export function begin(recordSize: i32, itemSize: i32, top: i32, seed: i32): void {
  recordBytes = recordSize;
  itemBytes = itemSize;
  allocateTables(top, seed);
}

/**
 * Scans whole lines from `from` up to `to`, which follows a newline, or to the first one that is not confirmed. Returns
 * the position where it stopped. `itemsBefore`: the number of items of earlier scans.
 */
export function scan(from: i32, to: i32, itemsBefore: i32): i32 {
  let at = from;
  records = 0;
  items = 0;
  isDoubtful = false;
  isForeign = false;
  record = RECORDS;
  while (at < to && !isDoubtful && record + recordBytes <= RECORDS_END && ITEMS + items * itemBytes < ITEMS_END / 4 * 3) {
    at = scanLine(at, itemsBefore);
    records += 1;
    record += recordBytes;
  }
  return at;
}

function scanLine(start: i32, itemsBefore: i32): i32 {
  const firstItem = items;
  beginLine();
  const end = walk<FieldReader>(start);
  if (isWhole) {
    store<u32>(record, <u32>(itemsBefore + firstItem + 1) | (isAscii ? 0 : FOREIGN), ITEM_AT);
    if (!isAscii) isForeign = true;
  } else {
    items = firstItem;
    isDoubtful = true;
  }
  store<u32>(record, end - start);
  return end;
}

function beginLine(): void {
  memory.fill(record, 0, recordBytes);
  beginWalk(0);
  owner = UNREAD;
  tag = 0;
  seen = 0;
  listed = 0;
}

/** Takes the values of the fields. */
@unmanaged
class FieldReader {
  key(end: i32): bool {
    return owner == UNREAD || takeKey(end);
  }

  text(end: i32): bool {
    return tag == 0 || takeString(end);
  }

  open(at: i32, kind: i32): bool {
    return takeContainer(kind);
  }

  close(at: i32, kind: i32): void {
    if (kind == ARRAY && owner != UNREAD) {
      write(owner, ARRAY_VALUE, listed);
      listed = 0;
    }
    owner = <i32>load<u8>(OWNERS + depth - 1);
  }

  scalar(at: i32, byte: i32): i32 {
    return takeScalar(at, byte);
  }
}

@inline
function fieldAt(field: i32): i32 {
  return FIELDS + field * FIELD_BYTES;
}

/** Finds the field of a key. A key with escapes, or a repeated one, is left to JSON.parse. */
function takeKey(end: i32): bool {
  const length = end - stringStart;
  const last = <i32>load<u8>(fieldAt(owner), END_AT);
  const first = load<u64>(stringStart) & (length < 8 ? (1 << <u64>(length * 8)) - 1 : ~0);
  let field = <i32>load<u8>(fieldAt(owner), FIRST_AT);
  // Most names differ in their first eight bytes; behind a name are zeros.
  while (field < last && (load<u64>(fieldAt(field), 1) != first || !isName(field, length))) field += 1;
  if (field == last) return lastEscape <= stringStart || !hasBackslash(stringStart, end);
  tag = field;
  const bit: u64 = 1 << <u64>field;
  const isFirst = (seen & bit) == 0;
  seen |= bit;
  return isFirst;
}

/** Whether a field has the current name, of which the first eight bytes are the same. */
function isName(field: i32, length: i32): bool {
  if (<i32>load<u8>(fieldAt(field)) != length) return false;
  return length <= 8 || isSame(fieldAt(field) + 9, stringStart + 8, length - 8);
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

function takeContainer(kind: i32): bool {
  store<u8>(OWNERS + depth, <u8>owner);
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

/** The end of a number, true, false or null that begins here; 0 if there is none. */
function takeScalar(at: i32, byte: i32): i32 {
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
