import * as z from 'zod/mini';
import { formatCount } from '#base/numbers.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, NEXT } from '../example.js';

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
export const SIZE_PATTERN = /^(\d{1,15}(?:\.\d{1,3})?) ?((?:[kKmMgG]i?)?[bB])$/;

const SIZE_SAID = 'must be a number of bytes, or a size such as "50MB" or "10MiB"';

const fileSize = z.strictObject({
  max: z
    .union([z.int().check(z.positive()), z.string().check(z.regex(SIZE_PATTERN, SIZE_SAID))], SIZE_SAID)
    .check(z.describe('The maximum size: bytes, or `"50MB"`, `"10MiB"`.')),
});

export default defineRule({
  name: 'max-file-size',
  severity: null,
  summary: 'The file is larger than allowed',
  help:
    'Pi reads the whole file when it opens a session, and keeps it in memory. A compaction makes the context ' +
    'smaller and the file larger, since nothing is ever removed from it. To continue with a small file, start a new ' +
    'session.',
  options: fileSize,
  example: {
    fires: [HEADER, ...ANSWERED, NEXT],
    silent: [HEADER, ...ANSWERED],
    options: { max: '0.75kB' },
  },
  looksAt: 'session',
  *find({ scan: { size } }, { max }): Generator<Hit> {
    const allowed = toBytes(max);
    if (size > allowed)
      yield { message: `the file has ${describeBytes(size)}, more than the ${describeBytes(allowed)} allowed` };
  },
});

export function toBytes(size: number | string): number {
  if (typeof size === 'number') return size;
  const [, digits, unit = ''] = SIZE_PATTERN.exec(size) ?? [];
  return Number(digits) * (UNITS[unit.toLowerCase()] ?? 1);
}

/** A number of bytes in a sentence: `12,300,000 bytes`. */
export function describeBytes(bytes: number): string {
  return `${formatCount(bytes)} bytes`;
}
