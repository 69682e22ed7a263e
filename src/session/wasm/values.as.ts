// AssemblyScript for the scanners that read values: line-scanner.as.ts and line-fields.as.ts.

/** The time that was read last, in milliseconds since 1970. */
export let time: f64 = 0;

/** The end of a number; 0 if it is none. */
export function numberEnd(from: i32, first: i32): i32 {
  let at = from;
  if (first == 0x2d) at += 1;
  if (load<u8>(at) == 0x30) at += 1;
  else {
    const digits = behindDigits(at);
    if (digits == at) return 0;
    at = digits;
  }
  if (load<u8>(at) == 0x2e) {
    const digits = behindDigits(at + 1);
    if (digits == at + 1) return 0;
    at = digits;
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    at += 1;
    const sign = load<u8>(at);
    if (sign == 0x2b || sign == 0x2d) at += 1;
    const digits = behindDigits(at);
    if (digits == at) return 0;
    at = digits;
  }
  return at;
}

function behindDigits(from: i32): i32 {
  let at = from;
  while (<u32>(<i32>load<u8>(at) - 0x30) < 10) at += 1;
  return at;
}

/** Reads a time in Pi's format, 2026-01-05T09:00:00.000Z, as milliseconds. */
export function readTime(at: i32): bool {
  const year = digits(at, 4);
  const month = digits(at + 5, 2);
  const day = digits(at + 8, 2);
  const hour = digits(at + 11, 2);
  const minute = digits(at + 14, 2);
  const second = digits(at + 17, 2);
  const millisecond = digits(at + 20, 3);
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || millisecond < 0) return false;
  if (load<u8>(at + 4) != 0x2d || load<u8>(at + 7) != 0x2d || load<u8>(at + 10) != 0x54) return false;
  if (load<u8>(at + 13) != 0x3a || load<u8>(at + 16) != 0x3a) return false;
  if (load<u8>(at + 19) != 0x2e || load<u8>(at + 23) != 0x5a) return false;
  const seconds = <f64>dayNumber(year, month, day) * 86400 + <f64>(hour * 3600 + minute * 60 + second);
  time = seconds * 1000 + <f64>millisecond;
  return true;
}

/** -1 if a character is not a digit. */
function digits(at: i32, length: i32): i32 {
  let value = 0;
  for (let end = at + length; at < end; at += 1) {
    const digit = <i32>load<u8>(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function daysIn(year: i32, month: i32): i32 {
  if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** Days since 1970 in the Gregorian calendar, with years that begin in March so that leap days come last. */
function dayNumber(year: i32, month: i32, day: i32): i32 {
  const y = month > 2 ? year : year - 1;
  const era = (y >= 0 ? y : y - 399) / 400;
  const yearOfEra = y - era * 400;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}
