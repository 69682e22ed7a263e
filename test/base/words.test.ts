import { describe, expect, it } from 'vitest';
import { formatDollars } from '../../src/base/dollars.js';
import { formatBytes } from '../../src/base/numbers.js';

describe('dollars', () => {
  it.each([
    [0, '$0.00'],
    [0.00001, '<$0.0001'],
    [0.0425, '$0.0425'],
    [0.0949, '$0.0949'],
    [0.095, '$0.10'],
    [26.281, '$26.28'],
    [999.994, '$999.99'],
    [999.996, '$1,000'],
    [12_345.6, '$12,346'],
  ])('prints %f as %s', (cost, text) => {
    expect(formatDollars(cost)).toBe(text);
  });

  it('replaces a cost that is not recorded', () => {
    expect(formatDollars(null)).toBe('cost not recorded');
    expect(formatDollars(null, '?')).toBe('?');
  });
});

it.each([
  [0, '0 B'],
  [812, '812 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9949, '9.9 kB'],
  [9950, '10 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [48_200_000, '48 MB'],
  [1_000_000_000, '1.0 GB'],
  [2_000_000_000_000, '2000 GB'],
])('writes %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
