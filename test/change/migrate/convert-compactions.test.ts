import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { type ConversionForm, convertCompactions, listLegacyCompactions } from '#change/migrate/convert-compactions.js';
import { isOld } from '#change/migrate/plan-migration.js';
import { assistant, bytes, compaction, entry, type Entry, HEADER, lines, TALK, user } from '../../support/entries.js';
import { type Migrated, migrated, opened } from '../../support/migrated.js';

const FORMS: readonly ConversionForm[] = ['both', 'context_transform'];
const TIMESTAMP = '2026-01-05T09:00:01.000Z';
const TIME = Date.parse(TIMESTAMP);
const COMPACTION = compaction('k1', 'a2', 'u2');
const KEPT = TALK.slice(2).map(({ message }) => message);

function edit(id: string, parentId: string, targetId: string, replacement: unknown): Entry {
  return entry('context_edit', id, parentId, { targetId, replacement });
}

function summary(text: string, timestamp: number | null = TIME): Entry {
  const said = `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${text}\n</summary>`;
  return { role: 'user', content: [{ type: 'text', text: said }], timestamp };
}

function op(name: string, fields: Entry, invalidateCacheReason = 'compaction'): Entry {
  return { op: name, scope: 'cached', ...fields, invalidateCacheReason };
}

function applied(firstKeptMessageIndex: number, rest: Entry = { tokensBefore: 1000 }): Entry {
  return op('compaction_apply', { summary: 'what happened', timestamp: TIME, firstKeptMessageIndex, ...rest });
}

function migrate(form: ConversionForm, ...parts: readonly (Entry | string)[]): Migrated {
  return migrated(bytes(lines(HEADER, ...parts)), form);
}

/** The lines that the new file has otherwise, by their places in the old one or the new one. */
function written({ bytes: made }: Migrated): readonly unknown[] {
  const text = new TextDecoder().decode(made).trimEnd();
  return text.split('\n').map((line): unknown => JSON.parse(line));
}

describe('a compaction that Pi has written', () => {
  const transform = {
    type: 'context_transform',
    id: '8d124233',
    parentId: 'a2',
    timestamp: TIMESTAMP,
    schemaVersion: 1,
    transformerName: 'compaction',
    patch: [applied(2)],
    display: { title: 'Compaction' },
  };

  it('gets a transform above it', () => {
    const made = migrate('both', ...TALK, COMPACTION, user('u3', 'k1'));
    expect(written(made)).toEqual([
      HEADER,
      ...TALK,
      transform,
      { ...COMPACTION, parentId: '8d124233' },
      user('u3', 'k1'),
    ]);
    expect(made).toMatchObject({ changedLines: 1, lost: [], conversions: [{ place: 'above', kind: 'compaction' }] });
  });

  it('becomes a transform with its id and its fields', () => {
    const made = migrate('context_transform', ...TALK, COMPACTION, user('u3', 'k1'));
    const { summary: text, tokensBefore, firstKeptEntryId } = COMPACTION;
    const alone = { ...transform, id: 'k1', summary: text, tokensBefore, firstKeptEntryId };
    expect(written(made)).toEqual([HEADER, ...TALK, alone, user('u3', 'k1')]);
    expect(made).toMatchObject({ changedLines: 1, lost: [], conversions: [{ place: 'instead', kind: 'compaction' }] });
  });

  it('becomes a transform with an id of its own where it has none', () => {
    const made = migrate('context_transform', ...TALK, compaction(undefined, 'a2', 'u2'));
    expect(written(made).at(-1)).toMatchObject({ type: 'context_transform', id: '8d124233', parentId: 'a2' });
  });

  it('begins the file where it is the first entry', () => {
    const made = written(migrate('both', compaction('k1', null, 'k1')));
    expect(made.slice(1)).toMatchObject([
      { type: 'context_transform', parentId: null, patch: [applied(0)] },
      { type: 'compaction', parentId: (made[1] as Entry)['id'] },
    ]);
  });
});

const ABOVE = 'compaction';
const EDIT = 'edit';
const SYSTEM = entry('message', 's1', null, { message: { role: 'system', content: 'be brief', timestamp: 0 } });
const forgotten = (reason: string): readonly Entry[] => [
  op('system_parts_replace', { parts: [], baseline: true }, reason),
  op('tools_replace', { tools: [], baseline: true }, reason),
];
const SET = op('system_part_set', { partName: 'rules', text: 'Be brief.' });
const partSet = (id: string, parentId: string): Entry =>
  entry('context_transform', id, parentId, {
    schemaVersion: 1,
    transformerName: 'rules',
    patch: [{ ...SET, invalidateCacheReason: 'rules' }],
  });
