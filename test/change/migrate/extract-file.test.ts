import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { buildSessionId, type Extraction, planExtract } from '#change/migrate/extract.js';
import { buildIdSource } from '#change/plan/entry-stamps.js';
import type { Head } from '#session/heads/head.js';
import { type Session } from '#session/session.js';
import { readSession } from '../../../src/session/read-session.js';
import {
  assistant,
  compaction,
  entry,
  type Entry,
  label,
  sessionOf,
  sourceOf,
  TALK,
  user,
} from '../../support/entries.js';
import { countedIds } from '../../support/memory-io.js';
import { allOf } from '../../support/repaired.js';

const NEW_HEADER = { type: 'session', version: 3, id: 'extracted' };
const TIMESTAMP = '2026-01-05T09:00:01.000Z';
const TIME = Date.parse(TIMESTAMP);

function edit(id: string, parentId: string, targetId: string, replacement: unknown): Entry {
  return entry('context_edit', id, parentId, { targetId, replacement });
}

function transform(id: string, parentId: string | null, ...patch: readonly Entry[]): Entry {
  const said = patch.map((op) => ({ scope: 'cached', invalidateCacheReason: 'test', ...op }));
  return entry('context_transform', id, parentId, { schemaVersion: 1, transformerName: 'test', patch: said });
}

function system(id: string, parentId: string | null, rest: Entry = {}): Entry {
  return entry('message', id, parentId, { message: { role: 'system', content: 'be brief', timestamp: 0, ...rest } });
}

function headOf({ tree }: Session, id: string): Head {
  return tree.heads.find(id)!;
}

interface Extracted extends Omit<Extraction, 'result'> {
  readonly made: readonly unknown[];
}

function extractFrom(session: Session, from: string | null, to: string): Extracted {
  const { result, ...counts } = planExtract(session, {
    from: from === null ? null : headOf(session, from),
    to: headOf(session, to),
    header: NEW_HEADER,
    newId: buildIdSource(session, countedIds()),
  });
  const text = new TextDecoder().decode(allOf(result));
  expect(text.endsWith('\n')).toBe(true);
  const [header, ...made] = text.trimEnd().split('\n');
  expect(JSON.parse(header!)).toEqual(NEW_HEADER);
  return { ...counts, made: made.map((line): unknown => JSON.parse(line)) };
}

function extract(from: string | null, to: string, ...entries: readonly (Entry | string)[]): Extracted {
  return extractFrom(sessionOf(...entries), from, to);
}

