import { dollars as money } from '#base/words.js';

export { byteSize, count, percent, plural, shortCount } from '#base/words.js';
export { assumedNote } from '#context/size/window.js';
export { visible, visibleLine } from '#base/visible.js';

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
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}
