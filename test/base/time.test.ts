import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseTimestamp } from '#base/time.js';
import { parseUserTime } from '#base/user-time.js';

const JANUARY_5 = Date.UTC(2026, 0, 5);
const HOUR = 3_600_000;
const NINE = JANUARY_5 + 9 * HOUR;

const KNOWN: readonly (readonly [timestamp: unknown, time: number])[] = [
  ['2026-01-05T09:00:00.000Z', NINE],
  ['2026-01-05T09:00:00.123Z', NINE + 123],
  ['2026-01-05T09:00Z', NINE],
  ['2026-01-05T09:00:00+01:00', NINE - HOUR],
  ['2026-01-05T09:00:00-0330', NINE + 3.5 * HOUR],
  ['2026-01-05T09:00:00', NINE],
  ['2026-01-05T09:00', NINE],
  ['2026-01-05T09:00:00.5', NINE + 500],
  ['2026-01-05 09:00:00', NINE],
  ['2026-01-05 9:00', NINE],
  // Clocks skip this hour in Auckland, and the next one in St. John's.
  ['2026-09-27 02:30:00', Date.UTC(2026, 8, 27, 2, 30)],
  ['2026-03-08 02:30:00', Date.UTC(2026, 2, 8, 2, 30)],
  ['Sep 27 2026 02:30:00', Date.UTC(2026, 8, 27, 2, 30)],
  ['2026-01-05', JANUARY_5],
  ['2026-01', Date.UTC(2026, 0, 1)],
  ['2026', Date.UTC(2026, 0, 1)],
  ['0050-01-01', Date.parse('0050-01-01T00:00:00Z')],
  ['Mon, 05 Jan 2026 09:00:00 GMT', NINE],
  ['Mon, 05 Jan 2026 09:00:00 UT', NINE],
  ['Mon Jan 05 2026 10:00:00 GMT+0100 (Central European Standard Time)', NINE],
  ['Jan 5 2026', JANUARY_5],
  ['January 5, 2026 09:00', NINE],
  ['1/5/2026', JANUARY_5],
  ['5-Jan-2026', JANUARY_5],
  ['01-05-2026', JANUARY_5],
  ['Mon, 05 Jan 2026 09:00:00 EST', NINE + 5 * HOUR],
  [NINE, NINE],
  [0, 0],
  [-1, -1],
  [1.9, 1],
  [null, 0],
];

const UNKNOWN = [
  '',
  ' ',
  'not a date',
  '2026-13-01',
  '2026-01-05T25:00',
  '1767603600000',
  Number.NaN,
  Infinity,
  9e15,
  undefined,
  {},
  [NINE],
];

/** Minutes that a zone is behind UTC at the beginning of 2026. */
const ZONES: readonly (readonly [zone: string, offset: number])[] = [
  ['UTC', 0],
  ['Pacific/Auckland', -780],
  ['America/St_Johns', 210],
];

describe.each(ZONES)('a time, read in %s', (zone, offset) => {
  beforeEach(() => void vi.stubEnv('TZ', zone));
  afterEach(() => void vi.unstubAllEnvs());

  it('has the zone that it should have', () => {
    expect(new Date(2026, 0, 5).getTimezoneOffset()).toBe(offset);
  });

  it.each(KNOWN)('%j is %d', (timestamp, time) => {
    expect(parseTimestamp(timestamp)).toBe(time);
  });

  it.each(UNKNOWN)('%s is no time', (timestamp) => {
    expect(parseTimestamp(timestamp)).toBeNaN();
  });

  it('is not looked for in a text that is too long to be one', () => {
    expect(parseTimestamp(`Jan 5 2026 (${'x'.repeat(100)})`)).toBeNaN();
  });

  it('is what Date says of anything that names its zone', () => {
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (value) => {
        expect(parseTimestamp(value.toISOString())).toBe(value.getTime());
        expect(parseTimestamp(value.getTime())).toBe(value.getTime());
        expect(parseTimestamp(value.toISOString().replace('Z', ''))).toBe(value.getTime());
      }),
    );
  });
});

describe('a time, read in UTC', () => {
  beforeEach(() => void vi.stubEnv('TZ', 'UTC'));
  afterEach(() => void vi.unstubAllEnvs());

  it.each([...KNOWN.map(([timestamp]) => timestamp), ...UNKNOWN.filter((value) => typeof value !== 'object')])(
    '%j is what Pi reads there',
    (timestamp) => {
      expect(parseTimestamp(timestamp)).toBe(new Date(timestamp as string).getTime());
    },
  );
});

describe('a time that a user says', () => {
  const NOW = NINE + 1;

  it.each([
    ['2026-01-05', JANUARY_5],
    ['2026-01', Date.UTC(2026, 0, 1)],
    ['2026-01-05T09:00', NINE],
    ['2026-01-05 09:00', NINE],
    ['2026-01-05T09:00:00.5', NINE + 500],
    ['2026-01-05T09:00Z', NINE],
    ['2026-01-05T10:00+01:00', NINE],
    ['2026-01-05 10:00 +0100', NINE],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2026-02', Date.UTC(2026, 1)],
    ['90s', NOW - 90_000],
    ['30m', NOW - HOUR / 2],
    ['2h', NOW - 2 * HOUR],
    ['3d', NOW - 72 * HOUR],
    ['1w', NOW - 168 * HOUR],
    ['0d', NOW],
  ])('%s', (said, time) => {
    expect(parseUserTime(said, NOW)).toBe(time);
  });

  it.each([
    '',
    'yesterday',
    '2',
    '2 h',
    '-2h',
    '2H',
    '1y',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2025-02-29',
    '2026-04-31T09:30+01:00',
    '05.01.2026',
    '1767603600000',
    '2026-01-05T9',
  ])('%j is none', (said) => {
    expect(parseUserTime(said, NOW)).toBeNaN();
  });
});
