import { splitShellWords, unquoteShellWord } from '#base/shell.js';

/** The words that a user typed after a command, split like those of a shell; nothing in them is run or looked up. */
export function splitWords(typed: string): readonly string[] {
  return splitShellWords(typed).map(unquoteShellWord);
}

/** A line that is being typed. Its words have no quotes. */
export interface TypedLine {
  /** The complete words. */
  readonly words: readonly string[];
  /** The text before the last word, as typed. */
  readonly before: string;
  /** The word that is being typed; empty after a blank. */
  readonly last: string;
}

/** Reads a line whose last word is being typed. */
export function readTypedLine(typed: string): TypedLine {
  const words = splitShellWords(typed);
  const newest = words.at(-1) ?? '';
  // A blank in quotes or after a backslash is in the word, which then still reaches the end of the line.
  if (!typed.endsWith(newest)) return { words: words.map(unquoteShellWord), before: typed, last: '' };
  return {
    words: words.slice(0, -1).map(unquoteShellWord),
    before: typed.slice(0, typed.length - newest.length),
    last: unquoteShellWord(newest),
  };
}

/**
 * Quotes a word for `splitWords`, if necessary. `toShellWord` would also quote what a shell looks up, such as
 * `@{turn:3}` or `$HOME`, which the user types here as it is.
 */
export function quoteWord(word: string): string {
  return /^[^\s'"\\]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
