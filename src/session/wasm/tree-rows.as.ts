// AssemblyScript, compiled to WebAssembly by `npm run wasm`.
//
// Writes the rows of a tree as lines of JSON, a few hundred at once, from numbers alone. It stops at a row that needs
// more: a label, a non-standard id, a type or role that is not in the table, a time outside the years 0 to 9999.

/** The memory layout, shared with row-writer.ts. */
const LENGTHS: i32 = 512;
const TEXTS: i32 = 1024;
const TEXT_BYTES: i32 = 64;
const ROWS: i32 = 8192;
const ROW_BYTES: i32 = 56;
const OUTPUT: i32 = 65536;

/** The numbers of the texts: first the keys, in their order, then the text after each state, then the end. */
const TIME: i32 = 7;
const STATES: i32 = 10;
const END: i32 = 13;
const NULL: i32 = 14;
const NAMES: i32 = 15;
let types: i32 = 0;
let roles: i32 = 0;

/** The states of a row: not active, active, the leaf; larger numbers are invalid. */
const MOST_STATES: u32 = 3;

const ID_KIND: i32 = 22;
const PARENT_KIND: i32 = 16;
const TARGET_KIND: i32 = 18;
const DIGITS: u32 = 2;
const STRANGE: u32 = 3;

const DAY: f64 = 86400000;
/** The year 10,000. */
const LATEST: f64 = 253402300800000;

let out: i32 = 0;

/** The end of the output of the last call. */
export let end: i32 = OUTPUT;

/** The number of types and roles among the texts. */
export function setNames(typeCount: i32, roleCount: i32): void {
  types = typeCount;
  roles = roleCount;
}

/** Writes rows from the one numbered `from` up to `to` (exclusive). Returns the first one that it did not write. */
export function write(from: i32, to: i32): i32 {
  out = OUTPUT;
  let row = from;
  while (row < to && writeRow(ROWS + row * ROW_BYTES)) row += 1;
  end = out;
  return row;
}

function writeRow(row: i32): bool {
  const time = load<f64>(row, 8);
  const flags = load<u32>(row, 16);
  const state = load<u32>(row, 52);
  const type = <i32>(flags & 0xff);
  const role = <i32>((flags >> 8) & 0xff);
  const id = (flags >> ID_KIND) & 3;
  const parent = (flags >> PARENT_KIND) & 3;
  const target = (flags >> TARGET_KIND) & 3;
  if (state >= MOST_STATES || type > types || role > roles) return false;
  if (id == STRANGE || parent == STRANGE || target == STRANGE) return false;
  if (!(time >= 0 && time < LATEST && floor(time) == time)) return false;
  text(0);
  writeId(id, load<u32>(row, 20));
  text(1);
  writeId(parent, load<u32>(row, 24));
  text(2);
  small(load<u32>(row, 40));
  text(3);
  integer(<u64>load<f64>(row, 32));
  text(4);
  integer(<u64>load<f64>(row));
  text(5);
  text(type == 0 ? NULL : NAMES + type - 1);
  text(6);
  text(role == 0 ? NULL : NAMES + types + role - 1);
  text(TIME);
  writeTime(time);
  text(8);
  small(load<u32>(row, 44));
  text(9);
  small(load<u32>(row, 48));
  text(STATES + <i32>state);
  writeId(target, load<u32>(row, 28));
  text(END);
  return true;
}

/** Copies the whole slot, which is faster than computing the length. */
function text(number: i32): void {
  const from = TEXTS + number * TEXT_BYTES;
  for (let at = 0; at < TEXT_BYTES; at += 16) v128.store(out + at, v128.load(from + at));
  out += <i32>load<u8>(LENGTHS + number);
}

function writeId(kind: u32, digits: u32): void {
  if (kind != DIGITS) return text(NULL);
  const bytes = i32x4.splat(bswap<u32>(digits));
  const low = v128.and(bytes, i8x16.splat(0x0f));
  const high = i8x16.shr_u(bytes, 4);
  const both = v128.shuffle<u8>(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const hex = i8x16(0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66);
  store<u8>(out, 0x22);
  v128.store(out + 1, i8x16.swizzle(hex, both));
  store<u8>(out + 9, 0x22);
  out += 10;
}

function integer(value: u64): void {
  if (value < 1000000000) return small(<u32>value);
  integer(value / 1000000000);
  padded(<u32>(value % 1000000000), 9);
}

function small(value: u32): void {
  let size = 1;
  for (let rest = value; rest >= 10; rest /= 10) size += 1;
  padded(value, size);
}

function padded(value: u32, size: i32): void {
  let rest = value;
  for (let at = out + size - 1; at >= out; at -= 1) {
    store<u8>(at, <u8>(0x30 + (rest % 10)));
    rest /= 10;
  }
  out += size;
}

/** In the format of Date.toISOString. */
function writeTime(time: f64): void {
  const day = <u32>(time / DAY);
  const rest = <u32>(time - <f64>day * DAY);
  sign(0x22);
  writeDate(day);
  sign(0x54);
  padded(rest / 3600000, 2);
  sign(0x3a);
  padded((rest / 60000) % 60, 2);
  sign(0x3a);
  padded((rest / 1000) % 60, 2);
  sign(0x2e);
  padded(rest % 1000, 3);
  sign(0x5a);
  sign(0x22);
}

/** A day, counted from 1970, in the Gregorian calendar, with years that begin in March so that leap days come last. */
function writeDate(day: u32): void {
  const days = day + 719468;
  const era = days / 146097;
  const dayOfEra = days % 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const month = (5 * dayOfYear + 2) / 153;
  const isNextYear = month > 9;
  padded(era * 400 + yearOfEra + (isNextYear ? 1 : 0), 4);
  sign(0x2d);
  padded(isNextYear ? month - 9 : month + 3, 2);
  sign(0x2d);
  padded(dayOfYear - (153 * month + 2) / 5 + 1, 2);
}

function sign(byte: u8): void {
  store<u8>(out, byte);
  out += 1;
}
