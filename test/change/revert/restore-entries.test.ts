import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { draftRestore, type RestoreDraft, type RestoreForm } from '#change/revert/restore.js';
import { resolveUndo } from '#change/revert/undo-selection.js';
import { assistant, compaction, entry, type Entry, label, sessionOf, TALK, user } from '../../support/entries.js';
import { countedIds } from '../../support/memory-io.js';

const NOW = Date.UTC(2026, 2, 1);
const TIMESTAMP = new Date(NOW).toISOString();
const K1 = compaction('k1', 'a2', 'u2');
const SINCE = [user('u3', 'k1'), assistant('a3', 'u3')];

function edit(id: string, parentId: string, targetId: string, replacement: unknown = null): Entry {
  return entry('context_edit', id, parentId, { targetId, replacement });
}

function custom(id: string, parentId: string, customType: string, data: unknown): Entry {
  return entry('custom', id, parentId, { customType, data });
}

function system(rest: Entry = {}): Entry {
  return entry('message', 's1', null, { message: { role: 'system', content: 'be brief', timestamp: 0, ...rest } });
}

function transform(id: string, parentId: string, op: Entry, rest: Entry = {}): Entry {
  const patch = [{ scope: 'cached', invalidateCacheReason: 'test', ...op }];
  return entry('context_transform', id, parentId, { schemaVersion: 1, transformerName: 'test', patch, ...rest });
}

function restore(revision: string, form: RestoreForm | null, ...entries: readonly Entry[]): RestoreDraft {
  const session = sessionOf(...entries);
  return draftRestore(session, resolveUndo(session, revision), { form, now: () => NOW, newId: countedIds() });
}

/** An entry that a restore appends: the first one below `parentId`, and the next ones below each other. */
function added(count: number, parentId: string | null, type: string, fields: Entry): Entry {
  const id = (nth: number): string => `d000000${nth}`;
  return { type, id: id(count), parentId: count === 1 ? parentId : id(count - 1), timestamp: TIMESTAMP, ...fields };
}

const record = (undone: readonly string[], parentId: string | null): Entry =>
  added(1, parentId, 'custom', { customType: 'ctx.restore', data: { undone } });
/** Keeps everything, and says nothing. */
const allBack = (parentId: string, first = 'u1'): readonly Entry[] => [
  added(1, parentId, 'compaction', { summary: '', firstKeptEntryId: first, tokensBefore: 0, fromHook: true }),
  added(2, parentId, 'context_edit', { targetId: 'd0000001', replacement: null }),
];
const again = (parentId: string, fields: Entry): Entry =>
  added(1, parentId, 'compaction', { summary: 'what happened', tokensBefore: 1000, ...fields });
const content = (parentId: string, targetId: string, replacement: unknown): Entry =>
  added(1, parentId, 'context_edit', { targetId, replacement });

const FIRST = { ...K1, summary: 'first', details: { a: 1 }, fromHook: false, usage: { input: 5 } };
const ONE = edit('e1', 'a2', 'u1', { content: 'one' });
const TWO = edit('e2', 'e1', 'u1', { content: 'two' });
const APPLIED = { op: 'compaction_apply', summary: 'what happened', timestamp: 1, firstKeptMessageIndex: 2 };
const NOTE = entry('custom_message', 'c1', null, { customType: 'x', content: 'note', display: true });
const SHELL = entry('message', 'b1', null, {
  message: { role: 'bashExecution', command: 'ls', output: 'x', exitCode: 0, timestamp: 1 },
});

