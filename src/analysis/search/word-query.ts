import escapeStringRegexp from 'escape-string-regexp';

/** Words, phrases and beginnings of words that a user looks for. */
export interface WordQuery {
  readonly terms: readonly Term[];
}

/** Words that follow each other. */
export interface Term {
  readonly words: readonly string[];
  /** Whether the last one is only the beginning of a word. */
  readonly isPrefix: boolean;
}

/**
 * Reads what a user typed: words, "a phrase" in quotes, and beginnings such as compact*. Signs between letters part
 * words, as in file names, which become phrases. Null if there is no letter and no digit.
 */
export function readWordQuery(typed: string): WordQuery | null {
  const terms: Term[] = [];
  for (const [, phrase, word = ''] of typed.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const words = Array.from((phrase ?? word).matchAll(WORD), ([one]) => one);
    if (words.length > 0) terms.push({ words, isPrefix: phrase === undefined && word.endsWith('*') });
  }
  return terms.length === 0 ? null : { terms };
}

/** A word, as SQLite parts texts: letters, digits and private characters. */
const WORD = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;

/** A term, as a user types it without quotes. */
export function formatTerm({ words, isPrefix }: Term): string {
  return `${words.join(' ')}${isPrefix ? '*' : ''}`;
}

/** A query of SQLite's full-text search that asks for all terms, or for any of them. */
export function toMatchExpression({ terms }: WordQuery, wants: 'all' | 'any'): string {
  const quoted = terms.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? '*' : ''}`);
  return quoted.join(wants === 'all' ? ' AND ' : ' OR ');
}

/** Matches the terms in a text in its decomposed form (NFD): accents and case do not count, as in the index. */
export function toPatterns({ terms }: WordQuery): readonly RegExp[] {
  return terms.map(({ words, isPrefix }) => {
    const inner = words.map(toLoosePattern).join(String.raw`[^\p{L}\p{N}]+`);
    return new RegExp(String.raw`(?<![\p{L}\p{N}])${inner}${isPrefix ? '' : String.raw`(?![\p{L}\p{N}])`}`, 'giu');
  });
}

function toLoosePattern(word: string): string {
  const letters = word.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return Array.from(letters, (letter) => String.raw`${escapeStringRegexp(letter)}\p{M}*`).join('');
}
