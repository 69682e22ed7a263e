// AssemblyScript for line-scanner.as.ts.
//
// The shape of a line of JSON as a number, from its tokens: the keys in their order, the kinds of values, and the values of
// `type`, `role` and `op`. A result that depends on nothing else is the same for all lines of one shape. Other strings and
// numbers do not matter, and neither does the content of `data`, `details`, `arguments` and `parameters`.

import { hasBackslash } from './json-line.as';

const PRIME: u64 = 0x9e3779b97f4a7c15;
/** Numbers with fewer digits before the point are always finite. */
const MOST_DIGITS: i32 = 15;
const LONGEST_KEY: i32 = 256;
/** The tokens of the usual beginning of a message, as one. */
const BEGINNING: u64 = 0x62;
/** One for both kinds, since the line is valid. */
const CLOSED: u64 = 0x7d;

const NEVER: i32 = 0x7fffffff;

let seed: u64 = 0;
let hash: u64 = 0;
/** Whether the line contains something that its shape does not cover. */
let isDoubtful: bool = false;
/** The depth inside an arbitrary field; 0 outside, NEVER if the shapes are not wanted. */
let freeDepth: i32 = 0;
let isFreeNext: bool = false;
let isTagNext: bool = false;

/** Shapes are comparable only with the same seed. A random one prevents crafted collisions. */
export function seedShapes(value: u64): void {
  seed = value;
}

export function beginShape(isWanted: bool): void {
  hash = seed;
  isDoubtful = !isWanted;
  freeDepth = isWanted ? 0 : NEVER;
  isFreeNext = false;
  isTagNext = false;
}

/** The usual beginning of a message, up to the key `role`. */
export function shapeBeginning(): void {
  mix(BEGINNING);
  isTagNext = true;
}

/** The shape of the line; 0 if it cannot be determined. */
export function shape(): f64 {
  return isDoubtful ? 0 : <f64>(hash >> 11);
}

@inline
function mix(value: u64): void {
  hash = (hash ^ value) * PRIME;
  hash ^= hash >> 32;
}

/** `escapes`: whether something may be escaped in the key. */
export function shapeKey(start: i32, end: i32, escapes: bool): void {
  if (freeDepth != 0) return;
  takeWord(start, end, escapes);
  isTagNext = isTag(start, end - start);
  isFreeNext = isFreeForm(start, end - start);
}

export function shapeText(start: i32, end: i32, escapes: bool): void {
  if (freeDepth != 0) return;
  if (isTagNext) takeWord(start, end, escapes);
  else mix(start == end ? 0x65 : 0x73);
  isTagNext = false;
  isFreeNext = false;
}

/** `kind`: that of json-line.as.ts. `depth`: the number of containers around it. */
export function shapeOpen(kind: i32, depth: i32): void {
  if (freeDepth != 0) return;
  mix(kind);
  if (isFreeNext) freeDepth = depth + 1;
  isTagNext = false;
  isFreeNext = false;
}

/** `depth`: the number of containers up to this one. */
export function shapeClose(depth: i32): void {
  if (freeDepth == depth) freeDepth = 0;
  if (freeDepth == 0) mix(CLOSED);
}

/** All numbers are equal, except those that may be too large. */
export function shapeScalar(start: i32, end: i32): void {
  if (freeDepth != 0) return;
  isTagNext = false;
  isFreeNext = false;
  const first = <i32>load<u8>(start);
  if (first > 0x39) return mix(first);
  mix(0x30);
  let at = start;
  while (at < end && (load<u8>(at) == 0x2d || <u32>(<i32>load<u8>(at) - 0x30) < 10)) at += 1;
  if (at - start > MOST_DIGITS) isDoubtful = true;
  for (; at < end; at += 1) if ((load<u8>(at) | 0x20) == 0x65 && load<u8>(at + 1) != 0x2d) isDoubtful = true;
}

/** Reads a key, or a string that matters, eight bytes at a time. With escapes, its text is unknown. */
function takeWord(start: i32, end: i32, escapes: bool): void {
  if (end - start > LONGEST_KEY || (escapes && hasBackslash(start, end))) isDoubtful = true;
  let at = start;
  for (; at < end - 7; at += 8) mix(load<u64>(at));
  const left = <u64>(end - at);
  mix((load<u64>(at) & ((1 << (left * 8)) - 1)) | (left + 8) << 56);
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

/** `data`, `details`, `arguments` and `parameters`. */
function isFreeForm(start: i32, length: i32): bool {
  if (length == 4) return load<u32>(start) == 0x61746164;
  if (length == 7) return load<u32>(start) == 0x61746564 && load<u32>(start + 3) == 0x736c6961;
  if (length == 9) return load<u64>(start) == 0x746e656d75677261 && load<u8>(start + 8) == 0x73;
  return length == 10 && load<u64>(start) == 0x6574656d61726170 && load<u16>(start + 8) == 0x7372;
}
