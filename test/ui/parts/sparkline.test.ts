import { describe, expect, it } from 'vitest';
import { bar, sparkline } from '#ui/parts/sparkline.js';

describe('a sparkline', () => {
  it('is as high as its values', () => {
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBe('▁▂▃▄▅▆▇█');
    expect(sparkline([0, 0], 8)).toBe('▁▁');
    expect(sparkline([], 8)).toBe('');
  });

  it('takes the mean of neighbours where there are more values than cells', () => {
    expect(sparkline([0, 2, 8, 8], 2)).toBe('▂█');
    expect(
      sparkline(
        Array.from({ length: 1001 }, () => 1),
        50,
      ).length,
    ).toBeLessThanOrEqual(50);
  });
});

describe('a bar', () => {
  it('is as long as its share, and never nothing for something', () => {
    expect(bar(10, 10, 4)).toBe('████');
    expect(bar(5, 10, 4)).toBe('██');
    expect(bar(3, 16, 2)).toBe('▍');
    expect(bar(1, 1e9, 4)).toBe('▏');
    expect([bar(0, 10, 4), bar(0, 0, 4)]).toEqual(['', '']);
  });
});
