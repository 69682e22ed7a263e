import { Buffer } from 'node:buffer';

/**
 * Decodes all JSON escapes of a value, also those of JSON inside JSON, so that all forms of one value become equal.
 */
export function decodeEscapes(value: string): string {
  if (!value.includes('\\')) return value;
  return value.replaceAll(ESCAPE, (_all, hex?: string, letter?: string, sign?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return letter === undefined ? (sign ?? '\\') : (CONTROLS[letter] ?? letter);
  });
}

const ESCAPE = /\\+(?:u([\da-fA-F]{4})|([nrtbf])|(["'/])|)/g;
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const LETTERS = new Map(Object.entries(CONTROLS).map(([letter, control]) => [control, letter]));

/** The maximum number of backslashes before an escape, which limits the levels of JSON inside JSON. */
const MOST_BACKSLASHES = 64;
const BACKSLASHES = `(?:\\\\{1,${MOST_BACKSLASHES}}|%(?:25)?5[cC])`;
const ANY_BACKSLASHES = `\\\\{0,${MOST_BACKSLASHES}}`;

/** The minimum bytes of a value to search in base64. Shorter values occur in any base64 by chance. */
const LEAST_BYTES = 6;

/** A way in which a value is written. */
export interface ValueForm {
  /**
   * A plain text that is in the bytes of every line with this form, unless letters are escaped; null: there is none.
   */
  readonly anchor: string | null;
  /**
   * Regular expressions, each for the text after the previous one: a single one for a long value would be too large.
   */
  readonly sources: readonly string[];
}

/**
 * A value, see `decodeEscapes`, as it is and as JSON, JSON in JSON, addresses and HTML write it, and what base64 makes
 * of it.
 */
export function listValueForms(value: string): readonly ValueForm[] {
  const plain = decodeEscapes(value);
  return [{ anchor: findAnchor(plain), sources: buildValuePatterns(plain) }, ...listBase64Forms(value)];
}

function buildValuePatterns(plain: string): readonly string[] {
  return splitIntoParts(Array.from(plain)).map((characters) =>
    characters
      .map((character) => {
        const piece = characterPatterns.get(character) ?? buildCharacterPattern(character);
        characterPatterns.set(character, piece);
        return piece;
      })
      .join(''),
  );
}

/** The pattern of each character that was needed so far. */
const characterPatterns = new Map<string, string>();

const CHARACTERS_OF_A_PART = 100;

function splitIntoParts(characters: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(characters.length / CHARACTERS_OF_A_PART) }, (_, at) =>
    characters.slice(at * CHARACTERS_OF_A_PART, (at + 1) * CHARACTERS_OF_A_PART),
  );
}

const UNRESERVED = /^[A-Za-z0-9_.~-]$/;

/** No two of the ways to write a character begin with the same, so nothing is tried twice. */
function buildCharacterPattern(character: string): string {
  const itself = character.replace(/[\\^$.*+?()[\]{}|/-]/, String.raw`\$&`);
  if (UNRESERVED.test(character)) return itself;
  const other = [buildPercentPattern(character), ENTITIES[character]].filter((way) => way !== undefined);
  if (character === '\\') return BACKSLASHES;
  if (character === ' ') return `(?:${[' ', '\\+', ...other].join('|')})`;
  const letter = LETTERS.get(character);
  const short = letter === undefined ? [] : [`${BACKSLASHES}${letter}`];
  const plain = letter === undefined ? `${ANY_BACKSLASHES}${itself}` : itself;
  return `(?:${[plain, ...short, buildUnicodePattern(character), ...other].join('|')})`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&(?:quot|#34);',
  "'": '&(?:apos|#39|#x27);',
};

/** `\u00e9`, in two parts for a character of two code units. */
function buildUnicodePattern(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `${BACKSLASHES}u${matchAnyCase(unit.toString(16).padStart(4, '0'))}`).join('');
}

/** `%C3%A9`, also where the percent sign was itself written so. */
function buildPercentPattern(character: string): string | undefined {
  // Half a character has no bytes.
  if (/^[\ud800-\udfff]$/.test(character)) return undefined;
  return Array.from(
    Buffer.from(character),
    (byte) => `%(?:25)?${matchAnyCase(byte.toString(16).padStart(2, '0'))}`,
  ).join('');
}

function matchAnyCase(hex: string): string {
  return hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/**
 * The base64 forms of a value, for each of the three places that it may begin at, with the characters that it shares
 * with its neighbours.
 */
function listBase64Forms(value: string): readonly ValueForm[] {
  const plain = decodeEscapes(value);
  return (plain === value ? [value] : [value, plain]).flatMap((text) => listBase64FormsOfBytes(Buffer.from(text)));
}

function listBase64FormsOfBytes(bytes: Buffer): readonly ValueForm[] {
  if (bytes.length < LEAST_BYTES) return [];
  return [0, 1, 2].map((before) => buildBase64Form(bytes, before));
}

/** The base64 form of bytes that have `before` other bytes before them, in their group of three. */
function buildBase64Form(bytes: Buffer, before: number): ValueForm {
  const all = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const sharesFirst = before > 0;
  const sharesLast = (before + bytes.length) % 3 !== 0;
  // The part that depends on the value alone.
  const core = all.slice(sharesFirst ? before + 1 : 0, sharesLast ? -1 : undefined);
  const patterns = Array.from(core, buildBase64Pattern);
  if (sharesFirst) patterns.unshift(ANY_BASE64);
  if (sharesLast) patterns.push(ANY_BASE64);
  return { anchor: findAnchor(core), sources: splitIntoParts(patterns).map((part) => part.join('')) };
}

/** A character of base64, also as it is in addresses. */
function buildBase64Pattern(character: string): string {
  if (character === '+') return '[+-]';
  return character === '/' ? `(?:${ANY_BACKSLASHES}/|_)` : character;
}

const ANY_BASE64 = '[A-Za-z0-9+/_-]?';

const LEAST_ANCHOR = 3;
const LONGEST_ANCHOR = 48;

/** The longest piece that is written in the same way everywhere. */
function findAnchor(text: string): string | null {
  const runs = text.match(/[A-Za-z0-9_.~-]+/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  return longest.length < LEAST_ANCHOR ? null : longest.slice(0, LONGEST_ANCHOR);
}
