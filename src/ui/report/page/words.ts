import { count, dollars as money } from '#base/words.js';

export { count, percent, plural, shortCount } from '#base/words.js';
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

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${count(bytes)} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

/** The start of a text on one line. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}