const CHECKPOINT = { role: 'system', content: 'new', toolsAdded: [{ name: 'read' }], timestamp: 0 };
const PART = { name: 'content', text: 'new', separator: '\n\n', kind: 'content' };

describe.each(FORMS)('what transforms say, with compactions as %s', (form) => {
  it.each<[string, readonly Entry[], readonly [id: string, kind: string, patch: readonly Entry[]][]]>([
    ['keeps nothing', [...TALK, compaction('k1', 'a2', 'nobody')], [['k1', ABOVE, [applied(4)]]]],
    ['keeps everything', [...TALK, compaction('k1', 'a2', 'u1')], [['k1', ABOVE, [applied(0)]]]],
    [
      'does not say how many tokens there were',
      [...TALK, { ...COMPACTION, tokensBefore: null }],
      [['k1', ABOVE, [applied(2, {})]]],
    ],
    [
      'has a summary that is no text',
      [...TALK, { ...COMPACTION, summary: 5 }],
      [['k1', ABOVE, [op('messages_cached_replace', { messages: [summary('5'), ...KEPT] })]]],
    ],
    [
      'has no time',
      [...TALK, { ...COMPACTION, timestamp: 'soon' }],
      [['k1', ABOVE, [op('messages_cached_replace', { messages: [summary('what happened', null), ...KEPT] })]]],
    ],
    [
      'brings back what another one has left out',
      [...TALK, COMPACTION, compaction('k2', 'k1', 'a1')],
      [
        ['k1', ABOVE, [applied(2)]],
        [
          'k2',
          ABOVE,
          [
            op('messages_cached_replace', {
              messages: [summary('what happened'), ...TALK.slice(1).map(({ message }) => message)],
            }),
          ],
        ],
      ],
    ],
    [
      'declares another prompt and other tools',
      [SYSTEM, user('u1', 's1'), { ...compaction('k1', 'u1', 'u1'), systemMessage: CHECKPOINT }],
      [
        [
          'k1',
          ABOVE,
          [
            op('system_parts_replace', { parts: [PART] }),
            op('tools_replace', { tools: [{ name: 'read' }] }),
            applied(0),
          ],
        ],
      ],
    ],
    [
      'has its summary taken out by an edit, and given back by another',
      [...TALK, COMPACTION, edit('e1', 'k1', 'k1', null), edit('e2', 'e1', 'k1', { content: 's' }), user('u3', 'e2')],
      [
        ['k1', ABOVE, [applied(2)]],
        ['e1', EDIT, [op('messages_cached_replace', { messages: KEPT }, 'context edit')]],
        [
          'e2',
          EDIT,
          [op('messages_cached_replace', { messages: [summary('what happened'), ...KEPT] }, 'context edit')],
        ],
      ],
    ],
    [
      'stands above edits of what it kept, of what follows, and of what will follow',
      [
        ...TALK,
        COMPACTION,
        edit('e1', 'k1', 'u2', null),
        edit('e2', 'e1', 'u3', null),
        user('u3', 'e2'),
        edit('e3', 'u3', 'u3', { content: 'x' }),
      ],
      [['k1', ABOVE, [applied(2)]]],
    ],
    [
      'has an edit on another branch',
      [...TALK, COMPACTION, edit('e1', 'a2', 'u1', null)],
      [['k1', ABOVE, [applied(2)]]],
    ],
    [
      'stands between two edits of the prompt',
      [SYSTEM, edit('e1', 's1', 's1', null), compaction('k1', 'e1', 's1'), edit('e2', 'k1', 's1', { content: 'x' })],
      [
        ['k1', ABOVE, [applied(0)]],
        ['e2', EDIT, forgotten('context edit')],
      ],
    ],
    [
      'forgets a prompt that an op has changed',
      [SYSTEM, partSet('x1', 's1'), user('u1', 'x1'), compaction('k1', 'u1', 'u1')],
      [['k1', ABOVE, [...forgotten('compaction').toSpliced(1, 0, SET), applied(0)]]],
    ],
    [
      'stands behind its edit in the file',
      [...TALK, edit('e1', 'k1', 'k1', null), COMPACTION],
      [
        ['e1', EDIT, [op('messages_cached_replace', { messages: KEPT }, 'context edit')]],
        ['k1', ABOVE, [applied(2)]],
      ],
    ],
    [
      'stands on two branches',
      [...TALK, COMPACTION, compaction('k2', 'a2', 'a2')],
      [
        ['k1', ABOVE, [applied(2)]],
        ['k2', ABOVE, [applied(3)]],
      ],
    ],
  ])('a compaction that %s', (_, entries, expected) => {
    const made = migrate(form, ...entries);
    expect(made.conversions.map(({ head, kind, entry: { patch } }) => [head.id, kind, patch])).toEqual(expected);
    expect(made.changedLines).toBe(expected.length);
  });

  it('add all messages again if an edit would restore hidden ones', () => {
    const { conversions } = migrate(
      form,
      user('u1', null),
      edit('e1', 'u1', 'u1', null),
      compaction('k1', 'e1', 'e1'),
      edit('e2', 'k1', 'u1', { content: 'back' }),
      assistant('a1', 'e2'),
    );
    const shown = [summary('what happened')];
    const last = { role: 'user', content: [], timestamp: 0 };
    const reset = [
      ...forgotten('context edit'),
      op('messages_cached_replace', { messages: [...shown, last] }, 'context edit'),
      op('compaction_apply', { summary: '', timestamp: 0, firstKeptMessageIndex: 2 }, 'context edit'),
      op('messages_cached_replace', { messages: shown }, 'context edit'),
    ];
    expect(conversions.map(({ head, kind }) => [head.id, kind])).toEqual([
      ['k1', 'compaction'],
      ['e2', 'edit, with all messages added again'],
    ]);
    expect(conversions[1]).toMatchObject({
      place: 'above',
      entry: {
        type: 'context_transform',
        parentId: 'k1',
        timestamp: TIMESTAMP,
        transformerName: 'migration',
        patch: reset,
        display: { title: 'Edit of compacted entries' },
      },
    });
  });

  it('are left alone where there are some', () => {
    const transform = entry('context_transform', 't1', 'a2', {
      schemaVersion: 1,
      transformerName: 'compaction',
      patch: [applied(2)],
    });
    const entries = [...TALK, transform, compaction('k1', 't1', 'u2')];
    const made = migrate(form, ...entries);
    expect([made.conversions, made.changedLines]).toEqual([[], 0]);
    expect([...listLegacyCompactions(opened(bytes(lines(HEADER, ...entries))))]).toEqual([]);
  });

  it('cannot say what goes round in a circle', () => {
    expect(() => migrate(form, user('u1', 'k1'), compaction('k1', 'u1', 'u1'))).toThrow(
      new CtxError('input', 'the parents form a cycle, so it is unknown what a compaction keeps', {
        where: 'session.jsonl:3',
        hint: 'repair the session first: ctx repair --output NEW.jsonl',
      }),
    );
  });
});

