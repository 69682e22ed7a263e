import { describe, expect, it } from 'vitest';
import { dollars } from '#base/words.js';

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
    expect(dollars(cost)).toBe(text);
  });

  it('replaces a cost that is not recorded', () => {
    expect(dollars(null)).toBe('cost not recorded');
    expect(dollars(null, '?')).toBe('?');
  });
});
