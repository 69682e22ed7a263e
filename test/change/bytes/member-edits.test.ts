import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileEditor } from '#change/bytes/file-editor.js';
import { changeMembers, listMemberEdits, type MemberChanges } from '#change/bytes/member-edits.js';
import { bytes, sourceOf } from '../../support/entries.js';
import { allOf } from '../../support/repaired.js';
import { runs } from '../../support/runs.js';

interface Wish {
  readonly changes?: MemberChanges;
  readonly dropped?: readonly string[];
  readonly inner?: Readonly<Record<string, MemberChanges>>;
}

/** A line as it is with the edits, which stand in order and beside one another. */
function edited(line: string, { changes = {}, ...wish }: Wish): string {
  const before = Buffer.from(line);
  let after = '';
  let from = 0;
  for (const { start, end, text } of listMemberEdits(bytes(line), { changes, ...wish })) {
    expect(start).toBeGreaterThanOrEqual(from);
    expect(end).toBeGreaterThanOrEqual(start);
    after += before.toString('utf8', from, start) + text;
    from = end;
  }
  return after + before.toString('utf8', from);
}

describe('members of an object on a line', () => {
  it.each<[string, Wish, string]>([
    ['{"a":1,"b":2,"c":3}', { dropped: ['a'] }, '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', { dropped: ['b'] }, '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', { dropped: ['c'] }, '{"a":1,"b":2}'],
    ['{"a":1,"b":2,"c":3}', { dropped: ['a', 'b'] }, '{"c":3}'],
    ['{"a":1,"b":2,"c":3}', { dropped: ['c', 'b'] }, '{"a":1}'],
    ['{"a":1,"b":2,"c":3}', { dropped: ['a', 'c'] }, '{"b":2}'],
    ['{"a":1,"b":2,"c":3}', { dropped: ['a', 'b', 'c'] }, '{}'],
    ['{"a":1,"a":2,"b":3,"a":4}', { dropped: ['a'] }, '{"b":3}'],
    ['{"a":{"b":1}}', { dropped: ['b'] }, '{"a":{"b":1}}'],
    ['{}', { dropped: ['a'] }, '{}'],
    [' { "é" : 1 , "b" : [ 2 ] } \n', { dropped: ['é'] }, ' { "b" : [ 2 ] } \n'],
    [' { "é" : 1 , "b" : [ 2 ] } \n', { dropped: ['b'] }, ' { "é" : 1 } \n'],
  ])('%j without some: %j', (line, wish, after) => {
    expect(edited(line, wish)).toBe(after);
  });

  it.each<[string, Wish, string]>([
    ['{"a":1,"b":2}', { changes: { b: 'x' } }, '{"a":1,"b":"x"}'],
    ['{"a":1,"b":2}', { changes: { a: undefined } }, '{"a":null,"b":2}'],
    ['{"a":1,"a":2}', { changes: { a: 'x' } }, '{"a":1,"a":"x"}'],
    ['{"type":"x","a":1}', { changes: { b: 'y', c: null } }, '{"type":"x","b":"y","c":null,"a":1}'],
    ['{"a":1,"type":"x"}', { changes: { a: 'z', b: 'y' } }, '{"a":"z","type":"x","b":"y"}'],
    ['{"a":1}', { changes: { b: 'y' } }, '{"b":"y","a":1}'],
    ['  {}', { changes: { b: 'y"' } }, '  {"b":"y\\""}'],
    ['{"type":"x","a":1,"b":2}', { changes: { a: 'y', c: 'z' }, dropped: ['b'] }, '{"type":"x","c":"z","a":"y"}'],
  ])('%j with others: %j', (line, wish, after) => {
    expect(edited(line, wish)).toBe(after);
  });

  it.each<[string, Wish, string]>([
    ['{"m":{"role":"a","x":1},"role":"b"}', { inner: { m: { role: 'c' } } }, '{"m":{"role":"c","x":1},"role":"b"}'],
    ['{"m":{"role":"a"},"m":{"role":"b"}}', { inner: { m: { role: 'c' } } }, '{"m":{"role":"a"},"m":{"role":"c"}}'],
    ['{"x":1, "m": {"y":2}}', { inner: { m: { role: 'c' } } }, '{"x":1, "m": {"role":"c","y":2}}'],
    ['{"x":1}', { inner: { m: { role: 'c' } } }, '{"x":1}'],
    [
      '{"type":"x","m":{"role":"a"},"n":1}',
      { changes: { id: 'i' }, inner: { m: { role: 'c' } }, dropped: ['n'] },
      '{"type":"x","id":"i","m":{"role":"c"}}',
    ],
  ])('%j with others in a member: %j', (line, wish, after) => {
    expect(edited(line, wish)).toBe(after);
  });

  it('are those that an object with these changes has', () => {
    const name = fc.constantFrom<string>('id', 'parentId', 'a', 'b', 'é');
    const value = fc.jsonValue({ maxDepth: 2 });
    const text = fc.oneof(fc.constant(null), fc.string({ maxLength: 5 }));
    const members = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key });
    fc.assert(
      fc.property(
        fc.tuple(members, members).map(([some, more]) => Object.fromEntries([...some, ['type', 'x'], ...more])),
        fc.dictionary(name, text, { noNullPrototype: true }),
        fc.array(name, { maxLength: 3 }),
        fc.constantFrom(undefined, 1),
        (object, changes, names, indent) => {
          const dropped = names.filter((each) => !Object.hasOwn(changes, each));
          const after = JSON.parse(edited(JSON.stringify(object, null, indent), { changes, dropped })) as object;
          const expected = Object.entries({ ...object, ...changes }).filter(([key]) => !dropped.includes(key));
          expect(after).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(expected))));
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('are changed where the line stands in its file', () => {
    const source = sourceOf('before\n{"type":"x","a":1,"b":2}\nbehind');
    const editing = new FileEditor(source);
    changeMembers(editing, { source, at: { offset: 7, length: 25 }, changes: { a: 'new' }, dropped: ['b'] });
    expect(Buffer.from(allOf(editing.finish().result)).toString()).toBe('before\n{"type":"x","a":"new"}\nbehind');
  });
});
