import { timeText as isoText } from '#base/time.js';
import { dollars as money } from '#base/words.js';

/** A time in UTC, to the minute. */
export function timeText(time: number | null): string {
  const text = isoText(time);
  return text === null ? '' : `${text.slice(0, 16).replace('T', ' ')} UTC`;
}

export function dollars(cost: number | null): string {
  return money(cost, 'not recorded');
}

/** The parts that are not empty, in one line. */
export function joined(parts: readonly string[], separator = ' · '): string {
  return parts.filter((part) => part !== '').join(separator);
}

export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
