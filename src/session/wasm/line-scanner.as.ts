// AssemblyScript, compiled to WebAssembly by `npm run wasm`.
//
// Finds the head of every line that is a JSON object in Pi's format, and confirms the line, as json-line.as.ts
// explains. For any other line it returns only the length, and JSON.parse decides.

import { numberEnd, readTime, time } from './values.as';
import { begin, depth, hasBackslash, isAscii, isWhole, lastEscape, OBJECT, stringStart, walk } from './json-line.as';
import {
  beginShape,
  seedShapes,
  shape,
  shapeBeginning,
  shapeClose,
  shapeKey,
  shapeOpen,
  shapeScalar,
  shapeText,
} from './line-shape.as';

/** The memory layout, shared with line-scanner.ts. */
const NAMES: i32 = 1024;
const NAME_BYTES: i32 = 32;
/** For each length of a key the first one of that length, counted from 1: the keys of an entry, and of a message. */
const LENGTHS: i32 = 4096;
const RECORDS: i32 = 16384;
const RECORD_BYTES: i32 = 48;
const MOST_RECORDS: i32 = 8192;
/** The record of each line with non-ASCII characters, counted from 0, and its start. */
const FOREIGN: i32 = 409600;
const FOREIGN_BYTES: i32 = 8;

/** The beginning of most messages, with ones where it is constant; the rest is read. */
const BEGINNING: i32 = 6144;
const BEGINNING_MASK: i32 = 6400;
const BEGINNING_BYTES: i32 = 128;
const ID_AT: i32 = 24;
const PARENT_AT: i32 = 46;
const TIME_AT: i32 = 69;
const ROLE_AT: i32 = 113;

/** Names in the table: keys of an entry, keys of its message, then types, then roles. */
const ENTRY_KEYS: i32 = 0;
const MESSAGE_KEYS: i32 = 9;
const TYPES: i32 = 14;
let types: i32 = 0;
let roles: i32 = 0;

/** The keys of an entry and of its message, shorter ones first. */
const ID: i32 = 1;
const TYPE: i32 = 2;
const USAGE: i32 = 3;
const MESSAGE: i32 = 4;
const SUMMARY: i32 = 5;
const PARENT: i32 = 6;
const TARGET: i32 = 7;
const TIMESTAMP: i32 = 8;
const FIRST_KEPT: i32 = 9;
const ROLE: i32 = 10;
const MESSAGE_USAGE: i32 = 11;
const IS_ERROR: i32 = 12;
const TOOL_CALL_ID: i32 = 13;
const RESPONSE_MODEL: i32 = 14;

const MESSAGE_TYPE: i32 = 1;

/** The outcomes of a tool call. */
const SUCCEEDED: i32 = 1;
const FAILED: i32 = 2;

/** The kinds of ids: missing, null, or eight hex digits. */
const NULL: i32 = 1;
const DIGITS: i32 = 2;

/** The key of the next value, if it matters; else 0. */
let tag: i32 = 0;
let seen: i32 = 0;
let isInMessage: bool = false;
let usageDepth: i32 = 0;
let usageTag: i32 = 0;

let type: i32 = 0;
let role: i32 = 0;
let idDigits: u32 = 0;
let hasId: bool = false;
let parentKind: i32 = 0;
let parentDigits: u32 = 0;
let targetKind: i32 = 0;
let targetDigits: u32 = 0;
let keptKind: i32 = 0;
let keptDigits: u32 = 0;
let hasSummary: bool = false;
let hasTime: bool = false;
let usageStart: i32 = 0;
let usageEnd: i32 = 0;
let messageUsageStart: i32 = 0;
let messageUsageEnd: i32 = 0;
let outcome: i32 = 0;
let hex: u32 = 0;

/** The number of types and roles in the table of names, and the seed of shapes. Records where the keys of each length begin. */
export function setNames(typeCount: i32, roleCount: i32, seed: f64): void {
  seedShapes(<u64>seed);
  types = typeCount;
  roles = roleCount;
  for (let name = TYPES - 1; name >= 0; name -= 1) {
    const set = name < MESSAGE_KEYS ? ENTRY_KEYS : MESSAGE_KEYS;
    store<u8>(LENGTHS + set * NAME_BYTES + load<u8>(NAMES + name * NAME_BYTES), <u8>(name + 1));
  }
}

/** The number of records of the last scan, and of those for lines with non-ASCII characters. */
export let records: i32 = 0;
export let foreign: i32 = 0;

let isShaped: bool = false;

/**
 * Scans whole lines from `from` up to `to`, which follows a newline, and determines their shapes if they are wanted.
 * Returns the position where it stopped.
 */
export function scan(from: i32, to: i32, withShapes: bool): i32 {
  isShaped = withShapes;
  let at = from;
  let count = 0;
  foreign = 0;
  while (at < to && count < MOST_RECORDS) {
    at = scanLine(at, RECORDS + count * RECORD_BYTES);
    count += 1;
  }
  records = count;
  return at;
}

