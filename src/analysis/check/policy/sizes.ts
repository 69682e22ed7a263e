/** The bytes of each unit of size: kB by thousands, KiB by 1024. */
const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** `10MB`, `1.5 GiB`. */
export const SIZE = /^(\d{1,15}(?:\.\d{1,3})?) ?((?:[kKmMgG]i?)?[bB])$/;

export function bytesOf(size: number | string): number {
  if (typeof size === 'number') return size;
  const [, digits, unit = ''] = SIZE.exec(size) ?? [];
  return Number(digits) * (UNITS[unit.toLowerCase()] ?? 1);
}

/** A number of bytes in a sentence: `12,300,000 bytes`. */
export function inBytes(bytes: number): string {
  return `${grouped(bytes)} bytes`;
}

/** Groups thousands by commas, independent of the locale. */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}
