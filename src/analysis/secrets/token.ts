import { type SecretPattern, shaped } from './define.js';
import { changesOften, isMadeUp } from './looks-random.js';

/** The characters of tokens, in the syntax of regular expressions. */
export const HEX = 'a-f0-9';
export const SMALL = 'a-z0-9';
export const ALNUM = 'A-Za-z0-9';
export const BASE64 = 'A-Za-z0-9+/';
export const BASE64URL = 'A-Za-z0-9_-';

/** A hyphen may also be that of a diff. */
export const NOT_IN_WORD = '(?<![A-Za-z0-9_]|[A-Za-z0-9_]-)';

/** A kind of token: its prefix, its characters and their number. */
export type TokenRow = readonly [kind: string, prefix: string, characters: string, least: number, most?: number];

/** One pattern for each row. */
export function tokens(rows: readonly TokenRow[]): readonly SecretPattern[] {
  return rows.map(([kind, prefix, characters, least, most = least]) =>
    shaped({
      kind,
      anchors: [`\\b${prefix}[${characters}]{${least}}`],
      // A longer text is another kind of token.
      pattern: new RegExp(`${NOT_IN_WORD}${escaped(prefix)}[${characters}]{${least},${most}}(?![${characters}])`, 'g'),
      isSecret: (token) => isRandomEnough(token.slice(prefix.length)),
      example(dice) {
        const secret = prefix + dice(characters, least);
        return { text: secret, secret };
      },
      counterexamples: [`${prefix}${'x'.repeat(least)}`, `${prefix}…`, `the prefix ${prefix} alone`],
    }),
  );
}

/** A short one is likely a name if it does not look random. */
export function isRandomEnough(rest: string): boolean {
  return !isMadeUp(rest) && (HAS_DIGIT.test(rest) || changesOften(rest));
}

const HAS_DIGIT = /\d/;

function escaped(text: string): string {
  return text.replace(/[.$/+]/g, '\\$&');
}