function scanLine(start: i32, record: i32): i32 {
  beginHead();
  const end = walk<HeadReader>(start + takeBeginning(start));
  if (isWhole && isKnown()) vouch(record, start, end);
  else doubt(record, end - start);
  return end;
}

function beginHead(): void {
  begin(0);
  beginShape(isShaped);
  tag = 0;
  seen = 0;
  isInMessage = false;
  usageDepth = 0;
  type = 0;
  role = 0;
  hasId = false;
  parentKind = 0;
  targetKind = 0;
  keptKind = 0;
  hasSummary = false;
  hasTime = false;
  usageEnd = 0;
  messageUsageEnd = 0;
  outcome = 0;
}

/**
 * Most lines are messages, and begin as Pi writes them up to the role. That is compared at once, without walking it
 * token by token. Returns its length; 0 if the line begins differently.
 */
function takeBeginning(start: i32): i32 {
  let differs = i8x16.splat(0);
  for (let at = 0; at < BEGINNING_BYTES; at += 16) {
    const other = v128.xor(v128.load(start + at), v128.load(BEGINNING + at));
    differs = v128.or(differs, v128.and(other, v128.load(BEGINNING_MASK + at)));
  }
  if (v128.any_true(differs) || !readTime(start + TIME_AT)) return 0;
  if (!readId(start + PARENT_AT)) return 0;
  parentDigits = hex;
  if (!readId(start + ID_AT)) return 0;
  idDigits = hex;
  hasTime = true;
  hasId = true;
  parentKind = DIGITS;
  type = MESSAGE_TYPE;
  begin(2);
  shapeBeginning();
  isInMessage = true;
  seen = (1 << TYPE) | (1 << ID) | (1 << PARENT) | (1 << TIMESTAMP) | (1 << MESSAGE) | (1 << ROLE);
  tag = ROLE;
  return ROLE_AT;
}

/** Takes the parts of a head, and the shape. */
@unmanaged
class HeadReader {
  key(end: i32): bool {
    shapeKey(stringStart, end, lastEscape > stringStart);
    if (depth == 1) return takeKey(ENTRY_KEYS, MESSAGE_KEYS, end);
    if (depth == 2 && isInMessage) return takeKey(MESSAGE_KEYS, TYPES, end);
    return true;
  }

  text(end: i32): bool {
    shapeText(stringStart, end, lastEscape > stringStart);
    return tag == 0 || takeString(end);
  }

  open(at: i32, kind: i32): bool {
    shapeOpen(kind, depth);
    return tag == 0 || takeContainer(at, kind);
  }

  close(at: i32, kind: i32): void {
    shapeClose(depth);
    if (depth == 2) isInMessage = false;
    if (depth != usageDepth) return;
    usageDepth = 0;
    if (usageTag == USAGE) usageEnd = at + 1;
    else messageUsageEnd = at + 1;
  }

  scalar(at: i32, byte: i32): i32 {
    const end = takeScalar(at, byte);
    shapeScalar(at, end);
    return end;
  }
}

/** Records the key. A key with escapes, or a repeated one, is left to JSON.parse. */
function takeKey(first: i32, last: i32, end: i32): bool {
  const length = end - stringStart;
  let key = length < NAME_BYTES ? <i32>load<u8>(LENGTHS + first * NAME_BYTES + length) : 0;
  while (key != 0) {
    const slot = NAMES + (key - 1) * NAME_BYTES;
    if (key > last || <i32>load<u8>(slot) != length) key = 0;
    else if (memory.compare(slot + 1, stringStart, length) == 0) break;
    else key += 1;
  }
  if (key == 0) return lastEscape <= stringStart || !hasBackslash(stringStart, end);
  // Of these, only whether a message has one, and not a second one, matters.
  tag = key == RESPONSE_MODEL || key == TOOL_CALL_ID ? 0 : key;
  const bit = 1 << key;
  const isFirst = (seen & bit) == 0;
  seen |= bit;
  return isFirst;
}

/** The index of a string among some of the names, from 1; 0 if it is none of them. */
function nameOf(first: i32, last: i32, end: i32): i32 {
  const length = end - stringStart;
  for (let name = first; name < last; name += 1) {
    const slot = NAMES + name * NAME_BYTES;
    if (<i32>load<u8>(slot) == length && memory.compare(slot + 1, stringStart, length) == 0) return name - first + 1;
  }
  return 0;
}

function takeString(end: i32): bool {
  const taken = tag;
  tag = 0;
  const length = end - stringStart;
  switch (taken) {
    case TYPE:
      type = nameOf(TYPES, TYPES + types, end);
      return type != 0;
    case ROLE:
      role = nameOf(TYPES + types, TYPES + types + roles, end);
      return role != 0;
    case TIMESTAMP:
      hasTime = length == 24 && readTime(stringStart);
      return hasTime;
    case SUMMARY:
      hasSummary = length > 0;
      return true;
    case MESSAGE:
    case IS_ERROR:
      return false;
    case USAGE:
    case MESSAGE_USAGE:
      return true;
    default:
      return length == 8 && readId(stringStart) && takeDigits(taken);
  }
}

