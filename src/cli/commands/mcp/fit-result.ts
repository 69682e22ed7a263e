import { CtxError } from '#base/errors.js';
import { isObject } from '#base/json.js';

/** A result of at most a number of characters. */
interface FittedResult {
  /** There is more than fits. */
  readonly isCut: boolean;
  readonly result: Readonly<Record<string, unknown>>;
}

/**
 * Cuts the texts and lists of a result until it has at most `most` characters as JSON: lists until their items fit with
 * short texts, then texts. Throws a CtxError (refused) if it cannot.
 */
export function fitResult(result: unknown, most: number): FittedResult {
  const fits = (value: unknown): boolean => JSON.stringify(value).length <= most;
  if (fits(result)) return { isCut: false, result: result as FittedResult['result'] };
  const items = LIST_LENGTHS.find((length) => fits(shorten(result, SHORT_TEXT, length))) ?? FEWEST_ITEMS;
  const cut = TEXT_LENGTHS.map((length) => shorten(result, length, items)).find(fits);
  if (cut !== undefined) return { isCut: true, result: cut as FittedResult['result'] };
  throw new CtxError('refused', 'the answer is larger than its limit', { hint: 'set a larger maxTokens' });
}

/** The characters of a text, and the items of a list, that are tried one after the other. */
const TEXT_LENGTHS: readonly number[] = [8000, 4000, 2000, 1000, 500, 250, 160, 120, 80, 60, 40];
const LIST_LENGTHS: readonly number[] = [1000, 400, 150, 80, 40, 25, 18, 12, 8, 5];
const FEWEST_ITEMS = 3;
/** The characters of a text that tell enough of an item of a list. */
const SHORT_TEXT = 120;

/** Cuts texts after a number of characters, and lists after a number of items. `name`: that of the member. */
function shorten(value: unknown, characters: number, items: number, name = ''): unknown {
  if (typeof value === 'string') {
    // The name of a file is of no use without its end.
    if (name === 'file' || value.length <= characters) return value;
    return `${value.slice(0, characters)}… [${value.length - characters} more]`;
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, items).map((item: unknown) => shorten(item, characters, items));
    return kept.length === value.length ? kept : [...kept, `… [${value.length - kept.length} more]`];
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, member]) => [key, shorten(member, characters, items, key)]));
}
