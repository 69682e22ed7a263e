import { dollars as money, startOf } from '#base/words.js';

/** A time in UTC, to the minute. */
export function timeText(time: number | null): string {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function dollars(cost: number | null): string {
  return money(cost, 'not recorded');
}

/** The start of a text on one line. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${startOf(text, most)}…`;
}

/** The parts that are not empty, in one line. */
export function joined(parts: readonly string[], separator = ' · '): string {
  return parts.filter((part) => part !== '').join(separator);
}

export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