describe('a branch as a file', () => {
  it.each<[string, string, readonly Entry[], readonly Entry[], number]>([
    ['leaves out other branches', 'u3', [...TALK, user('u3', 'a1')], [TALK[0]!, TALK[1]!, user('u3', 'a1')], 0],
    [
      'puts the labels in force behind everything, in the order in which they were given',
      'u2',
      [
        user('u1', null),
        label('l1', 'u1', 'u1', 'x'),
        user('u2', 'l1'),
        label('l2', 'u2', 'u2', 'y'),
        label('l3', 'l2', 'u1', 'w'),
        label('l4', 'l3', 'u2', 'z'),
        label('l5', 'l4', 'u9', 'z'),
      ],
      [
        user('u1', null),
        user('u2', 'u1'),
        label('d0000001', 'u2', 'u1', 'w'),
        label('d0000002', 'd0000001', 'u2', 'z'),
      ],
      2,
    ],
    [
      'leaves out labels that were taken away',
      'u1',
      [user('u1', null), label('l1', 'u1', 'u1', 'x'), label('l2', 'l1', 'u1', '')],
      [user('u1', null)],
      0,
    ],
    [
      'keeps from what follows where a compaction kept from a label',
      'k1',
      [user('u1', null), label('l1', 'u1', 'u1'), user('u2', 'l1'), compaction('k1', 'u2', 'l1')],
      [user('u1', null), user('u2', 'u1'), compaction('k1', 'u2', 'u2')],
      0,
    ],
    [
      'keeps nothing where a compaction kept from a label right above it',
      'k1',
      [user('u1', null), label('l1', 'u1', 'u1'), compaction('k1', 'l1', 'l1')],
      [user('u1', null), compaction('k1', 'u1', 'k1')],
      0,
    ],
    [
      'leaves a compaction that keeps from itself, or from nowhere, as it is',
      'k3',
      [
        user('u1', null),
        compaction('k1', 'u1', 'k1'),
        compaction('k2', 'k1', 'nobody'),
        compaction('k3', 'k2', undefined),
      ],
      [
        user('u1', null),
        compaction('k1', 'u1', 'k1'),
        compaction('k2', 'k1', 'nobody'),
        compaction('k3', 'k2', undefined),
      ],
      0,
    ],
    [
      'leaves the label that parts a compaction from a transform which is not its own',
      'k1',
      [
        user('u1', null),
        { ...transform('t1', 'u1'), transformerName: 'compaction' },
        label('l1', 't1', 'u1'),
        label('l2', 'l1', 'u1'),
        compaction('k1', 'l2', 'u1'),
      ],
      [
        user('u1', null),
        { ...transform('t1', 'u1'), transformerName: 'compaction' },
        label('l2', 't1', 'u1'),
        compaction('k1', 'l2', 'u1'),
      ],
      0,
    ],
    [
      'leaves out the label between the transform of a compaction and a message',
      'u2',
      [
        user('u1', null),
        { ...transform('t1', 'u1'), transformerName: 'compaction' },
        label('l1', 't1', 'u1'),
        user('u2', 'l1'),
      ],
      [user('u1', null), { ...transform('t1', 'u1'), transformerName: 'compaction' }, user('u2', 't1')],
      0,
    ],
    [
      'leaves out the label between a compaction and another transform',
      'k1',
      [user('u1', null), transform('t1', 'u1'), label('l1', 't1', 'u1'), compaction('k1', 'l1', 'u1')],
      [user('u1', null), transform('t1', 'u1'), compaction('k1', 't1', 'u1')],
      0,
    ],
  ])('%s', (_, to, entries, made, labels) => {
    expect(extract(null, to, ...entries)).toEqual({
      made: JSON.parse(JSON.stringify(made)),
      entries: made.length - labels,
      checkpoint: 0,
      labels,
      leftOut: 0,
      tookWholePath: false,
    });
  });

  it('leaves out lines that hold nothing', () => {
    const { made } = extract(null, 'u2', user('u1', null), '42', '{}', 'null', '[1]', user('u2', 'u1'));
    expect(made).toEqual([user('u1', null), user('u2', 'u1')]);
  });

  it.each(['42', '{}', '[1]'])('is empty where all that it holds is %s', (line) => {
    const session = sessionOf(user('u1', null), line);
    const to = session.tree.leaf!;
    const plan = planExtract(session, { from: null, to, header: NEW_HEADER, newId: countedIds() });
    expect(new TextDecoder().decode(allOf(plan.result))).toBe(`${JSON.stringify(NEW_HEADER)}\n`);
    expect(plan.entries).toBe(0);
  });

  it('cannot end with an entry whose id is null, which Pi takes for nothing', () => {
    const session = sessionOf(user('u1', null), user(null, 'u1'));
    const to = session.tree.heads.at(1)!;
    expect(() => planExtract(session, { from: null, to, header: NEW_HEADER, newId: countedIds() })).toThrow(
      new CtxError('input', 'the context would change; nothing was written', {
        where: 'session.jsonl',
        hint: 'check the file: ctx check',
      }),
    );
  });

  it('keeps an object without a type', () => {
    const odd = { id: 'x', parentId: 'u1' };
    expect(extract(null, 'u2', user('u1', null), odd, user('u2', 'x')).made).toEqual([
      user('u1', null),
      odd,
      user('u2', 'x'),
    ]);
  });

  it('is of version 3, whatever the session was', () => {
    const hook = { type: 'message', message: { role: 'hookMessage', content: 'x' } };
    const text = [{ type: 'session', id: 'old' }, hook, { type: 'compaction', summary: 's', firstKeptEntryIndex: 1 }];
    // The last line has no newline.
    const session = readSession(sourceOf(text.map((each) => JSON.stringify(each)).join('\n')), 'old.jsonl');
    const [first, second] = extractFrom(session, null, String(session.tree.leaf?.id)).made as readonly Entry[];
    expect(first).toEqual({
      type: 'message',
      id: first!['id'],
      parentId: null,
      message: { role: 'custom', content: 'x' },
    });
    const [id, parentId] = [second!['id'], first!['id']];
    expect(second).toEqual({ type: 'compaction', id, parentId, summary: 's', firstKeptEntryId: parentId });
  });
});

