import { expect, it } from 'vitest';
import { readOnce } from '#session/agents/one-document.js';

it('the parts of a document are read once, and those of another one on their own', () => {
  const asked: unknown[] = [];
  const listParts = readOnce((document) => {
    asked.push(document['name']);
    return [document['name'], 'end'];
  });
  const first = { name: 'a' };
  const second = { name: 'b' };
  expect([listParts(first), listParts(first), listParts(second)]).toEqual([
    ['a', 'end'],
    ['a', 'end'],
    ['b', 'end'],
  ]);
  expect(asked).toEqual(['a', 'b']);
});

it('what is read of a missing document is that of an empty one', () => {
  expect(readOnce((document) => Object.keys(document))(undefined)).toEqual([]);
});
