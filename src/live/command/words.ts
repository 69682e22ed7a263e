/** The words that a user typed after a command, split like those of a shell; nothing in them is run or looked up. */
export function wordsOf(typed: string): readonly string[] {
  return (typed.match(WORD) ?? []).map(unquoted);
}

/** A line that is being typed: its complete words, and the place and text of the last one, which may be empty. */
export interface TypedLine {
  readonly words: readonly string[];
  /** The text before the last word. */
  readonly before: string;
  readonly last: string;
}

export function typedLine(typed: string): TypedLine {
  const words = typed.match(WORD) ?? [];
  const isOpen = words.length > 0 && !/(?:^|[^\\])\s$/.test(typed);
  const raw = isOpen ? (words.at(-1) ?? '') : '';
  return {
    words: (isOpen ? words.slice(0, -1) : words).map(unquoted),
    before: typed.slice(0, typed.length - raw.length),
    last: unquoted(raw),
  };
}

/** A word as it has to be typed. */
export function typedWord(word: string): string {
  return /^[^\s'"\\]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const WORD = /(?:\\.|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|[^\s'"\\]|\\$)+/g;

function unquoted(word: string): string {
  return word.replaceAll(
    /\\(.)|'([^']*)(?:'|$)|"((?:\\.|[^"\\])*)(?:"|$)|\\$/g,
    (_all, escaped: string | undefined, single: string | undefined, double: string | undefined) =>
      escaped ?? single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? '',
  );
}
