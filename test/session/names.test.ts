import { expect, it } from 'vitest';
import type { NewHead } from '#session/heads/head.js';
import { Heads } from '#session/heads/heads.js';

const HEAD: NewHead = {
  line: 1,
  offset: 0,
  length: 1,
  type: 'message',
  id: 'a',
  parentId: null,
  role: null,
  target: undefined,
  time: 0,
  usageStart: 0,
  usageLength: 0,
  hasSummary: false,
};

it('tells more types and roles apart than fit into a byte', () => {
  const names = Array.from({ length: 600 }, (_, at) => `name ${at % 300}`);
  const heads = Heads.from(names.map((name, at) => ({ ...HEAD, id: at, type: name, role: `role of ${name}` })));
  expect(Array.from(heads, ({ type }) => type)).toEqual(names);
  expect(Array.from(heads, ({ role }) => role)).toEqual(names.map((name) => `role of ${name}`));
  expect(Array.from(heads.ofType('name 299'), ({ index }) => index)).toEqual([299, 599]);
});