describe('what undoes', () => {
  it.each<[string, string, readonly Entry[], RestoreForm | null, readonly Entry[]]>([
    ['a compaction at the end', 'k1', [...TALK, K1], 'branch', [record(['k1'], 'a2')]],
    ['a compaction that is all there is', 'k1', [compaction('k1', null, 'k1')], 'branch', [record(['k1'], null)]],
    [
      'a compaction that only a label, a name, what it cost and the record of another restore follow',
      'k1',
      [
        ...TALK,
        K1,
        label('l1', 'k1', 'u1', 'x'),
        entry('session_info', 'i1', 'l1', { name: 'n' }),
        entry('usage', 'g1', 'i1'),
        custom('c1', 'g1', 'ctx.restore', { undone: ['z'] }),
      ],
      'branch',
      [record(['k1'], 'a2')],
    ],
    [
      'a compaction that a record which says nothing follows',
      'k1',
      [...TALK, K1, entry('custom', 'c1', 'k1', { customType: 'ctx.restore' })],
      'branch',
      [record(['k1'], 'a2')],
    ],
    [
      'a compaction that another entry follows',
      'k1',
      [...TALK, K1, custom('c1', 'k1', 'other', 1)],
      'stock',
      allBack('c1'),
    ],
    ['a compaction that messages follow', 'k1', [...TALK, K1, ...SINCE], 'stock', allBack('a3')],
    [
      'a compaction that has taken the prompt with it',
      'k1',
      [
        system({ sections: { a: 'A', b: 'B' }, toolsAdded: [{ name: 'read' }] }),
        user('u1', 's1'),
        compaction('k1', 'u1', 'u1'),
        user('u2', 'k1'),
      ],
      'stock',
      [
        ...allBack('u2', 's1'),
        added(3, null, 'message', {
          message: {
            role: 'system',
            content: 'be brief',
            sections: { a: 'A', b: 'B' },
            toolsAdded: [{ name: 'read' }],
            timestamp: NOW,
          },
        }),
      ],
    ],
    [
      'a compaction that has taken a prompt without sections and tools with it',
      'k1',
      [system(), user('u1', 's1'), compaction('k1', 'u1', 'u1'), user('u2', 'k1')],
      'stock',
      [
        ...allBack('u2', 's1'),
        added(3, null, 'message', { message: { role: 'system', content: 'be brief', timestamp: NOW } }),
      ],
    ],
    [
      'a compaction that has taken a prompt of sections alone with it',
      'k1',
      [system({ content: '', sections: { a: 'A' } }), user('u1', 's1'), compaction('k1', 'u1', 'u1'), user('u2', 'k1')],
      'stock',
      [
        ...allBack('u2', 's1'),
        added(3, null, 'message', { message: { role: 'system', content: '', sections: { a: 'A' }, timestamp: NOW } }),
      ],
    ],
    [
      'the second of two compactions',
      'k2',
      [...TALK, FIRST, ...SINCE, compaction('k2', 'a3', 'u3'), user('u4', 'k2')],
      'stock',
      [
        {
          ...again('u4', { summary: 'first', firstKeptEntryId: 'u2', details: { a: 1 }, fromHook: false }),
          timestamp: K1['timestamp'],
        },
      ],
    ],
    [
      'the second of two compactions, where the first keeps nothing',
      'k2',
      [...TALK, { ...FIRST, firstKeptEntryId: 'k1' }, ...SINCE, compaction('k2', 'a3', 'u3'), user('u4', 'k2')],
      'stock',
      [
        {
          ...again('u4', { summary: 'first', firstKeptEntryId: 'u3', details: { a: 1 }, fromHook: false }),
          timestamp: K1['timestamp'],
        },
      ],
    ],
    [
      'the second of two compactions, where the first says the prompt',
      'k2',
      [
        user('u1', null),
        {
          ...compaction('k1', 'u1', 'u1'),
          summary: 'first',
          systemMessage: { role: 'system', content: 'be kind', timestamp: 0 },
        },
        user('u2', 'k1'),
        compaction('k2', 'u2', 'u2'),
        user('u3', 'k2'),
      ],
      'stock',
      [
        {
          ...again('u3', { summary: 'first', firstKeptEntryId: 'u1' }),
          systemMessage: { role: 'system', content: 'be kind', timestamp: NOW },
          timestamp: K1['timestamp'],
        },
      ],
    ],
    [
      'the first of two compactions, which nothing is left of',
      'k1',
      [...TALK, K1, ...SINCE, compaction('k2', 'a3', 'u3'), user('u4', 'k2')],
      null,
      [],
    ],
    [
      'two compactions at once',
      'a2..HEAD',
      [...TALK, K1, ...SINCE, compaction('k2', 'a3', 'u3'), user('u4', 'k2')],
      'stock',
      allBack('u4'),
    ],
    [
      'an edit',
      'e1',
      [...TALK, edit('e1', 'a2', 'u1'), user('u3', 'e1')],
      'stock',
      [content('u3', 'u1', { content: 'question u1' })],
    ],
    [
      'the newer of two edits',
      'e2',
      [...TALK, ONE, TWO, user('u3', 'e2')],
      'stock',
      [content('u3', 'u1', { content: 'one' })],
    ],
    ['the older of two edits', 'e1', [...TALK, ONE, TWO, user('u3', 'e2')], null, []],
    [
      'two edits of one entry',
      'a2..HEAD',
      [...TALK, ONE, TWO, user('u3', 'e2')],
      'stock',
      [content('u3', 'u1', { content: 'question u1' })],
    ],
    [
      'a part of a range',
      'k1..e1',
      [...TALK, K1, edit('e1', 'k1', 'u2'), edit('e2', 'e1', 'a2'), user('u3', 'e2')],
      'stock',
      [content('u3', 'u2', { content: 'question u2' })],
    ],
    [
      'what a label with dots names',
      'a1..e1',
      [...TALK, edit('e1', 'a2', 'u1'), edit('e2', 'e1', 'u2'), label('l1', 'e2', 'e2', 'a1..e1'), user('u3', 'l1')],
      'stock',
      [content('u3', 'u2', { content: 'question u2' })],
    ],
    [
      'all of a range that begins before the first entry',
      '@{request:1}..HEAD',
      [assistant('a1', null), edit('e1', 'a1', 'a1', { content: 'x' }), edit('e2', 'e1', 'a1'), user('u1', 'e2')],
      'stock',
      [content('u1', 'a1', { content: [] })],
    ],
    [
      'an edit of a message of an extension',
      'e1',
      [NOTE, edit('e1', 'c1', 'c1'), user('u3', 'e1')],
      'stock',
      [content('u3', 'c1', { content: 'note' })],
    ],
    [
      'an edit of a message that has no content',
      'e1',
      [SHELL, edit('e1', 'b1', 'b1'), user('u3', 'e1')],
      'stock',
      [content('u3', 'b1', { content: [] })],
    ],
    ['an edit of nothing', 'e1', [user('u1', null), edit('e1', 'u1', 'nobody'), user('u3', 'e1')], null, []],
    ...['t1', 'k1'].map((revision): [string, string, readonly Entry[], RestoreForm, readonly Entry[]] => [
      `a compaction that was written twice, by ${revision}, for stock Pi too`,
      revision,
      [
        ...TALK,
        transform('t1', 'a2', APPLIED, { transformerName: 'compaction' }),
        compaction('k1', 't1', 'u2'),
        user('u3', 'k1'),
      ],
      'stock',
      allBack('u3'),
    ]),
    [
      'a compaction after one that an edit hides, which is written again and hidden again',
      'k2',
      [...TALK, FIRST, edit('e1', 'k1', 'k1'), user('u3', 'e1'), compaction('k2', 'u3', 'u3'), user('u4', 'k2')],
      'stock',
      [
        {
          ...again('u4', { summary: 'first', firstKeptEntryId: 'u2', details: { a: 1 }, fromHook: false }),
          timestamp: K1['timestamp'],
        },
        added(2, 'u4', 'context_edit', { targetId: 'd0000001', replacement: null }),
      ],
    ],
  ])('%s', (_, revision, entries, form, expected) => {
    const restored = restore(revision, null, ...entries);
    expect(restored).toMatchObject({ form, isSeenByPi: true });
    expect(restored.draft.entries).toEqual(expected);
  });

  const PRUNE = [
    ...TALK,
    custom('p1', 'a2', 'ctx.prune', { entries: 3 }),
    edit('e1', 'p1', 'u1'),
    edit('e2', 'e1', 'a1'),
    entry('custom_message', 'c1', 'e2', { customType: 'ctx', content: 'packet', display: true }),
  ];

  it.each(['p1', 'e1', 'e2', 'c1'])('a prune, whole, by its entry %s', (revision) => {
    const { draft } = restore(revision, null, ...PRUNE, user('u3', 'c1'));
    const edits = [content('d0000004', 'u1', { content: 'question u1' }), added(2, null, 'context_edit', {})];
    expect(draft.entries).toEqual([
      {
        type: 'custom',
        customType: 'ctx.restore',
        data: { entries: 3, undone: ['p1', 'e1', 'e2', 'c1'] },
        id: 'd0000004',
        parentId: 'u3',
        timestamp: TIMESTAMP,
      },
      edits[0],
      { ...edits[1], targetId: 'a1', replacement: { content: [] } },
      added(3, null, 'context_edit', { targetId: 'c1', replacement: null }),
    ]);
    expect(restore(revision, null, ...PRUNE).draft.entries).toEqual([record(['p1', 'e1', 'e2', 'c1'], 'a2')]);
  });

  it.each<[string, Entry, string, readonly string[]]>([
    ['says that it is shorter than what follows', { entries: 1 }, 'e1', ['p1', 'e1']],
    ['says that it is longer than what follows', { entries: 9 }, 'e2', ['p1', 'e1', 'e2', 'c1']],
    ['is not meant', { entries: 1 }, 'e2', ['e2']],
    ['does not say how long it is', { entries: '3' }, 'e1', ['e1']],
    ['is empty', {}, 'e1', ['e1']],
  ])('a prune that %s', (_, data, revision, undone) => {
    const entries = PRUNE.map((each) => (each['id'] === 'p1' ? custom('p1', 'a2', 'ctx.prune', data) : each));
    const session = sessionOf(...entries, user('u3', 'c1'));
    const { path, places } = resolveUndo(session, revision);
    expect(places.map((place) => path[place]!.id)).toEqual(undone);
  });

  it('a prune of what is not there, by nothing', () => {
    const lost = [custom('p1', 'a2', 'ctx.prune', { entries: 1 }), edit('e1', 'p1', 'nobody'), user('u3', 'e1')];
    expect(restore('p1', 'stock', ...TALK, ...lost).draft.entries).toEqual([]);
  });

  it('a prune that is no prune', () => {
    const odd = [...TALK, custom('p1', 'a2', 'ctx.prune', 7), edit('e1', 'p1', 'u1')];
    expect(() => resolveUndo(sessionOf(...odd), 'p1')).toThrow(/nothing to undo/);
    const other = [...TALK, custom('p1', 'a2', 'other', { entries: 1 }), edit('e1', 'p1', 'u1')];
    expect(() => resolveUndo(sessionOf(...other), 'p1')).toThrow(/nothing to undo/);
  });
});

