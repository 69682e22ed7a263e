import { expect, it } from 'vitest';
import { listOnce } from '#session/agents/list-once.js';

it('the parts of a document are listed once, and those of another one on their own', () => {
  const asked: unknown[] = [];
  const listParts = listOnce((document) => {
    asked.push(document['name']);
    return [document['name'], 'end'];
  });
  const first = { name: 'a' };
  const second = { name: 'b' };
  expect([listParts(first), listParts(first), listParts(second), listParts(undefined)]).toEqual([
    ['a', 'end'],
    ['a', 'end'],
    ['b', 'end'],
    [],
  ]);
  expect(asked).toEqual(['a', 'b']);
});
