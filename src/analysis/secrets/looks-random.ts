import { sumBy } from '#base/lists.js';
import { incrementCount } from '#base/maps.js';

/**
 * Whether the value of a secret-like name is a secret, and not a word, a name, a path, a template or a call. It is a
 * heuristic: a password made of words is not found.
 */
export function looksRandom(value: string, least = 8): boolean {
  if (value.length < least || value.length > MOST) return false;
  if (!HAS_LETTER.test(value) || !HAS_DIGIT.test(value.replace(WITH_DIGITS, ''))) return false;
  if (isOfWords(value) || IS_CODE.test(value) || IS_PLACE.test(value) || IS_NAMED.test(value) || isMadeUp(value))
    return false;
  return measureEntropy(value) >= (value.length < 16 ? 2.5 : 3) && hasManyChanges(value);
}

const MOST = 400;

/** Random values change between letters, digits and cases at least once in this number of characters. */
const CHARACTERS_OF_A_WORD = 7;

export const HAS_DIGIT = /[0-9]/;

const HAS_LETTER = /[A-Za-z]/;

const WITH_DIGITS = /x509|oauth\d|sha\d+|md5|base\d\d|utf\d+|ec2|s3|k8s|ipv\d|ed25519|rsa\d+|es\d+|v\d+/gi;

/** Templates, variables, calls, members of objects, format strings, classes of characters, names in camel case. */
const IS_CODE =
  /\$\{|\$\(|\{\{|^\$|^[<[{(]|[\])}>]$|\(\)|%[sdv(]|\w\(|\w\[|[A-Z]-Z|a-z|0-9|&&|\|\||=>|\.(?:env|get|value|current|data|config|[a-z]+[A-Z][a-z]+)\b|^[a-z]{3,}(?:[A-Z][a-z]{2,}|\d{1,2})*$/;

/** Paths, URLs, files, dates. */
const IS_PLACE =
  /\/[a-z-]+\/|^(?:\.{0,2}|~|[A-Za-z]:\\?)\/|:\/\/|^www\.|\.(?:[jt]sx?|json|ya?ml|py|go|rs|md|txt|pem|html?|com|org|net|io|dev)\b|^\d{4}-\d\d-\d\d/;

/** Hashes of packages and files, ids of models and versions. */
const IS_NAMED = /^sha\d{1,3}[-:]|^v?\d+\.\d+|^(?:claude|gpt|gemini|grok|llama|mistral|qwen)-/i;

/** Names have longer words and fewer digits than random values: `x-aws-ec2-metadata`, `isFirstToken2`. */
function isOfWords(value: string): boolean {
  const words = value.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  const letters = sumBy(words, ({ length }) => length);
  const digits = value.replace(/\D/g, '').length;
  return letters / words.length >= LETTERS_OF_A_WORD && digits / value.length < DIGITS_OF_A_NAME;
}

const LETTERS_OF_A_WORD = 3;

const DIGITS_OF_A_NAME = 0.12;

/** Shannon entropy, in bits per character. */
export function measureEntropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) incrementCount(counts, character);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** Whether the kind of character changes more often than in words. */
export function hasManyChanges(value: string): boolean {
  let count = 0;
  for (let at = 1; at < value.length; at += 1) {
    if (classifyCharacter(value, at) !== classifyCharacter(value, at - 1)) count += 1;
  }
  return count >= Math.max(2, value.length / CHARACTERS_OF_A_WORD);
}

function classifyCharacter(value: string, at: number): 'digit' | 'large' | 'small' | 'other' {
  const code = value.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return 'digit';
  if (code >= 0x41 && code <= 0x5a) return 'large';
  return code >= 0x61 && code <= 0x7a ? 'small' : 'other';
}

/**
 * Whether a value is a placeholder for a secret: `sk-xxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`, `ghp_1234567890abcdef`.
 * One random value in a few thousand looks like that.
 */
export function isMadeUp(value: string): boolean {
  return hasPlaceholderWord(value) || ONE_OVER_AND_OVER.test(value) || isInOrder(value) || isOfFewCharacters(value);
}

/** Whether words in a value mark it as a placeholder: `your-key`, `changeme`. */
export function hasPlaceholderWord(value: string): boolean {
  return SAYS_SO.test(value);
}

const SAYS_SO =
  /example|placeholder|redacted|replace|change_?me|dummy|sample|your[-_a-z]|insert|fake_|_fake|not[-_]?a[-_]|\.\.\.|\*\*\*|<|…|•/i;

const ONE_OVER_AND_OVER = /([A-Za-z0-9])\1{6}|([Xx])\2{3}|(0{5})|^(.{1,4})\4{3,8}$/;

const LONGEST_ORDER = 8;

/** Letters or digits in alphabetical order: `12345678`, `abcdefgh`. */
function isInOrder(value: string): boolean {
  let length = 1;
  for (let at = 1; at < Math.min(value.length, 200); at += 1) {
    const before = value.charCodeAt(at - 1);
    const now = value.charCodeAt(at);
    // 0 follows 9.
    length = now === before + 1 || (before === 0x39 && now === 0x30) ? length + 1 : 1;
    if (length >= LONGEST_ORDER) return true;
  }
  return false;
}

/** A random hex value of 32 digits has 14 different ones. */
function isOfFewCharacters(value: string): boolean {
  return value.length >= 16 && new Set(value.slice(0, 200)).size < 7;
}
