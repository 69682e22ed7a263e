import { expect, it } from 'vitest';
import { buildSlotFinder } from '#context/replay/slot-finder.js';

const said = (content: unknown) => ({ role: 'user', content }) as const;

it.each([
  ['a text', 'one', 'two'],
  ['blocks', [{ type: 'text', text: 'one' }], [{ type: 'text', text: 'two' }]],
  ['blocks without a text', [{ type: 'image', data: 'a' }, null], [{ type: 'image', data: 'b' }, null]],
  ['no content', undefined, 1],
])('a slot is found by an equal message, first to last and each once: %s', (_, content, other) => {
  const slots = [content, other, content].map((each) => ({ sent: said(each) }));
  const find = buildSlotFinder(() => slots);
  const found = [content, content, content, other].map((each) => find(structuredClone(said(each))));
  expect(found.map((slot) => slot && slots.indexOf(slot))).toEqual([0, 2, undefined, 1]);
});
