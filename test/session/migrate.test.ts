import { describe, expect, it } from 'vitest';
import { type Session } from '#session/session.js';
import { readSession } from '../../src/session/read-session.js';
import { activePath, assistant, entry, type Entry, HEADER, lines, sourceOf, TALK, user } from '../support/entries.js';

const { version: _version, ...V1_HEADER } = HEADER;
const V2_HEADER = { ...HEADER, version: 2 };

const QUESTION: Entry = { type: 'message', timestamp: HEADER.timestamp, message: { role: 'user', content: 'why?' } };
const ANSWER: Entry = { type: 'message', timestamp: HEADER.timestamp, message: { role: 'assistant', content: [] } };

function keepFrom(firstKeptEntryIndex: unknown, rest: Entry = {}): Entry {
  return { type: 'compaction', timestamp: HEADER.timestamp, summary: 'so far', firstKeptEntryIndex, ...rest };
}

function read(...parts: readonly (Entry | string)[]): Session {
  return readSession(sourceOf(lines(...parts)), 'f');
}

function hook(id: unknown, parentId: unknown): Entry {
  return entry('message', id, parentId, { message: { role: 'hookMessage', customType: 'note', content: 'x' } });
}

function idsIn(sessionId: string): readonly unknown[] {
  return activePath(read({ ...V1_HEADER, id: sessionId }, QUESTION, '', ANSWER));
}

/** Which entry of the file, counted from 0, the compaction keeps from. */
function keptFrom({ tree, entry: entryOf }: Session): unknown {
  const head = [...tree.heads.ofType('compaction')][0]!;
  expect(entryOf(head)['firstKeptEntryId']).toBe(head.target);
  expect(entryOf(head)).not.toHaveProperty('firstKeptEntryIndex');
  const at = [...tree.heads].findIndex(({ id }) => id === head.target);
  return at === -1 ? head.target : at;
}

describe('version 1', () => {
  it('m01: becomes a chain in file order', () => {
    const { tree } = read(V1_HEADER, QUESTION, ANSWER, QUESTION, ANSWER);
    const ids = Array.from(tree.heads, ({ id }) => id);
    expect(Array.from(tree.heads, ({ parentId }) => parentId)).toEqual([null, ...ids.slice(0, 3)]);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}$/);
  });

  it('m07: loses the ids and branches that it may have had', () => {
    const session = read(V1_HEADER, ...TALK, user('u3', 'a1'));
    expect(activePath(session)).toHaveLength(5);
    expect(activePath(session)).not.toContain('u1');
    for (const head of session.tree.heads) {
      const { id, parentId } = head;
      expect(session.entry(head)).toMatchObject({ id, parentId });
    }
  });

  it.each([
    ['m02: counts the header as 0', [QUESTION, ANSWER, QUESTION, ANSWER, keepFrom(3), QUESTION], 2],
    ['m03: keeps nothing for the header', [QUESTION, ANSWER, keepFrom(0), QUESTION], undefined],
    ['m04: keeps nothing past the end', [QUESTION, ANSWER, keepFrom(99), QUESTION], undefined],
    ['m05: keeps nothing for a later entry', [QUESTION, ANSWER, keepFrom(4), QUESTION], undefined],
    ['m06: does not count malformed lines', [QUESTION, '{junk', ANSWER, QUESTION, keepFrom(3), QUESTION], 2],
    ['m06: does not count blank lines', [QUESTION, '', ANSWER, QUESTION, keepFrom(3), QUESTION], 2],
    ['m06: does not count JSON that is false', [QUESTION, 'null', ANSWER, QUESTION, keepFrom(3), QUESTION], 2],
    ['m10: counts a second header', [QUESTION, V1_HEADER, ANSWER, QUESTION, keepFrom(3), QUESTION], 1],
    ['m10: keeps nothing for a second header', [QUESTION, V1_HEADER, ANSWER, keepFrom(2), QUESTION], undefined],
    ['may keep nothing by naming itself', [QUESTION, keepFrom(2), QUESTION], 1],
    ['keeps nothing for an index below 0', [QUESTION, keepFrom(-1), QUESTION], undefined],
    ['keeps nothing for a broken index', [QUESTION, keepFrom(1.5), QUESTION], undefined],
    ['m11: keeps an old id with the header as index', [QUESTION, keepFrom(0, { firstKeptEntryId: 'old' })], 'old'],
    ['prefers the index to an old id', [QUESTION, keepFrom(1, { firstKeptEntryId: 'old' })], 0],
  ])('firstKeptEntryIndex, %s', (_rule, parts, kept) => {
    expect(keptFrom(read(V1_HEADER, ...parts))).toBe(kept);
  });

  it('m11: an index that is no number leaves the old id, which dangles', () => {
    const session = read(V1_HEADER, QUESTION, keepFrom('1', { firstKeptEntryId: 'old' }));
    expect(session.tree.leaf).toMatchObject({ target: 'old' });
    expect(session.entry(session.tree.leaf!)).toMatchObject({ firstKeptEntryId: 'old' });
    expect(session.problems).toMatchObject([{ code: 'dangling-compaction', line: 3 }]);
  });

  it('leaves a stray index on other entries', () => {
    const session = read(V1_HEADER, { ...QUESTION, firstKeptEntryIndex: 1 });
    expect(session.entry(session.tree.leaf!)).toHaveProperty('firstKeptEntryIndex', 1);
  });

  it('gets the same ids every time', () => {
    expect(idsIn('one')).toEqual(idsIn('one'));
  });

  it('gets other ids in another session', () => {
    expect(idsIn('one')).not.toEqual(idsIn('two'));
  });

  it('gets ids without repetition on a hundred thousand lines', () => {
    const { tree, problems } = read(V1_HEADER, '{"type":"custom"}\n'.repeat(100_000));
    expect(tree.heads.length).toBe(100_000);
    expect([...tree.heads].every(({ index }) => tree.heads.entryOfIdAt(index) === index)).toBe(true);
    expect([...tree.heads].every(({ id }) => /^[0-9a-f]{8}$/.test(String(id)))).toBe(true);
    expect(problems).toEqual([]);
  });
});

describe('hookMessage', () => {
  it.each([
    ['m09: becomes custom in version 1', V1_HEADER, 'custom'],
    ['m08: becomes custom in version 2', V2_HEADER, 'custom'],
    ['stays in version 3', HEADER, 'hookMessage'],
    ['stays in a version to come', { ...HEADER, version: 99 }, 'hookMessage'],
  ])('%s', (_rule, header, role) => {
    const { tree, entry: entryOf } = read(header, TALK[0]!, hook('h1', 'u1'));
    expect(tree.leaf).toMatchObject({ role });
    expect(entryOf(tree.leaf!)).toMatchObject({ message: { role, customType: 'note', content: 'x' } });
  });
});

describe('version 2', () => {
  it('m08: changes in nothing else', () => {
    const { tree, entry: entryOf } = read(V2_HEADER, ...TALK);
    expect(Array.from(tree.heads, entryOf)).toEqual(TALK);
  });

  it('m12: gets no ids where it lacks them', () => {
    const session = read(V2_HEADER, QUESTION, ANSWER);
    expect(activePath(session)).toEqual([undefined]);
    expect(session.problems.map(({ code }) => code)).toEqual(['no-id', 'no-id']);
  });

  it('leaves compactions as they are', () => {
    const kept = { ...keepFrom(1), id: 'k1', parentId: 'a1' };
    const { tree, entry: entryOf } = read(V2_HEADER, user('u1', null), assistant('a1', 'u1'), kept);
    expect(entryOf(tree.leaf!)).toEqual(kept);
  });
});
