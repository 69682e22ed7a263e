import { splitShellWords, unquoteShellWord } from '#base/shell.js';

/** The words that a user typed after a command, split like those of a shell; nothing in them is run or looked up. */
export function splitWords(typed: string): readonly string[] {
  return splitShellWords(typed).map(unquoteShellWord);
}

/** A line that is being typed: its complete words, the last one, which may be empty, and the text before that. */
export function readCommandText(typed: string) {
  const words = splitShellWords(typed);
  const isOpen = words.length > 0 && !/(?:^|[^\\])\s$/.test(typed);
  const raw = isOpen ? (words.at(-1) ?? '') : '';
  return {
    words: (isOpen ? words.slice(0, -1) : words).map(unquoteShellWord),
    before: typed.slice(0, typed.length - raw.length),
    last: unquoteShellWord(raw),
  };
}

/** A word as it has to be typed. */
export function quoteWord(word: string): string {
  return /^[^\s'"\\]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
