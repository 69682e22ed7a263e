import { describe, expect, it } from 'vitest';
import { assistant, compaction, type Entry, entry, HEADER, label, lines, TALK, user } from '../../support/entries.js';
import { repairBytes } from '../../support/repaired.js';

/** The entries of a session that was repaired. */
async function repairedOf(...parts: readonly (Entry | string)[]): Promise<readonly Entry[]> {
  const [header, ...rest] = typeof parts[0] === 'object' && parts[0]['type'] === 'session' ? parts : [HEADER, ...parts];
  const { bytes } = await repairBytes(Buffer.from(lines(header, ...rest)));
  return Buffer.from(bytes)
    .toString()
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Entry);
}

/** `id<parent` of each entry; new ids are called by their number. */
function links(entries: readonly Entry[]): string {
  const fresh = new Map<unknown, string>();
  const named = (id: unknown): string => {
    if (/^[0-9a-f]{8}$/.test(String(id)) && !fresh.has(id)) fresh.set(id, `new${fresh.size + 1}`);
    return fresh.get(id) ?? String(id);
  };
  return entries.map(({ id, parentId }) => `${named(id)}<${named(parentId)}`).join(' ');
}

const withoutId = ({ id: _id, ...rest }: Entry): Entry => rest;
const bare = ({ id: _id, parentId: _parent, ...rest }: Entry): Entry => rest;

describe('an orphan', () => {
  it('follows the entry before it in the file', async () => {
    expect(links(await repairedOf(user('u1', null), user('u2', 'gone')))).toBe('u1<null u2<u1');
  });

  it('is on a branch of its own if an earlier one names the same parent', async () => {
    const branches = [user('u1', null), user('x1', 'gone'), user('x2', 'x1'), user('y1', 'gone'), user('z1', 'lost')];
    expect(links(await repairedOf(...branches))).toBe('u1<null x1<u1 x2<x1 y1<u1 z1<y1');
    const { repairs } = await repairBytes(Buffer.from(lines(HEADER, ...branches)));
    expect(repairs.map(({ message }) => message)).toEqual([
      'now follows "u1", the entry before it in the file: its parent "gone" does not exist',
      'now follows "u1", the entry before its parent\'s first child in the file: its parent "gone" does not exist',
      'now follows "y1", the entry before it in the file: its parent "lost" does not exist',
    ]);
    const roots = [user('x1', 'gone'), user('x2', 'x1'), user('y1', 'gone')];
    expect(links(await repairedOf(...roots))).toBe('x1<null x2<x1 y1<null');
  });

  it('is a root where nothing stands before it', async () => {
    expect(links(await repairedOf(user('u1', 'gone'), user('u2', 'u1')))).toBe('u1<null u2<u1');
  });

  it('is a root where all that stands before it follows it', async () => {
    expect(links(await repairedOf(user('u2', 'u1'), user('u1', 'gone')))).toBe('u2<u1 u1<null');
  });

  it('is no orphan if it names the header', async () => {
    const parts = [user('u1', HEADER.id), user('u2', 'u1')];
    expect(await repairedOf(...parts)).toEqual(parts);
  });

  it('follows what its lost parent followed, also on another branch', async () => {
    const torn = JSON.stringify(assistant('a1', 'u1')).slice(0, 60);
    const branches = [user('u1', null), user('x1', 'u1'), torn, user('u2', 'a1')];
    expect(links(await repairedOf(...branches))).toBe('u1<null x1<u1 u2<u1');
    const twoLost = [
      user('u1', null),
      user('x1', 'u1'),
      torn,
      torn.replace('"a1"', '"a2"').replace('"u1"', '"a1"'),
      user('u2', 'a2'),
    ];
    expect(links(await repairedOf(...twoLost))).toBe('u1<null x1<u1 u2<u1');
  });
});

describe('an entry without an id', () => {
  it('gets the one by which the next entry knows it', async () => {
    const [u1, a1, u2, a2] = TALK as [Entry, Entry, Entry, Entry];
    const about = label('l1', 'a2', 'a1', 'here');
    expect(await repairedOf(u1, withoutId(a1), u2, a2, about)).toEqual([u1, a1, u2, a2, about]);
  });

  it('gets a new one if no entry refers to it', async () => {
    expect(links(await repairedOf(user('u1', null), withoutId(user('', 'u1'))))).toBe('u1<null new1<u1');
  });

  it.each([null, '', 0, false])('may have %j in its place', async (id) => {
    expect(links(await repairedOf(user('u1', null), user(id, 'u1'), user('u3', 'u2')))).toBe('u1<null u2<u1 u3<u2');
  });

  it('follows the one before it where it has no parent either, as in a version 1 session that was forked', async () => {
    const forked = [...TALK.map(bare), entry('message', 'u3', undefined, { message: { role: 'user', content: 'x' } })];
    expect(links(await repairedOf(...forked))).toBe('new1<null new2<new1 new3<new2 new4<new3 u3<new4');
  });

  it('gets the same id every time, and an unused one', async () => {
    const parts = [user('u1', null), withoutId(user('', 'u1'))];
    const [, first] = await repairedOf(...parts);
    expect(await repairedOf(...parts)).toEqual(await repairedOf(...parts));
    const taken = user(first!['id'], 'u1');
    const [, second] = await repairedOf(...parts, taken);
    expect(second!['id']).not.toBe(first!['id']);
    expect(second!['id']).toMatch(/^[0-9a-f]{8}$/);
  });
});

