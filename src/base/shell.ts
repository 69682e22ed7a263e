const NEEDS_NO_QUOTES = /^[\p{L}\p{N}_@%+=:,./-][\p{L}\p{M}\p{N}_@%+=:,./~-]*$/u;

/** Quotes a word of a command line for a shell, if necessary. */
export function toShellWord(text: string): string {
  return NEEDS_NO_QUOTES.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A word with its quotes. */
const SHELL_WORD = /(?:\\.|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|[^\s'"\\]|\\$)+/gs;

/** The words of a typed line with their quotes, split like those of a shell. */
export function splitShellWords(typed: string): readonly string[] {
  return typed.match(SHELL_WORD) ?? [];
}

/** A command line whose absolute paths are as `shorten` prints them: a shell reads the same files. */
export function shortenCommand(command: string, shorten: (file: string) => string): string {
  return command.replaceAll(SHELL_WORD, (word) => {
    const file = unquoteShellWord(word);
    const short = file.startsWith('/') ? shorten(file) : file;
    if (short === file) return word;
    // A shell reads no tilde in quotes, and a name in the current folder is no flag.
    if (/^~(?:\/|$)/.test(short) && !file.endsWith(`/${short}`))
      return short === '~' ? '~' : `~/${toShellWord(short.slice(2))}`;
    return toShellWord(short.startsWith('-') ? `./${short}` : short);
  });
}

/** A word without its quotes. Nothing in it is run or looked up. */
export function unquoteShellWord(word: string): string {
  return word.replaceAll(
    /\\(.)|'([^']*)(?:'|$)|"((?:\\.|[^"\\])*)(?:"|$)|\\$/gs,
    (_all, escaped: string | undefined, single: string | undefined, double: string | undefined) =>
      escaped ?? single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? '',
  );
}
