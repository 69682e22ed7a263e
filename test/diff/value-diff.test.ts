import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffValues } from '../../src/diff/value-diff.js';

const text = (words: string) => ({ type: 'text', text: words });

describe('diffValues', () => {
  it.each([
    ['a field', { a: 1, b: 2 }, { a: 1, b: 3 }, [{ place: 'b', kind: 'changed', before: 2, after: 3 }]],
    ['a new field', {}, { 'odd key': 1 }, [{ place: '["odd key"]', kind: 'added', after: 1 }]],
    ['a field that is gone', { a: null }, {}, [{ place: 'a', kind: 'removed', before: null }]],
    [
      'the text of a block',
      { content: [text('one'), text('two')] },
      { content: [text('one'), text('three')] },
      [{ place: 'content[1].text', kind: 'changed', before: 'two', after: 'three' }],
    ],
    [
      'a block before others',
      { content: [text('two')] },
      { content: [text('one'), text('two')] },
      [{ place: 'content[0]', kind: 'added', after: text('one') }],
    ],
    [
      'a text that became a list of blocks',
      { content: 'one' },
      { content: [text('one')] },
      [{ place: 'content', kind: 'form', before: 'one', after: [text('one')] }],
    ],
    [
      'another order of keys',
      { a: { x: 1, y: 2 } },
      { a: { y: 2, x: 1 } },
      [{ place: 'a', kind: 'order', before: ['x', 'y'], after: ['y', 'x'] }],
    ],
    ['another type', 'a', ['a'], [{ place: '', kind: 'changed', before: 'a', after: ['a'] }]],
  ])('names %s', (_, before, after, changes) => {
    expect(diffValues(before, after)).toEqual(changes);
  });

  it('finds nothing only between what is written in the same way', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        expect(diffValues(before, after).length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
        expect(diffValues(before, before)).toEqual([]);
      }),
    );
  });
});
