/** Private characters, which no terminal is shown: they stand for lines. */
const FIRST = 0xf0000;
const SIGN = /[\u{f0000}-\u{10ffff}]/gu;

/** The sign of the line of a number. */
export function signOf(line: number): string {
  return String.fromCodePoint(FIRST + line);
}

/** Puts lines where their signs stand. */
export function filled(places: string, lines: readonly string[]): string {
  return places.replace(SIGN, (sign) => lines[(sign.codePointAt(0) ?? 0) - FIRST] ?? '');
}