const NEW = { id: 'd0000001', parentId: null, timestamp: TIMESTAMP };
const PART = { name: 'rules', text: 'X' };
const REASON = { scope: 'cached', invalidateCacheReason: 'extract' };
const TAIL = [user('u2', 'u1')];

describe('the end of a branch as a file', () => {
  it.each<[string, readonly Entry[], readonly Entry[]]>([
    [
      'says the prompt, the tools, the model and how much it thinks',
      [
        entry('model_change', 'm1', null, { provider: 'p', modelId: 'm' }),
        entry('thinking_level_change', 'l1', 'm1', { thinkingLevel: 'high' }),
        system('s1', 'l1', { sections: { a: 'A', b: 'B' }, toolsAdded: [{ name: 'read' }] }),
        user('u1', 's1'),
      ],
      [
        { type: 'thinking_level_change', ...NEW, thinkingLevel: 'high' },
        {
          type: 'message',
          ...NEW,
          id: 'd0000002',
          parentId: 'd0000001',
          message: {
            role: 'system',
            content: 'be brief',
            sections: { a: 'A', b: 'B' },
            toolsAdded: [{ name: 'read' }],
            timestamp: TIME,
          },
        },
        user('u1', 'd0000002'),
        { type: 'model_change', ...NEW, id: 'd0000003', parentId: 'u1', provider: 'p', modelId: 'm' },
      ],
    ],
    [
      'says the prompt and the options by a transform where no message can',
      [
        transform('t1', null, { op: 'system_part_set', partName: 'rules', text: 'X' }),
        transform('t2', 't1', { op: 'options_set', temperature: 1 }),
        user('u1', 't2'),
      ],
      [
        {
          type: 'context_transform',
          ...NEW,
          schemaVersion: 1,
          transformerName: 'extract',
          patch: [
            { op: 'system_parts_replace', ...REASON, parts: [PART] },
            { op: 'tools_replace', ...REASON, tools: [] },
            { op: 'options_set', ...REASON, temperature: 1 },
          ],
          display: { title: 'Extract' },
        },
        user('u1', 'd0000001'),
      ],
    ],
    [
      'says the prompt by a message and the options by a transform',
      [system('s1', null), transform('t1', 's1', { op: 'options_set', temperature: 1 }), user('u1', 't1')],
      [
        {
          type: 'message',
          ...NEW,
          message: { role: 'system', content: 'be brief', sections: {}, toolsAdded: [], timestamp: TIME },
        },
        {
          type: 'context_transform',
          ...NEW,
          id: 'd0000002',
          parentId: 'd0000001',
          schemaVersion: 1,
          transformerName: 'extract',
          patch: [{ op: 'options_set', ...REASON, temperature: 1 }],
          display: { title: 'Extract' },
        },
        user('u1', 'd0000002'),
      ],
    ],
    [
      'has messages as edits have left them, with their ids and times',
      [{ ...user('u0', null), timestamp: 'then' }, edit('e1', 'u0', 'u0', { content: 'new' }), user('u1', 'e1')],
      [{ ...user('u0', null, 'new'), timestamp: 'then' }, user('u1', 'u0')],
    ],
    [
      'has no message that an edit has taken out',
      [user('u0', null), edit('e1', 'u0', 'u0', null), user('u1', 'e1')],
      [user('u1', null)],
    ],
    [
      'has the messages of transforms, with ids of their own and the time of the transform',
      [
        user('u0', null),
        {
          ...transform('t1', 'u0', {
            op: 'messages_cached_replace',
            messages: ['A', 'B'].map((content) => ({ role: 'user', content, timestamp: 1 })),
          }),
          timestamp: 'then',
        },
        user('u1', 't1'),
      ],
      [
        { ...user('d0000001', null), timestamp: 'then', message: { role: 'user', content: 'A', timestamp: 1 } },
        { ...user('d0000002', 'd0000001'), timestamp: 'then', message: { role: 'user', content: 'B', timestamp: 1 } },
        user('u1', 'd0000002'),
      ],
    ],
    [
      'has the summary of a compaction as Pi keeps it',
      [user('u0', null), assistant('a0', 'u0'), compaction('k1', 'a0', 'a0'), user('u1', 'k1')],
      [
        entry('message', 'k1', null, {
          message: { role: 'compactionSummary', summary: 'what happened', tokensBefore: 1000, timestamp: TIME },
        }),
        assistant('a0', 'k1'),
        user('u1', 'a0'),
      ],
    ],
  ])('%s', (_, above, made) => {
    expect(extract('u2', 'u2', ...above, ...TAIL)).toEqual({
      made: [...made, user('u2', made.at(-1)!['id'])].map((each) =>
        each['id'] === 'u2' ? { ...each, parentId: made.at(-1)!['id'] } : each,
      ),
      entries: 1,
      checkpoint: made.length,
      labels: 0,
      leftOut: above.length,
      tookWholePath: false,
    });
  });

  it('says the summary that an edit has left', () => {
    const entries = [...TALK, compaction('k1', 'a2', 'a2'), edit('e1', 'k1', 'k1', null), user('u3', 'e1')];
    expect(extract('u3', 'u3', ...entries).made).toEqual([assistant('a2', null), user('u3', 'a2')]);
  });

  it('says no prompt at the time of an entry that has none', () => {
    const { made } = extract('u2', 'u2', system('s1', null), { ...user('u1', 's1'), timestamp: 'soon' }, ...TAIL);
    expect(made[0]).toMatchObject({ timestamp: 'soon', message: { role: 'system', timestamp: 0 } });
  });

  it('lets a compaction keep what it kept, as far as it is there', () => {
    const entries = [
      entry('session_info', 'i1', null, { name: 'talk' }),
      compaction('k1', 'i1', 'k1'),
      user('u2', 'k1'),
      user('u3', 'u2'),
      compaction('k2', 'u3', 'i1'),
    ];
    const { made, tookWholePath } = extract('u3', 'k2', ...entries);
    expect(tookWholePath).toBe(false);
    expect(made.at(-1)).toEqual(compaction('k2', 'u3', 'u2'));
    const later = [...TALK, compaction('k1', 'a2', 'u2'), user('u3', 'k1'), compaction('k2', 'u3', 'u2')];
    expect(extract('u3', 'k2', ...later).made.at(-1)).toEqual(compaction('k2', 'u3', 'u2'));
    const edited = [user('u1', null), edit('e1', 'u1', 'u1', null), user('u2', 'e1'), user('u3', 'u2')];
    expect(extract('u3', 'k1', ...edited, compaction('k1', 'u3', 'e1')).made.at(-1)).toEqual(
      compaction('k1', 'u3', 'u2'),
    );
  });

  it('is the whole branch where a compaction brings back what was left out', () => {
    const entries = [...TALK, compaction('k1', 'a2', 'u2'), user('u3', 'k1'), compaction('k2', 'u3', 'a1')];
    expect(extract('u3', 'k2', ...entries)).toEqual({
      made: entries,
      entries: 7,
      checkpoint: 0,
      labels: 0,
      leftOut: 0,
      tookWholePath: true,
    });
  });

  it('is the whole branch where the model above has no whole name', () => {
    const entries = [entry('model_change', 'm1', null, { provider: 'p' }), user('u1', 'm1'), user('u2', 'u1')];
    expect(extract('u2', 'u2', ...entries)).toMatchObject({ made: entries, tookWholePath: true });
    const named = [entry('model_change', 'm1', null, { provider: 'p', modelId: 'm' }), ...entries.slice(1)];
    expect(extract('u2', 'u2', ...named)).toMatchObject({ checkpoint: 2, tookWholePath: false });
  });

  it('is the whole branch where it begins at its root', () => {
    expect(extract('u1', 'u2', ...TALK)).toMatchObject({ entries: 3, checkpoint: 0, tookWholePath: false });
  });

  it('cannot begin on another branch', () => {
    expect(() => extract('a2', 'u2', ...TALK)).toThrow(
      new CtxError('usage', 'entry a2 is not an ancestor of entry u2', {
        where: 'session.jsonl',
        hint: 'list the branches: ctx tree',
      }),
    );
  });
});

it.each([
  [Date.UTC(2026, 0, 5), '019b8b74-1800-7d00-9000-0002d0000003'],
  [-5, '00000000-0000-7d00-9000-0002d0000003'],
  [2 ** 48 + 1, '00000000-0001-7d00-9000-0002d0000003'],
])('the id of a session that is made at %d', (now, id) => {
  expect(buildSessionId(now, countedIds())).toBe(id);
});

it.each('0123456789abcdef'.split(''))('the second part of an id that begins with %s says which kind it is', (digit) => {
  const id = buildSessionId(0, () => `${digit}1234567`);
  expect(id).toMatch(/^00000000-0000-7.12-[89ab]123-4567.1234567$/);
});