it('a compaction that calls its own field a patch cannot be a transform', () => {
  const odd = { ...COMPACTION, patch: [] };
  expect(migrate('both', ...TALK, odd).conversions).toHaveLength(1);
  expect(() => migrate('context_transform', ...TALK, odd)).toThrow(
    new CtxError('input', 'a transform cannot replace this compaction', {
      where: 'session.jsonl:6: entry k1',
      hint: 'migrate without --compactions',
    }),
  );
});

it.each(FORMS)('a compaction that drops what a system message without a time needs is refused (%s)', (form) => {
  const untimed = entry('message', 's2', 'k1', { message: { role: 'system', content: 'and careful' } });
  expect(() => migrate(form, SYSTEM, user('u1', 's1'), compaction('k1', 'u1', 'u1'), untimed)).toThrow(
    new CtxError('input', 'a transform cannot replace a compaction of this system message, which has no timestamp', {
      where: 'session.jsonl:5: entry s2',
      hint: 'migrate without --compactions',
    }),
  );
});

it('a compaction without an id is named by its line', () => {
  const odd = { ...compaction(undefined, 'a2', 'u2'), patch: [] };
  expect(() => migrate('context_transform', ...TALK, odd)).toThrow(
    new CtxError('input', 'a transform cannot replace this compaction', {
      where: 'session.jsonl:6: entry without an id',
      hint: 'migrate without --compactions',
    }),
  );
});

