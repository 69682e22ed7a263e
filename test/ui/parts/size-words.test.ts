import { expect, it } from 'vitest';
import { describeSizeSource } from '#ui/parts/size-words.js';

const SIZE = { recorded: 20, estimated: 15, factor: 1.5, method: 'appended' } as const;

it.each([
  [0.0004, 'error <0.1%'],
  [0.256, 'error 25.6%'],
  [0.999, 'error 99.9%'],
  [1, 'only a rough estimate'],
  [18.1, 'only a rough estimate'],
])('an estimate with the error %d is described as %j', (error, words) => {
  expect(describeSizeSource({ ...SIZE, error }, { model: null })).toBe(`20 recorded; ~15 added since (${words})`);
});
