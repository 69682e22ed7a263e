import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, isJsonEqual } from '#base/canonical-json.js';

describe('isJsonEqual', () => {
  it('is what canonical texts say', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(isJsonEqual(one, JSON.parse(JSON.stringify(one)))).toBe(true);
        expect(isJsonEqual(one, other)).toBe(canonicalJson(one) === canonicalJson(other));
      }),
    );
  });

  it.each([
    [{ a: 1, b: 2 }, { a: 1, b: 2 }, true],
    [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, true],
    [{ a: 1, b: [1, 2] }, { b: [2, 1], a: 1 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{}, { constructor: 1 }, false],
    [{ constructor: 1 }, {}, false],
    [{ a: { b: [1, null] } }, { a: { b: [1, null] } }, true],
    [{ a: { b: [1, null] } }, { a: { b: [1, 0] } }, false],
    [[1], { 0: 1 }, false],
    [[], {}, false],
    [null, {}, false],
    [{}, null, false],
    ['1', 1, false],
    [{ a: NaN }, { a: NaN }, true],
    [{ a: NaN }, { a: null }, true],
    [{ a: NaN }, { a: 0 }, false],
  ])('of %j and %j: %j', (one, other, isIt) => {
    expect(isJsonEqual(one, other)).toBe(isIt);
  });

  it('goes as deep as it must', () => {
    const deep = (): unknown => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(isJsonEqual(deep(), deep())).toBe(true);
    expect(isJsonEqual(deep(), [deep()])).toBe(false);
  });
});
