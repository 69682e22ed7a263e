import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type NewHead, toHead } from '#session/heads/head.js';
import { Heads } from '#session/heads/heads.js';

const id = fc.oneof(
  fc.constantFrom('0000000a', '0000000b', '0000000c', '0000000d', 'odd', 7, null, undefined),
  fc.stringMatching(/^[0-9a-f]{8}$/),
);
const entry = fc.record({
  type: fc.constantFrom('message', 'label', 'compaction', 'context_transform', 'other', 'stranger'),
  id,
  parentId: id,
  targetId: id,
  firstKeptEntryId: id,
  message: fc.record({ role: fc.constantFrom('user', 'assistant', 'oracle'), usage: fc.constantFrom(null, {}) }),
  timestamp: fc.constantFrom('2026-03-02T09:00:00.000Z', 'never'),
});
const heads = fc
  .array(entry, { maxLength: 20 })
  .map((entries) => entries.map((each, at) => toHead(each, { line: at + 2, offset: at * 100, length: 90 + at })));

/** All that a table answers about its entries. */
function answersOf(table: Heads, asked: readonly NewHead[]): unknown {
  const rows = Array.from(table, ({ index, line, offset, length, type, role, id: own, parentId, target, time }) => {
    const ofRow = { index, line, offset, length, type, role, own, parentId, target, time };
    const links = [
      table.parentAt(index),
      table.targetAt(index),
      table.entryOfIdAt(index),
      table.ancestorsOf(index).length,
    ];
    return { ...ofRow, links, digits: table.idDigitsAt(index), usage: table.usageLengthAt(index) };
  });
  const found = asked.map((head) => [table.has(head.id), table.find(head.parentId)?.index]);
  const ofType = ['label', 'other', 'stranger'].map((type) => Array.from(table.ofType(type), ({ index }) => index));
  const suspect = Array.from(table.listSuspects(['label']), ({ index }) => index).toSorted((a, b) => a - b);
  return { rows, found, ofType, suspect, inOrder: table.areParentsAbove(), end: table.end, last: table.last?.index };
}

function continued(above: Heads, added: readonly NewHead[]): Heads {
  const table = new Heads(0, above);
  for (const head of added) table.push(head);
  return table;
}

it('answers about continued heads as about heads that were added to one table', () => {
  fc.assert(
    fc.property(heads, heads, heads, heads, (first, one, other, last) => {
      const above = Heads.from(first);
      const before = answersOf(above, one);
      const [longer, sibling] = [continued(above, one), continued(above, other)];
      const longest = continued(longer, last);
      expect(answersOf(longer, other)).toEqual(answersOf(Heads.from([...first, ...one]), other));
      expect(answersOf(sibling, one)).toEqual(answersOf(Heads.from([...first, ...other]), one));
      expect(answersOf(longest, other)).toEqual(answersOf(Heads.from([...first, ...one, ...last]), other));
      expect(answersOf(above, one)).toEqual(before);
    }),
  );
});

it('keeps the types of continued heads apart where there are very many', () => {
  const types = Array.from({ length: 300 }, (_, at) => `type-${at}`);
  const above = Heads.from(types.map((type, at) => toHead({ type, id: at }, { line: at, offset: at, length: 1 })));
  const at = { line: 400, offset: 400, length: 1 };
  const [one, other] = ['one', 'other'].map((type) => continued(above, [toHead({ type, id: 'x' }, at)]));
  expect([one, other].map((table) => table?.typeAt(300))).toEqual(['one', 'other']);
  expect(one?.typeAt(299)).toBe('type-299');
});
