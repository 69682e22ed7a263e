// AssemblyScript, compiled to WebAssembly by `npm run wasm`.
//
// Tests bytes for one text, sixteen places at a time: only a place with the first byte of the text and, at its distance,
// the last one is compared. In the same pass it looks for escapes that JSON does not need, since they can encode the text.

/** The memory layout, shared with literal-finder.ts. */
const LITERAL: i32 = 1024;
const INPUT: i32 = 8192;

const BACKSLASH: i32 = 0x5c;
const LETTER_U: i32 = 0x75;
/** `00`, read as a number. */
const ZEROS: i32 = 0x3030;
/** The first hex digits of printable ASCII characters. */
const FIRST_DIGIT: i32 = 0x32;
const LAST_DIGIT: i32 = 0x37;

/** Whether a text, or an escape of a printable ASCII character, begins in a number of bytes. Bytes after them are read too. */
export function mayHold(bytes: i32, literalBytes: i32): bool {
  const end = INPUT + bytes;
  const last = literalBytes - 1;
  const firstByte = i8x16.splat(load<i8>(LITERAL));
  const lastByte = i8x16.splat(load<i8>(LITERAL + last));
  const backslash = i8x16.splat(<i8>BACKSLASH);
  const letterU = i8x16.splat(<i8>LETTER_U);
  for (let base = INPUT; base < end; base += 16) {
    const block = v128.load(base);
    const asText = v128.and(i8x16.eq(block, firstByte), i8x16.eq(v128.load(base + last), lastByte));
    const asEscape = v128.and(i8x16.eq(block, backslash), i8x16.eq(v128.load(base, 1), letterU));
    let places = i8x16.bitmask(v128.or(asText, asEscape));
    while (places != 0) {
      const at = base + ctz(places);
      if (at < end && (isText(at, literalBytes) || isEscape(at))) return true;
      places &= places - 1;
    }
  }
  return false;
}

function isText(at: i32, length: i32): bool {
  for (let index = 0; index < length; index += 1) if (load<u8>(at + index) != load<u8>(LITERAL + index)) return false;
  return true;
}

function isEscape(at: i32): bool {
  if (load<u8>(at) != BACKSLASH || load<u8>(at, 1) != LETTER_U || load<u16>(at, 2) != ZEROS) return false;
  const digit = <i32>load<u8>(at, 4);
  return digit >= FIRST_DIGIT && digit <= LAST_DIGIT;
}
