const NEEDS_NO_QUOTES = /^[\p{L}\p{N}_@%+=:,./-][\p{L}\p{M}\p{N}_@%+=:,./~-]*$/u;

/** Quotes a word of a command line for a shell, if necessary. */
export function toShellWord(text: string): string {
  return NEEDS_NO_QUOTES.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The words of a typed line with their quotes, split like those of a shell. */
export function splitShellWords(typed: string): readonly string[] {
  return typed.match(/(?:\\.|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|[^\s'"\\]|\\$)+/gs) ?? [];
}

/** A word without its quotes. Nothing in it is run or looked up. */
export function unquoteShellWord(word: string): string {
  return word.replaceAll(
    /\\(.)|'([^']*)(?:'|$)|"((?:\\.|[^"\\])*)(?:"|$)|\\$/gs,
    (_all, escaped: string | undefined, single: string | undefined, double: string | undefined) =>
      escaped ?? single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? '',
  );
}
