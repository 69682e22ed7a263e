/** Groups thousands by commas, independent of the locale. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 entry`, `2 entries`. */
export function pluralize(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

/** A short number of tokens: 812, 1.2k, 12k, 1.2M. */
export function formatShortCount(value: number): string {
  if (value < 1000) return String(value);
  if (value < 10_000) return `${(value / 1000).toFixed(1)}k`;
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB'] as const;

/** A number of bytes in units of 1000: 812 B, 1.2 kB, 48 MB, 1.0 GB. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let power = 0;
  for (; value >= 999.5 && power < BYTE_UNITS.length - 1; power += 1) value /= 1000;
  return `${value.toFixed(power > 0 && value < 9.95 ? 1 : 0)} ${BYTE_UNITS[power] ?? ''}`;
}

export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return '0%';
  const value = (part / whole) * 100;
  return value > 0 && value < 1 ? '<1%' : `${Math.round(value)}%`;
}

/** The whole number that a user writes: `200000`, `1,000`, `1_000`, `1.5k` or `1M`; null for anything else. */
export function readCount(text: string): number | null {
  const [, digits, unit] = /^(\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*(?:\.\d+)?)([kKmM]?)$/.exec(text) ?? [];
  if (digits === undefined) return null;
  const value = multiplyByUnit(digits.replaceAll(/[,_]/g, ''), unit ?? '');
  return Number.isInteger(value) || value > Number.MAX_SAFE_INTEGER ? value : null;
}

/** Exact in decimals: no binary fraction is multiplied. */
function multiplyByUnit(digits: string, unit: string): number {
  const [whole = '', fraction = ''] = digits.split('.');
  const zeros = { '': 0, k: 3, m: 6 }[unit.toLowerCase()] ?? 0;
  return Number(`${whole}${fraction.padEnd(zeros, '0')}`) / 10 ** Math.max(0, fraction.length - zeros);
}

/** A positive number of tokens in a configuration: a number, or a text such as `200k`; null for anything else. */
export function readConfiguredCount(value: unknown): number | null {
  const count = typeof value === 'string' ? readCount(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : null;
}
