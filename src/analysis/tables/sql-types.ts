import type { ColumnKind } from './define.js';

/** The SQL names of the kinds. */
export const SQL_TYPES = {
  text: 'VARCHAR',
  whole: 'BIGINT',
  money: 'DECIMAL(18,9)',
  time: 'TIMESTAMP',
  truth: 'BOOLEAN',
} as const satisfies Readonly<Record<ColumnKind, string>>;

/** The digits of an amount of money, and its decimal places. */
export const MONEY_DIGITS = { precision: 18, scale: 9 };

const MOST_DOLLARS = 10 ** (MONEY_DIGITS.precision - MONEY_DIGITS.scale) - 1;

/**
 * The distance within which a billionth is the exact one for a product below 2 ** 40, however the product was rounded.
 */
const NEAR = 0.49;

const MOST_NEAR = 2 ** 40;

/** Dollars in billionths, exact: millions times a billion would not be. Files may contain any number; null for NaN. */
export function toBillionths(dollars: number): number | bigint | null {
  const amount = Math.max(-MOST_DOLLARS, Math.min(MOST_DOLLARS, dollars));
  if (Number.isNaN(amount)) return null;
  const product = amount * 10 ** MONEY_DIGITS.scale;
  const nearest = Math.round(product);
  if (Math.abs(product) < MOST_NEAR && Math.abs(product - nearest) < NEAR) return nearest;
  return BigInt(amount.toFixed(MONEY_DIGITS.scale).replace('.', ''));
}