const PART = { op: 'system_part_set', partName: 'p', text: 'x' };
const REPLACED = { op: 'messages_cached_replace', messages: [] };

describe('a transform that undoes', () => {
  const said = [...TALK, user('u3', 'a2')].map(({ message }) => message);
  const restored = (title: string, undone: readonly string[], op: Entry, name: string): Entry => ({
    schemaVersion: 1,
    transformerName: 'restore',
    patch: [{ op: name, scope: 'cached', invalidateCacheReason: title, ...op }],
    display: { title },
    details: { undone },
  });

  it.each<[string, string, RestoreForm | null, readonly Entry[], boolean, Entry]>([
    [
      'a transform',
      't1',
      null,
      [...TALK, transform('t1', 'a2', PART), user('u3', 't1')],
      true,
      restored('Undo t1', ['t1'], { partName: 'p' }, 'system_part_remove'),
    ],
    [
      'a compaction, if that is wanted',
      'k1',
      'context_transform',
      [...TALK, K1, user('u3', 'k1')],
      false,
      restored('Undo k1', ['k1'], { messages: said }, 'messages_cached_replace'),
    ],
    [
      'two transforms',
      'a2..HEAD',
      null,
      [
        ...TALK,
        transform('t1', 'a2', REPLACED),
        transform('t2', 't1', { ...APPLIED, firstKeptMessageIndex: 0 }),
        user('u3', 't2'),
      ],
      true,
      restored('Undo t1, t2', ['t1', 't2'], { messages: said }, 'messages_cached_replace'),
    ],
    [
      'a compaction by a transform that was written alone',
      't1',
      null,
      [...TALK, transform('t1', 'a2', APPLIED, { transformerName: 'compaction' }), user('u3', 't1')],
      true,
      restored('Undo t1', ['t1'], { messages: said }, 'messages_cached_replace'),
    ],
    ...['t1', 'k1'].map((revision): [string, string, RestoreForm, readonly Entry[], boolean, Entry] => [
      `a compaction that was written twice, by ${revision}`,
      revision,
      'context_transform',
      [
        ...TALK,
        transform('t1', 'a2', APPLIED, { transformerName: 'compaction' }),
        compaction('k1', 't1', 'u2'),
        user('u3', 'k1'),
      ],
      false,
      restored('Undo t1, k1', ['t1', 'k1'], { messages: said }, 'messages_cached_replace'),
    ]),
  ])('%s', (_, revision, form, entries, isSeenByPi, fields) => {
    const made = restore(revision, form, ...entries);
    expect(made).toMatchObject({ form: 'context_transform', isSeenByPi });
    expect(made.draft.entries).toEqual([added(1, 'u3', 'context_transform', fields)]);
  });

  it('is not written where the transform is the last entry', () => {
    const made = restore('t1', null, ...TALK, transform('t1', 'a2', PART));
    expect([made.form, made.draft.entries]).toEqual(['branch', [record(['t1'], 'a2')]]);
  });

  it('is not written where entries that Pi knows are enough', () => {
    const entries = [SHELL, transform('t1', 'b1', PART), edit('e1', 't1', 'b1'), user('u3', 'e1')];
    expect(restore('e1', null, ...entries)).toMatchObject({ form: 'stock', isSeenByPi: true });
  });
});

