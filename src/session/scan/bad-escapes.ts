const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-f]{4})?/gi;

/** JSON without the backslashes that begin no escape, such as that of `\*`. */
export function withoutBadEscapes(text: string): string {
  return text.replaceAll(ESCAPE, (escape) => (escape === '\\' ? '' : escape));
}
