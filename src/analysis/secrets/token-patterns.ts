import escapeStringRegexp from 'escape-string-regexp';
import { definePattern, type SecretPattern } from './define.js';
import { HAS_DIGIT, hasManyChanges, isMadeUp } from './looks-random.js';

/** The characters of tokens, in the syntax of regular expressions. */
export const HEX = 'a-f0-9';

export const LOWER_ALNUM = 'a-z0-9';

export const ALNUM = 'A-Za-z0-9';

export const BASE64 = 'A-Za-z0-9+/';

export const BASE64URL = 'A-Za-z0-9_-';

/** A hyphen before the token may also belong to a diff. */
export const NOT_IN_WORD = '(?<![A-Za-z0-9_]|[A-Za-z0-9_]-)';

export const NOT_IN_NAME = '(?<![A-Za-z0-9_])';

/** A kind of token: its prefix or prefixes, the characters after it and their number. */
type TokenRow = readonly [
  kind: string,
  prefix: string | readonly string[],
  characters: string,
  least: number,
  most?: number,
];

/** One pattern for each row. */
export function defineTokenPatterns(rows: readonly TokenRow[]): readonly SecretPattern[] {
  return rows.map(([kind, prefix, characters, least, most = least]) => {
    const prefixes = [prefix].flat();
    const start = prefixes.map((one) => escapeStringRegexp(one)).join('|');
    return definePattern({
      kind,
      anchors: prefixes.map((one) => `\\b${one}[${characters}]{${least}}`),
      // A longer text is another kind of token.
      pattern: new RegExp(
        `${isUnmistakable(prefixes, least) ? NOT_IN_NAME : NOT_IN_WORD}(?:${start})(?<rest>[${characters}]{${least},${most}})(?![${characters}])`,
        'g',
      ),
      isSecret: (_token, { rest = '' }) => isRandomEnough(rest),
    });
  });
}

/** Whether a token is one even after a hyphen within a word, such as in an id. */
function isUnmistakable(prefixes: readonly string[], least: number): boolean {
  return prefixes.every((prefix) => prefix.length + least >= LONG && /_$|.{6}/.test(prefix));
}

const LONG = 40;

/** A short one is likely a name if it does not look random. */
export function isRandomEnough(rest: string): boolean {
  return !isMadeUp(rest) && (HAS_DIGIT.test(rest) || hasManyChanges(rest));
}