describe('what was undone before', () => {
  const EDITED = [...TALK, edit('e1', 'a2', 'u1'), user('u3', 'e1')];
  const messages = [{ role: 'user', content: 'as it was', timestamp: 1 }];
  const back = (rest: Entry): readonly Entry[] => [
    ...EDITED,
    transform('t1', 'u3', { op: 'messages_cached_replace', messages }, rest),
    user('u4', 't1'),
  ];
  const RESTORED = back({ transformerName: 'restore', details: { undone: ['e1', 'gone'] } });
  const settledBy = (revision: string, entries: readonly Entry[]): readonly unknown[] => {
    const { path, settled } = resolveUndo(sessionOf(...entries), revision);
    return [...settled].toSorted((a, b) => a - b).map((place) => path[place]!.id);
  };
  const K = compaction('k1', null, 'k1');
  const BATCH = [
    K,
    edit('e0', 'k1', 'u1'),
    custom('p1', 'e0', 'ctx.prune', { entries: 1 }),
    edit('e1', 'p1', 'u1'),
    custom('r1', 'e1', 'ctx.restore', { entries: 2, undone: ['p1', 'e1'] }),
    edit('x1', 'r1', 'u1'),
    entry('message', 'x2', 'x1', { message: { role: 'system', content: 'x' } }),
    user('u9', 'x2'),
  ];

  it.each<[string, string, readonly Entry[], readonly string[]]>([
    ['a transform of a restore belongs to what it has undone', 'e1', RESTORED, ['t1']],
    ['a transform that is no restore belongs to nothing', 'e1', back({ details: { undone: ['e1'] } }), []],
    [
      'a restore that does not say what it has undone belongs to nothing',
      'e1',
      back({ transformerName: 'restore', details: 'e1' }),
      [],
    ],
    [
      'a restore that names no list belongs to nothing',
      'e1',
      back({ transformerName: 'restore', details: { undone: 'e1' } }),
      [],
    ],
    [
      'what is named by a number is nobody',
      'e0',
      [
        user(5, null),
        edit('e0', '5', 'u1'),
        transform('t1', 'e0', PART, { transformerName: 'restore', details: { undone: [5, 'e0'] } }),
      ],
      ['t1'],
    ],
    ['what stands above it is not undone with it', 't1', RESTORED, []],
    ['a restore takes all that it has undone with it', 'e0', BATCH, ['p1', 'e1', 'r1', 'x1', 'x2']],
    ['a restore takes what is left of it with it', 'e1', BATCH, ['r1', 'x1', 'x2']],
    ['what is undone is not settled', 'r1', BATCH, []],
    [
      'a restore that was undone itself has undone nothing',
      'k1',
      [...BATCH, custom('r2', 'u9', 'ctx.restore', { entries: 1, undone: ['r1', 'x1', 'x2'] }), edit('y1', 'r2', 'u1')],
      ['r1', 'x1', 'x2', 'r2', 'y1'],
    ],
  ])('%s', (_, revision, entries, settled) => {
    expect(settledBy(revision, entries)).toEqual(settled);
  });

  it('gives back what was there before, not what a restore has said', () => {
    const { form, draft } = restore('e1', null, ...RESTORED);
    expect(form).toBe('context_transform');
    const all = [...TALK, user('u3', 'a2'), user('u4', 'u3')].map(({ message }) => message);
    expect(draft.entries).toMatchObject([{ patch: [{ op: 'messages_cached_replace', messages: all }] }]);
  });

  it('is in force again when the restore is undone', () => {
    const entries = [
      ...TALK,
      custom('p1', 'a2', 'ctx.prune', { entries: 1 }),
      edit('e1', 'p1', 'u1'),
      custom('r1', 'e1', 'ctx.restore', { entries: 1, undone: ['p1', 'e1'] }),
      edit('x1', 'r1', 'u1', { content: 'question u1' }),
      user('u3', 'x1'),
    ];
    const data = { entries: 1, undone: ['r1', 'x1'] };
    expect(restore('r1', null, ...entries).draft.entries).toEqual([
      { type: 'custom', customType: 'ctx.restore', data, id: 'd0000002', parentId: 'u3', timestamp: TIMESTAMP },
      content('d0000002', 'u1', null),
    ]);
    expect(restore('p1', null, ...entries)).toMatchObject({ form: null, isSeenByPi: true, draft: { entries: [] } });
  });
});

