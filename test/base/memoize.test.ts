import { describe, expect, it } from 'vitest';
import { memoizeByObject, memoizeLast, memoizeTexts, once } from '#base/memoize.js';

describe('once', () => {
  it('makes a value when it is first asked for, also undefined', () => {
    let calls = 0;
    const value = once(() => void (calls += 1));
    expect(calls).toBe(0);
    expect([value(), value(), calls]).toEqual([undefined, undefined, 1]);
  });
});

describe('onceFor', () => {
  it.each([[undefined], [null], [0], [{}]])('makes a value for %s as the first argument', (argument) => {
    expect(memoizeLast((one: unknown) => [one])(argument)).toEqual([argument]);
  });

  it('makes a value again when the argument changes, and only then', () => {
    const made: unknown[] = [];
    const value = memoizeLast((one: string) => made.push(one));
    expect([value('a'), value('a'), value('b'), value('a')]).toEqual([1, 1, 2, 3]);
    expect(made).toEqual(['a', 'b', 'a']);
  });
});

describe('onceOf', () => {
  it('makes a value of each object again when another argument changes, and only then', () => {
    const made: unknown[] = [];
    const value = memoizeByObject((one: readonly string[], other: number) => made.push([one[0], other]));
    const [a, b] = [['a'], ['b']];
    expect([value(a, 1), value(b, 1), value(a, 1), value(a, 2), value(b, 1), value(a, 1)]).toEqual([1, 2, 1, 3, 2, 4]);
    expect(memoizeByObject(() => undefined)({})).toBe(undefined);
  });
});

describe('onceForTexts', () => {
  it('makes a value of each text once, also undefined, until the texts are long together', () => {
    const made: string[] = [];
    const value = memoizeTexts((text) => void made.push(text), 5);
    for (const text of ['aa', 'bb', 'aa', 'bb']) expect(value(text)).toBe(undefined);
    expect(made).toEqual(['aa', 'bb']);
    for (const text of ['cc', 'cc', 'aa', 'c', 'dd']) value(text);
    expect(made).toEqual(['aa', 'bb', 'cc', 'aa', 'c', 'dd']);
    for (const text of ['dd', 'a longer text', 'a longer text']) value(text);
    expect(made.slice(6)).toEqual(['a longer text']);
  });
});
