import { describe, expect, it } from 'vitest';
import { renderBar, renderSparkline } from '#ui/parts/sparkline.js';

describe('a sparkline', () => {
  it('is as high as its values', () => {
    expect(renderSparkline([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBe('▁▂▃▄▅▆▇█');
    expect(renderSparkline([0, 0], 8)).toBe('▁▁');
    expect(renderSparkline([], 8)).toBe('');
  });

  it('takes the mean of neighbours where there are more values than cells', () => {
    expect(renderSparkline([0, 2, 8, 8], 2)).toBe('▂█');
    expect(
      renderSparkline(
        Array.from({ length: 1001 }, () => 1),
        50,
      ).length,
    ).toBeLessThanOrEqual(50);
  });
});

describe('a bar', () => {
  it('is as long as its share, and never nothing for something', () => {
    expect(renderBar(10, 10, 4)).toBe('████');
    expect(renderBar(5, 10, 4)).toBe('██');
    expect(renderBar(3, 16, 2)).toBe('▍');
    expect(renderBar(1, 1e9, 4)).toBe('▏');
    expect([renderBar(0, 10, 4), renderBar(0, 0, 4)]).toEqual(['', '']);
  });
});
