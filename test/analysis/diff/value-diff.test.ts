import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffValues } from '#analysis/diff/value-diff.js';

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
    [
      'a list of blocks that became a text',
      [text('one')],
      'one',
      [{ place: '', kind: 'form', before: [text('one')], after: 'one' }],
    ],
    [
      'a text that became another one in a block',
      'one',
      [text('two')],
      [{ place: '', kind: 'changed', before: 'one', after: [text('two')] }],
    ],
    [
      'a text that became two blocks',
      'one',
      [text('one'), text('')],
      [{ place: '', kind: 'changed', before: 'one', after: [text('one'), text('')] }],
    ],
    ['a text that became no block', 'one', [], [{ place: '', kind: 'changed', before: 'one', after: [] }]],
    [
      'a text that became a block of another type',
      'one',
      [{ type: 'thinking', text: 'one' }],
      [{ place: '', kind: 'changed', before: 'one', after: [{ type: 'thinking', text: 'one' }] }],
    ],
    [
      'a text that became a block with more to it',
      'one',
      [{ ...text('one'), id: 1 }],
      [{ place: '', kind: 'changed', before: 'one', after: [{ ...text('one'), id: 1 }] }],
    ],
    ['a text that became an item', 'one', ['one'], [{ place: '', kind: 'changed', before: 'one', after: ['one'] }]],
    ['a number that became a list', 1, [1], [{ place: '', kind: 'changed', before: 1, after: [1] }]],
    ['an object that became a list', { a: 1 }, [1], [{ place: '', kind: 'changed', before: { a: 1 }, after: [1] }]],
    ['a list that became an object', [1], { a: 1 }, [{ place: '', kind: 'changed', before: [1], after: { a: 1 } }]],
    ['a block that is gone', { a: ['x', 'y'] }, { a: ['y'] }, [{ place: 'a[0]', kind: 'removed', before: 'x' }]],
    ['an item that moved', ['a', 'b', 'c'], ['b', 'c', 'a'], [{ place: '[2]', kind: 'moved', before: 0, after: 2 }]],
    [
      'an item that moved and changed',
      [{ id: 1, v: 1 }, { id: 2 }, { id: 3 }],
      [{ id: 2 }, { id: 3 }, { id: 1, v: 2 }],
      [
        { place: '[2]', kind: 'moved', before: 0, after: 2 },
        { place: '[2].v', kind: 'changed', before: 1, after: 2 },
      ],
    ],
    [
      'an item of another type in the place of one',
      [{ type: 'text' }, 1, [2]],
      [{ type: 'image' }, 'x', true],
      [
        { place: '[0]', kind: 'removed', before: { type: 'text' } },
        { place: '[1]', kind: 'removed', before: 1 },
        { place: '[2]', kind: 'removed', before: [2] },
        { place: '[0]', kind: 'added', after: { type: 'image' } },
        { place: '[1]', kind: 'added', after: 'x' },
        { place: '[2]', kind: 'added', after: true },
      ],
    ],
    [
      'an object in the place of a text',
      ['x'],
      [{ type: 'x' }],
      [
        { place: '[0]', kind: 'removed', before: 'x' },
        { place: '[0]', kind: 'added', after: { type: 'x' } },
      ],
    ],
    [
      'an item of the same type in the place of one',
      [1],
      [2],
      [{ place: '[0]', kind: 'changed', before: 1, after: 2 }],
    ],
    [
      'all fields that changed, in their order',
      { a: 1, b: { c: [1] }, gone: 1 },
      { b: { c: [2] }, a: 1, $new_1: 2, '1': 3, 'x-y': 4 },
      [
        { place: 'b.c[0]', kind: 'changed', before: 1, after: 2 },
        { place: 'gone', kind: 'removed', before: 1 },
        { place: '["1"]', kind: 'added', after: 3 },
        { place: '$new_1', kind: 'added', after: 2 },
        { place: '["x-y"]', kind: 'added', after: 4 },
      ],
    ],
    [
      'a field behind one that is no name',
      { 'x y': { z: 1 } },
      { 'x y': { z: 2 } },
      [{ place: '["x y"].z', kind: 'changed', before: 1, after: 2 }],
    ],
    ['a field of a name that objects have', {}, { toString: 1 }, [{ place: 'toString', kind: 'added', after: 1 }]],
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
