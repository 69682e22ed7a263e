import { cut } from '#analysis/facts/text.js';
import { isObject, type JsonObject } from '#base/json.js';
import { tokensOfValue } from '#context/replay/tokens.js';
import { sizeOf } from '../notes.js';
import { FOLDED } from './fold-line.js';

/**
 * The arguments of a call with their long texts cut to the beginning, at any depth; names and types stay. The same
 * object where no text has more tokens than `most`. `where` says where the whole of it still is.
 */
export function shortArguments(args: JsonObject, most: number, where: string): JsonObject {
  const shorten = (text: string): string => {
    if (tokensOfValue(text) <= most || isFolded(text)) return text;
    const short = `${cut(text, LONGEST_BEGINNING)} ${FOLDED}${sizeOf(text)}; ${where}]`;
    return short.length < text.length ? short : text;
  };
  return shortObject(args, shorten, 0);
}

const LONGEST_BEGINNING = 160;

/** A beginning may be a code unit shorter, so as not to end inside a character. */
function isFolded(text: string): boolean {
  return /^.{1,2} … \[folded: [^\]]*\]$/s.test(text.slice(LONGEST_BEGINNING - ' …'.length - 2));
}

type Shorten = (text: string) => string;

function shortObject(value: JsonObject, shorten: Shorten, depth: number): JsonObject {
  const entries = Object.entries(value);
  const short = entries.map(([name, each]) => [name, shortValue(each, shorten, depth)] as const);
  return short.every(([, each], at) => each === entries[at]?.[1]) ? value : Object.fromEntries(short);
}

function shortValue(value: unknown, shorten: Shorten, depth: number): unknown {
  if (typeof value === 'string') return shorten(value);
  if (depth >= DEEPEST) return value;
  if (isObject(value)) return shortObject(value, shorten, depth + 1);
  if (!Array.isArray(value)) return value;
  const short = value.map((each) => shortValue(each, shorten, depth + 1));
  return short.every((each, at) => each === value[at]) ? value : short;
}

/** No tool takes texts that lie deeper; a stored session may hold anything. */
const DEEPEST = 16;
