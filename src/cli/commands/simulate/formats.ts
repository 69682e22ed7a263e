import { formatDollars, formatRecordedCost } from '#base/dollars.js';
import { formatShortCount } from '#base/numbers.js';
import type { Spread } from '#lab/simulate/document.js';

/** Prints dollars; null as `?`. */
export type Money = (cost: number | null) => string;

/** Chooses how dollars are printed: with `~` where listed prices are assumed for any model. */
export function chooseMoney({ length }: readonly string[]): Money {
  return (cost) => (length === 0 ? formatDollars(cost, '?') : formatRecordedCost(null, cost, '?'));
}

export function formatSignedPercent(share: number): string {
  const value = share * 100;
  const text = Math.abs(value) < 10 ? value.toFixed(1) : value.toFixed(0);
  return `${value > 0 ? '+' : ''}${/^-0(?:\.0)?$/.test(text) ? text.slice(1) : text}%`;
}

export function formatSignedCount(value: number): string {
  const size = formatShortCount(Math.abs(Math.round(value)));
  if (value === 0) return '0';
  return value > 0 ? `+${size}` : `-${size}`;
}

/** A spread of shares: the middle, and where eight of ten lie. */
export function describeSpread(spread: Spread | null, text: (value: number) => string): string {
  return spread === null ? '?' : `${text(spread.median)} (${text(spread.p10)}..${text(spread.p90)})`;
}