describe('what cannot be undone', () => {
  const nothing = (revision: string, hint: string): CtxError =>
    new CtxError('usage', `nothing to undo at "${revision}" on the active path`, {
      where: 'session.jsonl',
      hint,
    });
  const refused = (what: string, hint: string, where = 'session.jsonl'): CtxError =>
    new CtxError('refused', what, { where, hint });
  const EDITS = ['e1', 'e2', 'e3', 'e4', 'e5', 'e6'];
  const named = (ids: readonly string[]): string =>
    `name a compaction, an edit or a transform: ${ids.map((id) => `${id} (context_edit)`).join(', ')}`;

  it.each<[string, string, RestoreForm | null, readonly Entry[], CtxError]>([
    ['an empty session', 'HEAD', null, [], nothing('HEAD', 'the path has no compaction, edit or transform')],
    ['the end of a talk', 'HEAD', null, TALK, nothing('HEAD', 'the path has no compaction, edit or transform')],
    [
      'a message, and the last five that can be are named',
      'u1',
      null,
      [...TALK, ...EDITS.map((id, at) => edit(id, EDITS[at - 1] ?? 'a2', 'u1'))],
      nothing('u1', named(EDITS.slice(1))),
    ],
    [
      'what stands on another branch',
      'a1..x1',
      null,
      [...TALK, edit('x1', 'a1', 'u1'), edit('e1', 'a2', 'u1')],
      nothing('a1..x1', named(['e1'])),
    ],
    [
      'a compaction that messages follow, by a branch',
      'k1',
      'branch',
      [...TALK, K1, ...SINCE],
      refused('messages follow k1, and a branch before it would drop them', 'omit --as'),
    ],
    [
      'a transform by entries that Pi knows',
      't1',
      'stock',
      [...TALK, transform('t1', 'a2', PART), user('u3', 't1')],
      refused(
        'no appended entry can undo t1',
        'use --as context_transform, for readers that support transforms; Pi has no entry for it',
      ),
    ],
    [
      'what a compaction further down counts',
      't1',
      null,
      [
        ...TALK,
        transform('t1', 'a2', REPLACED),
        user('u3', 't1'),
        transform('t2', 'u3', { ...APPLIED, firstKeptMessageIndex: 0 }),
      ],
      refused(
        'a later compaction summarised the context with this change',
        'undo that compaction first: ctx revert session.jsonl t2',
        'session.jsonl:8',
      ),
    ],
  ])('%s', (_, revision, form, entries, error) => {
    expect(() => restore(revision, form, ...entries)).toThrow(error);
  });

  it('a transform further down that counts nothing is no hindrance', () => {
    const entries = [
      ...TALK,
      transform('t1', 'a2', PART),
      user('u3', 't1'),
      transform('t2', 'u3', { ...PART, partName: 'q' }),
    ];
    expect(restore('t1', null, ...entries, user('u4', 't2')).form).toBe('context_transform');
    const above = [
      ...TALK,
      transform('t1', 'a2', { ...APPLIED, firstKeptMessageIndex: 0 }),
      user('u3', 't1'),
      edit('e1', 'u3', 'u3'),
    ];
    expect(restore('e1', null, ...above, user('u4', 'e1')).form).toBe('stock');
  });
});