describe('an entry without an id that another entry might know', () => {
  const nameless = withoutId(assistant('', 'u1'));

  it.each<readonly [string, readonly (Entry | string)[], string]>([
    ['the next one names it by nothing', [nameless, user('u2', '')], 'u1<null new1<u1 u2<'],
    ['the next one is a root', [nameless, user('u2', null)], 'u1<null new1<u1 u2<null'],
    ['the next one names the header', [nameless, user('u2', HEADER.id)], 'u1<null new1<u1 u2<the-session'],
    ['the next one names an entry', [nameless, user('u2', 'u1')], 'u1<null new1<u1 u2<u1'],
    ['only the one after that names it', [nameless, user('x1', 'u1'), user('u2', 'a1')], 'u1<null new1<u1 x1<u1 u2<x1'],
    ['two are known by one id', [nameless, nameless, user('u2', 'a1')], 'u1<null new1<u1 a1<u1 u2<a1'],
    [
      'an id was given away',
      [nameless, user('u2', 'a1'), nameless, user('u3', 'a1')],
      'u1<null a1<u1 u2<a1 new1<u1 u3<a1',
    ],
    [
      'the id is that of a lost entry',
      [JSON.stringify(assistant('a1', 'u1')).slice(0, 60), nameless, user('u2', 'a1')],
      'u1<null new1<u1 u2<u1',
    ],
  ])('where %s', async (_where, parts, expected) => {
    expect(links(await repairedOf(user('u1', null), ...parts))).toBe(expected);
  });
});

describe('entries with one id', () => {
  it('are told apart, and those that follow mean the nearest above them', async () => {
    const parts = [user('u1', null), assistant('a1', 'u1'), user('u2', 'a1'), assistant('a1', 'u2'), user('u3', 'a1')];
    expect(links(await repairedOf(...parts))).toBe('u1<null a1<u1 u2<a1 new1<u2 u3<new1');
  });

  it('can be a parent and its child', async () => {
    expect(links(await repairedOf(user('u1', null), user('u1', 'u1'), user('u2', 'u1')))).toBe(
      'u1<null new1<u1 u2<new1',
    );
  });

  it('are meant by labels, edits and compactions in the same way', async () => {
    const [, , renamed, ...about] = await repairedOf(
      user('u1', null),
      label('l1', 'u1', 'u1', 'first'),
      user('u1', 'l1'),
      label('l2', 'u1', 'u1', 'second'),
      entry('context_edit', 'e1', 'l2', { targetId: 'u1', replacement: null }),
      compaction('k1', 'e1', 'u1'),
      compaction('k1', 'k1', 'k1'),
    );
    const fresh = renamed!['id'];
    expect(about.map(({ targetId, firstKeptEntryId }) => targetId ?? firstKeptEntryId)).toEqual([
      fresh,
      fresh,
      fresh,
      about[3]!['id'],
    ]);
  });
});

describe('a circle', () => {
  it.each([
    ['of one', [user('u1', null), user('u2', 'u2')], 'u1<null u2<u1'],
    ['of two', [user('u1', null), user('u2', 'u3'), user('u3', 'u2')], 'u1<null u2<u1 u3<u2'],
    ['at the beginning', [user('u1', 'u3'), user('u2', 'u1'), user('u3', 'u2')], 'u1<null u2<u1 u3<u2'],
    [
      'beside another circle',
      [user('u1', 'u2'), user('u2', 'u1'), user('x1', 'x2'), user('x2', 'x1')],
      'u1<null u2<u1 x1<u2 x2<x1',
    ],
  ])('%s is cut where it leads down the file', async (_of, parts, expected) => {
    expect(links(await repairedOf(...parts))).toBe(expected);
  });

  it('is no reason to touch entries that stand before their parents', async () => {
    const parts = [user('u2', 'u1'), user('u1', null), user('u3', 'u2')];
    expect(await repairedOf(...parts)).toEqual(parts);
  });
});