function takeDigits(taken: i32): bool {
  if (taken == ID) {
    idDigits = hex;
    hasId = true;
  } else if (taken == PARENT) {
    parentDigits = hex;
    parentKind = DIGITS;
  } else if (taken == TARGET) {
    targetDigits = hex;
    targetKind = DIGITS;
  } else {
    keptDigits = hex;
    keptKind = DIGITS;
  }
  return true;
}

/** Reads eight hex digits in lower case into `hex`. */
function readId(at: i32): bool {
  const bytes = v128.load64_zero(at);
  const digits = i8x16.sub(bytes, i8x16.splat(0x30));
  const letters = i8x16.sub(bytes, i8x16.splat(0x61));
  const isDigit = i8x16.lt_u(digits, i8x16.splat(10));
  const isLetter = i8x16.lt_u(letters, i8x16.splat(6));
  if (i64x2.extract_lane(v128.or(isDigit, isLetter), 0) != -1) return false;
  const values = v128.bitselect(digits, i8x16.add(letters, i8x16.splat(10)), isDigit);
  // The first digit is the lowest byte: neighbours are combined, then pairs of them, then all.
  let x = <u64>i64x2.extract_lane(values, 0);
  x = ((x << 4) | (x >> 8)) & 0x00ff00ff00ff00ff;
  x = (x | (x >> 8)) & 0x0000ffff0000ffff;
  hex = bswap<u32>(<u32>(x | (x >> 16)));
  return true;
}

function takeContainer(at: i32, kind: i32): bool {
  const taken = tag;
  tag = 0;
  if (taken == MESSAGE) {
    isInMessage = kind == OBJECT;
    return isInMessage;
  }
  if (taken != USAGE && taken != MESSAGE_USAGE) return false;
  if (kind == OBJECT) {
    usageDepth = depth + 1;
    usageTag = taken;
    if (taken == USAGE) usageStart = at;
    else messageUsageStart = at;
  }
  return true;
}

/** The end of a number, true, false or null that begins here; 0 if there is none. */
function takeScalar(at: i32, byte: i32): i32 {
  const taken = tag;
  tag = 0;
  if (byte == 0x6e) {
    if (load<u32>(at) != 0x6c6c756e) return 0;
    if (taken == PARENT) parentKind = NULL;
    else if (taken == TARGET) targetKind = NULL;
    else if (taken == FIRST_KEPT) keptKind = NULL;
    else if (taken != 0 && taken != USAGE && taken != MESSAGE_USAGE) return 0;
    return at + 4;
  }
  if (taken == IS_ERROR && (byte == 0x74 || byte == 0x66)) outcome = byte == 0x74 ? FAILED : SUCCEEDED;
  else if (taken != 0 && taken != USAGE && taken != MESSAGE_USAGE) return 0;
  if (byte == 0x74) return load<u32>(at) == 0x65757274 ? at + 4 : 0;
  if (byte == 0x66) return load<u32>(at + 1) == 0x65736c61 ? at + 5 : 0;
  return numberEnd(at, byte);
}

/** Whether all parts of a head were found. A message has a role. */
function isKnown(): bool {
  return hasId && hasTime && type != 0 && (type != MESSAGE_TYPE || role != 0);
}

/** The table of types begins with those whose heads hold more than ids: message, compaction, those with a target, a branch's summary. */
function vouch(record: i32, start: i32, end: i32): void {
  const isMessage = type == MESSAGE_TYPE;
  let kind = 0;
  let target: u32 = 0;
  if (type == 2) {
    kind = keptKind;
    target = keptDigits;
  } else if (type == 3 || type == 4) {
    kind = targetKind;
    target = targetDigits;
  }
  const from = isMessage ? messageUsageStart : usageStart;
  const to = isMessage ? messageUsageEnd : usageEnd;
  const says: u32 = type == 5 && hasSummary ? 1 : (seen >> RESPONSE_MODEL) & 1 ? 2 : 0;
  const parts = isMessage ? (role << 8) | (outcome << 20) : 0;
  const flags = type | parts | (parentKind << 16) | (kind << 18) | (DIGITS << 22) | (says << 24);
  if (!isAscii) {
    const place = FOREIGN + foreign * FOREIGN_BYTES;
    store<i32>(place, (record - RECORDS) / RECORD_BYTES);
    store<i32>(place, start, 4);
    foreign += 1;
  }
  store<f64>(record, <f64>(end - start));
  store<f64>(record, time, 8);
  store<u32>(record, flags, 16);
  store<u32>(record, idDigits, 20);
  store<u32>(record, parentDigits, 24);
  store<u32>(record, target, 28);
  store<u32>(record, to == 0 ? 0 : from - start, 32);
  store<u32>(record, to == 0 ? 0 : to - from, 36);
  store<f64>(record, shape(), 40);
}

function doubt(record: i32, length: i32): void {
  store<f64>(record, <f64>length);
  store<u32>(record, 0, 16);
}
