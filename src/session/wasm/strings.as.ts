// AssemblyScript for line-fields.as.ts: a table of strings, each of them once, numbered from 1.

/** The offset, length and hash of each string. */
const ENTRY_BYTES: i32 = 16;
const LENGTH_AT: i32 = 4;
const HASH_AT: i32 = 8;
const BLOCK: i32 = 65536;
const FIRST_ROOM: i32 = 2048;

/** The end of the memory in use. */
let top: i32 = 0;
/** The memory for the next strings. */
let free: i32 = 0;
let freeEnd: i32 = 0;
/** Places by hash, half of them empty. */
let places: i32 = 0;
let room: i32 = 0;
let hashSeed: u64 = 0;

/** Where the entries begin, and their number. */
export let entries: i32 = 0;
export let strings: i32 = 0;

export function allocateTables(from: i32, seed: i32): void {
  top = from;
  hashSeed = <u64>seed;
  room = FIRST_ROOM;
  entries = allocate(room * ENTRY_BYTES);
  places = emptyPlaces();
}

function emptyPlaces(): i32 {
  const bytes = room * 2 * 4;
  const at = allocate(bytes);
  memory.fill(at, 0, bytes);
  return at;
}

function allocate(bytes: i32): i32 {
  const at = top;
  top += (bytes + 15) & ~15;
  const missing = top + BLOCK - (memory.size() << 16);
  if (missing > 0) memory.grow((missing >> 16) + 8);
  return at;
}

/** Whether a string has this number. */
export function isText(number: i32, at: i32, length: i32): bool {
  const entry = entries + number * ENTRY_BYTES;
  return load<i32>(entry, LENGTH_AT) == length && isSame(load<i32>(entry), at, length);
}

/** The value of the eight hex digits in lower case with which a string begins; -1 if it does not begin so. */
export function digits(number: i32): f64 {
  const entry = entries + number * ENTRY_BYTES;
  if (load<i32>(entry, LENGTH_AT) < 8) return -1;
  let value: u32 = 0;
  let at = load<i32>(entry);
  for (const end = at + 8; at < end; at += 1) {
    const byte = <u32>load<u8>(at);
    if (byte - 0x30 < 10) value = (value << 4) | (byte - 0x30);
    else if (byte - 0x61 < 6) value = (value << 4) | (byte - 0x57);
    else return -1;
  }
  return <f64>value;
}

/** The number of a string. */
export function intern(at: i32, length: i32): i32 {
  const hash = hashOf(at, length);
  const mask = room * 2 - 1;
  let place = <i32>hash & mask;
  while (true) {
    const number = load<i32>(places + place * 4);
    if (number == 0) break;
    const entry = entries + number * ENTRY_BYTES;
    if (load<u32>(entry, HASH_AT) == hash && load<i32>(entry, LENGTH_AT) == length && isSame(load<i32>(entry), at, length))
      return number;
    place = (place + 1) & mask;
  }
  strings += 1;
  const number = strings;
  store<i32>(places + place * 4, number);
  const entry = entries + number * ENTRY_BYTES;
  store<i32>(entry, copyOf(at, length));
  store<i32>(entry, length, LENGTH_AT);
  store<u32>(entry, hash, HASH_AT);
  if (strings + 1 >= room) grow();
  return number;
}

function copyOf(at: i32, length: i32): i32 {
  if (free + length + 8 > freeEnd) {
    const bytes = max(BLOCK, length + 8);
    free = allocate(bytes);
    freeEnd = free + bytes;
  }
  const copy = free;
  memory.copy(copy, at, length);
  free += (length + 7) & ~7;
  return copy;
}

function grow(): void {
  const old = entries;
  room *= 2;
  entries = allocate(room * ENTRY_BYTES);
  memory.copy(entries, old, (strings + 1) * ENTRY_BYTES);
  places = emptyPlaces();
  const mask = room * 2 - 1;
  for (let number = 1; number <= strings; number += 1) {
    let place = load<i32>(entries + number * ENTRY_BYTES, HASH_AT) & mask;
    while (load<i32>(places + place * 4) != 0) place = (place + 1) & mask;
    store<i32>(places + place * 4, number);
  }
}

/** Eight bytes at a time; what lies behind the string is masked. */
function hashOf(from: i32, length: i32): u32 {
  let hash: u64 = (hashSeed ^ <u64>length) + 0x9e3779b97f4a7c15;
  let at = from;
  for (const end = from + (length & ~7); at < end; at += 8) hash = mixed(hash, load<u64>(at));
  const rest = length & 7;
  if (rest) hash = mixed(hash, load<u64>(at) & ((1 << <u64>(rest * 8)) - 1));
  return <u32>(hash ^ (hash >> 32));
}

@inline
function mixed(hash: u64, bytes: u64): u64 {
  const product = (hash ^ bytes) * 0x9fb21c651e98df25;
  return product ^ (product >> 29);
}

export function isSame(one: i32, other: i32, length: i32): bool {
  const whole = length & ~7;
  for (let at = 0; at < whole; at += 8) if (load<u64>(one + at) != load<u64>(other + at)) return false;
  const rest = length & 7;
  if (!rest) return true;
  return ((load<u64>(one + whole) ^ load<u64>(other + whole)) & ((1 << <u64>(rest * 8)) - 1)) == 0;
}
