// AssemblyScript for the scanners that look at blocks of 64 bytes: line-scanner.as.ts and line-fields.as.ts.

@inline
export function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>(<u32>i8x16.bitmask(a)) |
    (<u64>(<u32>i8x16.bitmask(b)) << 16) |
    (<u64>(<u32>i8x16.bitmask(c)) << 32) |
    (<u64>(<u32>i8x16.bitmask(d)) << 48)
  );
}

/** Bit i is the parity of the bits up to i: set from an opening quote up to the closing one. */
@inline
export function prefixXor(quotes: u64): u64 {
  let x = quotes;
  x ^= x << 1;
  x ^= x << 2;
  x ^= x << 4;
  x ^= x << 8;
  x ^= x << 16;
  x ^= x << 32;
  return x;
}

@inline
export function newlinesIn(a: v128, b: v128, c: v128, d: v128): u64 {
  const newline = i8x16.splat(0x0a);
  return bits(i8x16.eq(a, newline), i8x16.eq(b, newline), i8x16.eq(c, newline), i8x16.eq(d, newline));
}

/** The characters allowed after a backslash: " / \ b f n r t u, tested by both halves of the byte. */
@inline
export function escapeSigns(a: v128, b: v128, c: v128, d: v128): u64 {
  return bits(isEscapeSign(a), isEscapeSign(b), isEscapeSign(c), isEscapeSign(d));
}

@inline
export function isEscapeSign(bytes: v128): v128 {
  const byLow = i8x16(0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
  const byHigh = i8x16(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
  const low = i8x16.swizzle(byLow, v128.and(bytes, i8x16.splat(0x0f)));
  const highHalf = i8x16.swizzle(byHigh, i8x16.shr_u(bytes, 4));
  return i8x16.ne(v128.and(low, highHalf), i8x16.splat(0));
}

@inline
export function unicodeSigns(a: v128, b: v128, c: v128, d: v128): u64 {
  const u = i8x16.splat(0x75);
  return bits(i8x16.eq(a, u), i8x16.eq(b, u), i8x16.eq(c, u), i8x16.eq(d, u));
}

/** Whether four hex digits of either case are here, as after \u. */
export function isHex(from: i32): bool {
  for (let at = from; at < from + 4; at += 1) {
    const byte = <u32>load<u8>(at);
    if (byte - 0x30 > 9 && (byte | 0x20) - 0x61 > 5) return false;
  }
  return true;
}

export function behindNewline(from: i32): i32 {
  let at = from;
  let newlines: u64 = 0;
  while (newlines == 0) {
    newlines = newlinesIn(v128.load(at), v128.load(at, 16), v128.load(at, 32), v128.load(at, 48));
    at += 64;
  }
  return at - 63 + <i32>ctz(newlines);
}

/** The most frequent characters after a backslash, besides quotes and backslashes: n and t. */
@inline
export function lineAndTabSigns(a: v128, b: v128, c: v128, d: v128): u64 {
  return bits(isLineOrTabSign(a), isLineOrTabSign(b), isLineOrTabSign(c), isLineOrTabSign(d));
}

@inline
export function isLineOrTabSign(bytes: v128): v128 {
  return v128.or(i8x16.eq(bytes, i8x16.splat(0x6e)), i8x16.eq(bytes, i8x16.splat(0x74)));
}

export function hasBackslash(start: i32, end: i32): bool {
  for (let at = start; at < end; at += 1) if (load<u8>(at) == 0x5c) return true;
  return false;
}