describe('a compaction', () => {
  it('keeps from what followed the entry that is lost', async () => {
    const [u1, a1, u2, a2] = TALK as [Entry, Entry, Entry, Entry];
    const parts = [u1, a1, JSON.stringify(u2).slice(0, 30), a2, compaction('k1', 'a2', 'u2')];
    expect((await repairedOf(...parts)).at(-1)).toMatchObject({ firstKeptEntryId: 'a2' });
  });

  it('of version 2 that counts lines as version 1 did keeps by an id', async () => {
    const { firstKeptEntryId: _none, ...rest } = compaction('k1', 'a2', '');
    const header = { ...HEADER, version: 2 };
    const counted = { ...rest, firstKeptEntryIndex: 3 };
    expect((await repairedOf(header, ...TALK, counted)).at(-1)).toEqual({ ...counted, firstKeptEntryId: 'u2' });
    const last = { ...rest, firstKeptEntryIndex: 4 };
    expect((await repairedOf(header, ...TALK, last)).at(-1)).toEqual({ ...last, firstKeptEntryId: 'a2' });
    for (const firstKeptEntryIndex of [0, 5, 6, -1, 1.5, 'x']) {
      const wrong = { ...rest, firstKeptEntryIndex };
      expect((await repairedOf(header, ...TALK, wrong)).at(-1)).toEqual(wrong);
    }
  });

  it('keeps from what it says where that is there, whatever became of what follows', async () => {
    const circle = [user('x1', 'x2'), user('x2', 'x1')];
    const parts = [...TALK, ...circle, compaction('k1', 'x2', 'x2'), compaction('k2', 'k1', 'a1')];
    const after = await repairedOf(...parts);
    expect(after.slice(-2).map(({ firstKeptEntryId }) => firstKeptEntryId)).toEqual(['x2', 'a1']);
  });

  it('keeps from the first entry on its path that followed the lost one, and from no other branch', async () => {
    const [u1, a1, u2, a2] = TALK as [Entry, Entry, Entry, Entry];
    const torn = JSON.stringify(u2).slice(0, 30);
    const more = [a2, user('x1', 'u2'), user('u3', 'a2'), assistant('a3', 'u3')];
    expect((await repairedOf(u1, a1, torn, ...more, compaction('k1', 'a3', 'u2'))).at(-1)).toMatchObject({
      firstKeptEntryId: 'a2',
    });
    expect((await repairedOf(u1, a1, torn, ...more, compaction('k1', 'a1', 'u2'))).at(-1)).toMatchObject({
      firstKeptEntryId: 'u2',
    });
  });

  it('that names what was never there stays', async () => {
    const parts = [...TALK, compaction('k1', 'a2', 'never'), user('u3', 'gone')];
    expect((await repairedOf(...parts))[4]).toEqual(parts[4]);
  });
});

describe('version 2', () => {
  it('is repaired after an old Pi has continued it, and stays version 2', async () => {
    const header = { ...HEADER, version: 2 };
    const file = lines(header, ...TALK, bare(user('', '')), bare(assistant('', '')));
    const { bytes } = await repairBytes(Buffer.from(file));
    const [first, ...rest] = Buffer.from(bytes).toString().trimEnd().split('\n');
    expect(first).toBe(JSON.stringify(header));
    expect(links(rest.map((line) => JSON.parse(line) as Entry))).toBe('u1<null a1<u1 u2<a1 a2<u2 new1<a2 new2<new1');
  });
});

describe('version 1', () => {
  it('has no links to repair', async () => {
    const { version: _none, ...header } = HEADER;
    const parts = [header, ...TALK.map(bare), user('u1', 'gone'), user('u1', 'u1')];
    const { repairs, bytes } = await repairBytes(Buffer.from(lines(...parts)));
    expect(repairs).toEqual([]);
    expect(Buffer.from(bytes).toString()).toBe(lines(...parts));
  });
});

describe('the line of an entry that is changed', () => {
  it.each([
    ['{ "parentId" : "gone" , "id":"u2","type":"x"}', '{ "parentId" : "u1" , "id":"u2","type":"x"}'],
    [
      '{"type":"x","id":"u2","parentId":"a","parentId":"gone"}',
      '{"type":"x","id":"u2","parentId":"a","parentId":"u1"}',
    ],
    ['{"type":"x","id":"u2","\\u0070arentId":"gone"}', '{"type":"x","id":"u2","\\u0070arentId":"u1"}'],
    [
      '{"type":"x","data":{"parentId":"gone"},"id":"u2","parentId":"gone"}\r',
      '{"type":"x","data":{"parentId":"gone"},"id":"u2","parentId":"u1"}\r',
    ],
    [
      '{"n":1.0,"é":"\\u00e9","type":"x","parentId":"gone","id":"u2"}',
      '{"n":1.0,"é":"\\u00e9","type":"x","parentId":"u1","id":"u2"}',
    ],
    ['{"parentId":"u1","data":1}', /^\{"id":"[0-9a-f]{8}","parentId":"u1","data":1\}$/],
    ['{"type":"x","data":1}', /^\{"type":"x","id":"[0-9a-f]{8}","parentId":"u1","data":1\}$/],
    ['{}', /^\{"id":"[0-9a-f]{8}","parentId":"u1"\}$/],
    ['  {"type":"x"}  ', /^ {2}\{"type":"x","id":"[0-9a-f]{8}","parentId":"u1"\} {2}$/],
  ])('%j keeps every other byte', async (line, expected) => {
    const before = lines(HEADER, user('u1', null));
    const { bytes } = await repairBytes(Buffer.from(`${before}${line}\n`));
    const after = Buffer.from(bytes).toString();
    expect(after.slice(0, before.length)).toBe(before);
    expect(after.slice(before.length, -1)).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
  });
});
