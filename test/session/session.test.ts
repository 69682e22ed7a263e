import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelsOf, nameOf } from '#session/session.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { bytes, entry, type Entry, HEADER, label, lines, sessionOf, sourceOf, TALK, user } from '../support/entries.js';
import { generateSession } from '../support/generate.js';

function named(id: string, name?: unknown): Entry {
  return entry('session_info', id, 'a2', { name });
}

describe('the name of a session', () => {
  it.each([
    ['is null without one', [], null],
    ['is the last one in the file', [named('n1', 'first'), named('n2', 'second')], 'second'],
    [
      'is the last one, also from another branch',
      [named('n1', 'here'), entry('session_info', 'n2', 'u1', { name: 'there' })],
      'there',
    ],
    ['has no white space around it', [named('n1', '  tidy \n')], 'tidy'],
    ['is cleared by an empty one', [named('n1', 'first'), named('n2', '')], null],
    ['is cleared by one of white space', [named('n1', 'first'), named('n2', ' \t')], null],
    ['is cleared by a missing one', [named('n1', 'first'), named('n2')], null],
    ['is a string or nothing', [named('n1', 'first'), named('n2', 7)], null],
  ])('%s', (_rule, entries, name) => {
    expect(nameOf(sessionOf(...TALK, ...entries))).toBe(name);
  });
});

describe('the labels of a session', () => {
  it.each<[rule: string, entries: readonly Entry[], labels: Readonly<Record<string, string>>]>([
    ['are none', [], {}],
    [
      'stand at their targets',
      [label('l1', 'a2', 'u1', 'start'), label('l2', 'l1', 'u2', 'next')],
      { u1: 'start', u2: 'next' },
    ],
    ['are replaced by later ones', [label('l1', 'a2', 'u1', 'old'), label('l2', 'l1', 'u1', 'new')], { u1: 'new' }],
    [
      'are replaced from another branch too',
      [label('l1', 'a2', 'u1', 'old'), label('l2', 'u1', 'u1', 'new')],
      { u1: 'new' },
    ],
    ['are cleared by an empty one', [label('l1', 'a2', 'u1', 'x'), label('l2', 'l1', 'u1', '')], {}],
    ['are cleared by a missing one', [label('l1', 'a2', 'u1', 'x'), label('l2', 'l1', 'u1')], {}],
    [
      'can be set again',
      [label('l1', 'a2', 'u1', 'x'), label('l2', 'l1', 'u1', ''), label('l3', 'l2', 'u1', 'y')],
      { u1: 'y' },
    ],
    [
      'may be the same at two entries',
      [label('l1', 'a2', 'u1', 'x'), label('l2', 'l1', 'u2', 'x')],
      { u1: 'x', u2: 'x' },
    ],
    ['keep their white space', [label('l1', 'a2', 'u1', ' x ')], { u1: ' x ' }],
  ])('%s', (_rule, entries, labels) => {
    expect(Object.fromEntries(labelsOf(sessionOf(...TALK, ...entries)))).toEqual(labels);
  });
});

describe('an entry', () => {
  it('of version 3 is its line, parsed', () => {
    const shape = fc.record({
      seed: fc.nat(),
      entries: fc.nat({ max: 30 }),
      odd: fc.constantFrom(0, 0.5),
      transforms: fc.constant(0.2),
    });
    fc.assert(
      fc.property(shape, (generated) => {
        const content = generateSession(generated);
        const { tree, entry: entryOf } = readSession(sourceOf(content), 'f');
        const fileLines = content.split('\n');
        for (const head of tree.heads) expect(entryOf(head)).toEqual(JSON.parse(fileLines[head.line - 1]!));
      }),
    );
  });

  it('is read when it is asked for, and only its own bytes are', () => {
    const source = toByteSource(bytes(lines(HEADER, ...TALK)));
    const read: (readonly [start: number, end: number])[] = [];
    const watched = {
      ...source,
      read(start: number, end: number) {
        read.push([start, end]);
        return source.read(start, end);
      },
    };
    const session = readSession(watched, 'f');
    const { offset, length } = session.tree.heads.at(2)!;
    read.length = 0;
    expect(session.entry(session.tree.heads.at(2)!)).toEqual(TALK[2]);
    expect(read).toEqual([[offset, offset + length]]);
  });

  it('keeps unknown types and fields', () => {
    const future = entry('future', 'f1', null, { deep: { er: [1, { x: null }] }, toString: 'mine' });
    const { tree, entry: entryOf } = sessionOf(future);
    expect(entryOf(tree.leaf!)).toEqual(future);
  });

  it.each(['7', '"text"', '[1]', 'true'])('is empty where the line is %s', (text) => {
    const { tree, entry: entryOf } = sessionOf(text);
    expect(entryOf(tree.leaf!)).toEqual({});
  });
});

describe('an entry of many megabytes', () => {
  it('is read once, however often it is asked for', () => {
    const long = 'x'.repeat(17_000_000);
    const file = bytes(lines(HEADER, user('u1', null, long), user('u2', 'u1'), user('u3', 'u2', long)));
    let reads = 0;
    const read = (start: number, end: number): Uint8Array => {
      if (end - start > long.length) reads += 1;
      return toByteSource(file).read(start, end);
    };
    const session = readSession({ ...toByteSource(file), read }, 's.jsonl');
    reads = 0;
    const asked = ['u1', 'u2', 'u1', 'u3', 'u3', 'u1'].map((id) => {
      const head = session.tree.heads.find(id);
      return head && session.entry(head)['id'];
    });
    expect(asked).toEqual(['u1', 'u2', 'u1', 'u3', 'u3', 'u1']);
    expect(reads).toBe(3);
  });
});

describe('the problems of a session', () => {
  it('are those of lines and of links, in file order', () => {
    const { problems } = sessionOf(
      user('u1', 'missing'),
      '{junk',
      user('u2', 'u2'),
      'null',
      label('l1', 'u2', 'nowhere'),
    );
    expect(problems.map(({ code, line }) => [code, line])).toEqual([
      ['orphan', 2],
      ['malformed-line', 3],
      ['cycle', 4],
      ['not-an-object', 5],
      ['dangling-label', 6],
    ]);
  });
});