describe('a session of version', () => {
  const old = (version: unknown, ...parts: readonly (Entry | string)[]): Migrated =>
    migrated(bytes(lines({ ...HEADER, version }, ...parts)));

  it.each([
    [1, true],
    [2, true],
    [3, false],
    [4, false],
    [undefined, true],
    ['x', true],
  ])('%j is old: %s', (version, expected) => {
    expect(isOld(opened(bytes(lines({ ...HEADER, version }))))).toBe(expected);
  });

  it('1 gets ids, parents, and ids for the lines that compactions count', () => {
    const message = (content: string): Entry => ({ type: 'message', message: { role: 'user', content } });
    const compacted = (fields: Entry): Entry => ({ type: 'compaction', summary: 's', ...fields });
    const made = written(
      old(
        undefined,
        message('1'),
        message('2'),
        compacted({ firstKeptEntryIndex: 2 }),
        compacted({ firstKeptEntryIndex: 99 }),
        compacted({ firstKeptEntryId: 'mine' }),
        compacted({ firstKeptEntryIndex: 1, firstKeptEntryId: 'mine' }),
      ),
    ) as readonly Entry[];
    const [header, ...entries] = made;
    const ids = entries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
    expect(header).toEqual({ ...HEADER, version: 3 });
    expect(entries.map(({ parentId }) => parentId)).toEqual([null, ...ids.slice(0, -1)]);
    expect(entries.slice(2).map(({ firstKeptEntryId }) => firstKeptEntryId)).toEqual([
      ids[1],
      undefined,
      'mine',
      ids[0],
    ]);
    for (const each of entries) expect(each).not.toHaveProperty('firstKeptEntryIndex');
  });

  it('2 loses an entry that stands on several lines, whole', () => {
    const spread = JSON.stringify(user('x1', null), null, 1);
    const file = lines({ ...HEADER, version: 2 }, user('u1', null), spread, user('u2', 'u1'));
    const made = migrated(bytes(file));
    expect(written(made)).toEqual([{ ...HEADER, version: 3 }, user('u1', null), user('u2', 'u1')]);
    const lost = { code: 'split-line', offset: file.indexOf(spread), length: spread.length + 1, line: 3 };
    expect(made.lost).toEqual([lost]);
  });

  it('2 changes the role of hook messages, and the header', () => {
    const hook = entry('message', 'h1', null, { message: { role: 'hookMessage', content: 'x' } });
    const made = old(2, hook, user('u1', 'h1'));
    expect(written(made)).toEqual([
      { ...HEADER, version: 3 },
      { ...hook, message: { role: 'custom', content: 'x' } },
      user('u1', 'h1'),
    ]);
    expect(made.changedLines).toBe(2);
  });

  it('1 loses damaged lines, and the entries behind them stand below those before', () => {
    const message = (content: string): Entry => ({ type: 'message', message: { role: 'user', content } });
    const kept = { type: 'compaction', summary: 's', firstKeptEntryIndex: 2 };
    const file = lines({ ...HEADER, version: 1 }, message('1'), '42', 'garbage', message('2'), kept, '"end"');
    const made = migrated(bytes(file));
    const [, first, second, third, ...none] = written(made) as readonly Entry[];
    expect(none).toEqual([]);
    expect([first!['parentId'], second!['parentId'], third!['parentId']]).toEqual([null, first!['id'], second!['id']]);
    expect(third!['firstKeptEntryId']).toBe(second!['id']);
    expect(made.lost).toEqual([
      { code: 'not-an-object', offset: file.indexOf('42\n'), length: 3, line: 3 },
      { code: 'malformed-line', offset: file.indexOf('garbage'), length: 8, line: 4 },
      { code: 'not-an-object', offset: file.indexOf('"end"'), length: 6, line: 7 },
    ]);
  });
});

describe('a session with a compaction on each of many branches', () => {
  it('is walked once: each entry that the branches share is parsed once', () => {
    const trunk = Array.from({ length: 30 }, (_, at) => user(`u${at}`, at === 0 ? null : `u${at - 1}`));
    const branches = trunk.map(({ id }, at) => compaction(`k${at}`, String(id), String(id)));
    const session = opened(bytes(lines(HEADER, ...trunk, ...branches)));
    const parsed: string[] = [];
    const counting: typeof session = {
      ...session,
      entry(head) {
        if (head.type === 'message') parsed.push(String(head.id));
        return session.entry(head);
      },
    };
    const found = convertCompactions(counting, { form: 'both', parentOf: ({ parentId }) => parentId });
    expect(found.size).toBe(30);
    expect(parsed).toHaveLength(30);
    expect(new Set(parsed)).toEqual(new Set(trunk.map(({ id }) => id)));
  });
});
