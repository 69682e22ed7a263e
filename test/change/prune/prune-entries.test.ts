import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { buildFormRule, type PruneForm } from '#change/prune/forms.js';
import { buildHistory, type History } from '#change/prune/history.js';
import { PACKET_TITLE, toPacketMessage } from '#change/prune/packet.js';
import type { PreparedPrune } from '#change/prune/prepare.js';
import { buildPruneEntries } from '#change/prune/prune-entries.js';
import type { PruneDecision, PruneResult } from '#change/prune/prune.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { type Entry, entry, sessionOf } from '../../support/entries.js';
import { answered, asked, call, historyFrom, result, talk } from '../../support/history.js';
import { countedIds } from '../../support/memory-io.js';

const FRESH = { now: () => 0, newId: () => '00000001' };
const TIME = '1970-01-01T00:00:00.000Z';
const ABOUT = { zone: 'red' as const, strategies: ['x'], saved: 1 };

/** A prune that leaves out the first message, so many times over. */
function dropping(times: number): Pick<PreparedPrune, 'before' | 'pruned'> {
  const history = historyFrom(talk(asked('u1', 'Old.'), answered('a1'), asked('u2', 'New.')));
  const decisions = history.items.slice(0, 1).flatMap((item): readonly PruneDecision[] => {
    const tokens = { before: item.tokens, after: 0 };
    const one = {
      strategy: 'turns',
      item,
      message: null,
      tokens,
      reason: '',
      spill: undefined,
    };
    return Array.from({ length: times }, () => one);
  });
  const pruned = { history: { ...history, items: history.items.slice(1) }, decisions, refusals: [] };
  return { before: history, pruned };
}

it('leaves out as many messages as a session can have', () => {
  const session = sessionOf(JSON.stringify(entry('message', 'u1', null)));
  const about = { ...ABOUT, path: [], packet: 'The packet', form: 'context_transform' as const };
  const [transform] = buildPruneEntries(session, { ...about, ...dropping(300_000) }, '', FRESH);
  expect(JSON.stringify(transform?.['patch'])).toMatch(
    /"messages":\[\{"role":"user","content":\[\{"type":"text","text":"The packet"/,
  );
});

interface Context {
  readonly session: Session;
  readonly history: History;
}

function contextOf(...entries: readonly Entry[]): Context {
  const session = sessionOf(...entries);
  const { leaf } = session.tree;
  return { session, history: buildHistory(session, buildEnvelope(attachPatchReader(session), leaf), leaf) };
}

/** The rule of a form at the end of a session. */
function buildRule(form: PruneForm, { session }: Context): ReturnType<typeof buildFormRule> {
  return buildFormRule(form, session, pathTo(session.tree, session.tree.leaf!));
}

/** What is written where these messages, by the ids of their entries, become others, or nothing. */
function written(
  { session, history }: Context,
  changes: readonly (readonly [id: string, message: Entry | null])[],
  { packet = null, form }: Pick<PreparedPrune, 'form'> & Partial<Pick<PreparedPrune, 'packet'>>,
): readonly JsonObject[] {
  const decisions = changes.map(([id, message]): PruneDecision => {
    const item = history.items.find(({ from }) => from.entryId === id)!;
    const tokens = { before: item.tokens, after: 0 };
    return {
      strategy: 'x',
      item,
      message: message as never,
      tokens,
      reason: '',
      spill: undefined,
    };
  });
  const left = new Map(decisions.map(({ item, message }) => [item.place, message]));
  const items = history.items.flatMap((item) => {
    const message = left.get(item.place);
    return message === undefined ? [item] : message === null ? [] : [{ ...item, message }];
  });
  const pruned: PruneResult = { history: { ...history, items }, decisions, refusals: [] };
  const path = session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : [];
  const about = { ...ABOUT, path, before: history, pruned, packet, form };
  return buildPruneEntries(session, about, 'In short', { now: () => 0, newId: countedIds() });
}

const TALK = talk(
  asked('u1', 'Old.'),
  answered('a1', { type: 'text', text: 'Done.' }),
  asked('u2', 'Newer.'),
  answered('a2', { type: 'text', text: 'Also done.' }),
  asked('u3', 'New.'),
);
const SHORT = { role: 'assistant', content: [{ type: 'text', text: '…' }] };
const packet = (text: string): Entry => toPacketMessage(text, 0);

describe('a prune as a transform', () => {
  /** The texts that the transform puts into the context. */
  function left(entries: readonly JsonObject[]): readonly unknown[] {
    const [{ patch }] = entries as readonly [{ patch: readonly [{ messages: readonly Entry[] }] }];
    return patch[0].messages.map(({ content }) => (content as readonly Entry[])[0]!['text']);
  }

  it('holds all messages that stay, and what was done', () => {
    const context = contextOf(...TALK);
    const entries = written(context, [['a1', SHORT]], { form: 'context_transform' });
    const messages = context.history.items.map(({ message }) => message);
    expect(entries).toEqual([
      {
        type: 'context_transform',
        id: expect.any(String),
        parentId: 'u3',
        timestamp: TIME,
        schemaVersion: 1,
        transformerName: 'prune',
        patch: [
          {
            op: 'messages_cached_replace',
            scope: 'cached',
            messages: messages.with(1, SHORT as never),
            invalidateCacheReason: 'prune',
          },
        ],
        display: { title: 'Prune', summary: 'In short' },
        details: { zone: 'red', strategies: ['x'] },
      },
    ]);
  });

  it.each<[string, readonly (readonly [string, Entry | null])[], readonly string[]]>([
    [
      'first',
      [
        ['u1', null],
        ['a1', null],
      ],
      ['P', 'Newer.', 'Also done.', 'New.'],
    ],
    [
      'between',
      [
        ['u2', null],
        ['a2', null],
      ],
      ['Old.', 'Done.', 'P', 'New.'],
    ],
    [
      'where the first one went',
      [
        ['a2', null],
        ['u1', null],
      ],
      ['P', 'Done.', 'Newer.', 'New.'],
    ],
    [
      'not where one is only shorter',
      [
        ['a1', SHORT],
        ['u2', null],
      ],
      ['Old.', '…', 'P', 'Also done.', 'New.'],
    ],
    ['last where nothing went', [], ['Old.', 'Done.', 'Newer.', 'Also done.', 'New.', 'P']],
  ])('has its packet %s', (_where, changes, texts) => {
    const [transform, ...others] = written(contextOf(...TALK), changes, { form: 'context_transform', packet: 'P' });
    expect(others).toEqual([]);
    expect(left([transform!])).toEqual(texts);
  });

  it('has its packet at the position of an earlier one, or before it', () => {
    const messages = [...TALK.map(({ message }) => message as Entry).slice(2, 4), packet(`${PACKET_TITLE}\n\nOld`)];
    const patch = [{ op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'prune' }];
    const earlier = entry('context_transform', 't1', 'u3', { schemaVersion: 1, transformerName: 'prune', patch });
    const question = entry('message', 'u4', 't1', { message: asked('', 'Newest.')[1] });
    const context = contextOf(...TALK, earlier, question);
    expect(context.history.items.map(({ kind }) => kind)).toEqual(['user', 'assistant', 'packet', 'user']);
    const form = 'context_transform';
    expect(left(written(context, [], { form, packet: 'P' }))).toEqual(['Newer.', 'Also done.', 'P', 'Newest.']);
    expect(left(written(context, [['u4', null]], { form, packet: 'P' }))).toEqual(['Newer.', 'Also done.', 'P']);
    const [first] = context.history.items;
    const dropped: PruneDecision = {
      strategy: 'x',
      item: first!,
      message: null,
      tokens: { before: 1, after: 0 },
      reason: '',
      spill: undefined,
    };
    const pruned = {
      history: { ...context.history, items: context.history.items.slice(1) },
      decisions: [dropped],
      refusals: [],
    };
    const path = pathTo(context.session.tree, context.session.tree.leaf!);
    const about = { ...ABOUT, path, before: context.history, pruned, packet: 'P', form } as const;
    expect(left(buildPruneEntries(context.session, about, '', FRESH))).toEqual(['P', 'Also done.', 'Newest.']);
  });
});

describe('a prune as edits', () => {
  const form = 'context_edit';

  it('is a record, an edit for each message, and the packet', () => {
    const entries = written(
      contextOf(...TALK),
      [
        ['u1', null],
        ['a1', SHORT],
        ['a1', { ...SHORT, content: 'last' }],
      ],
      {
        form,
        packet: 'P',
      },
    );
    const place = (parentId: unknown): Entry => ({ id: expect.any(String), parentId, timestamp: TIME });
    expect(entries).toEqual([
      {
        type: 'custom',
        ...place('u3'),
        customType: 'ctx.prune',
        data: { summary: 'In short', entries: 3, zone: 'red', strategies: ['x'] },
      },
      { type: 'context_edit', ...place(entries[0]!['id']), targetId: 'u1', replacement: null },
      { type: 'context_edit', ...place(entries[1]!['id']), targetId: 'a1', replacement: { content: 'last' } },
      {
        type: 'custom_message',
        ...place(entries[2]!['id']),
        customType: 'ctx.packet',
        content: 'P',
        display: false,
      },
    ]);
  });

  it('takes away the packet before it', () => {
    const old = entry('custom_message', 'p1', 'u3', { customType: 'ctx.packet', content: 'Old', display: false });
    const question = entry('message', 'u4', 'p1', { message: asked('', 'Newest.')[1] });
    const context = contextOf(...TALK, old, question);
    const targets = (packetText: string | null): readonly unknown[] =>
      written(context, [['u1', null]], { form, packet: packetText }).map(({ type, targetId }) => targetId ?? type);
    expect(targets(null)).toEqual(['custom', 'u1']);
    expect(targets('P')).toEqual(['custom', 'u1', 'p1', 'custom_message']);
  });

  function refusal(context: Context, wish: { readonly form: PruneForm; readonly packet: string | null }): unknown {
    try {
      written(context, [], wish);
      return null;
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      return [error.kind, error.message, error.where, error.hint];
    }
  }

  it('cannot have a packet between a call and its result', () => {
    const read = answered('a4', call('c1', 'read', { path: 'a.ts' }));
    const open = contextOf(...talk(asked('u1', 'Go.'), read));
    const where = ['session.jsonl', 'continue the session first, or choose another form with --as'];
    expect(refusal(open, { form, packet: 'P' })).toEqual([
      'refused',
      'a tool call of the newest turn has no result yet, and a packet would separate them',
      ...where,
    ]);
    expect(refusal(open, { form, packet: null })).toBeNull();
    expect(refusal(open, { form: 'context_transform', packet: 'P' })).toBeNull();
    for (const next of [result('r4', 'c1', 'text'), asked('u5', 'Well?')])
      expect(refusal(contextOf(...talk(asked('u1', 'Go.'), read, next)), { form, packet: 'P' })).toBeNull();
    const alone = contextOf(...talk(asked('u1', 'Go.'), result('r4', 'c1', 'text')));
    expect(refusal(alone, { form, packet: 'P' })).toBeNull();
  });

  it('cannot take away a packet that a transform has made', () => {
    const patch = [
      {
        op: 'messages_cached_replace',
        scope: 'cached',
        messages: [packet(`${PACKET_TITLE}\n\nOld`)],
        invalidateCacheReason: 'prune',
      },
    ];
    const earlier = entry('context_transform', 't1', 'u3', { schemaVersion: 1, transformerName: 'prune', patch });
    const context = contextOf(...TALK, earlier, entry('message', 'u4', 't1', { message: asked('', 'Newest.')[1] }));
    expect(refusal(context, { form, packet: 'P' })).toEqual([
      'refused',
      'a transform created the existing packet, and stock Pi cannot edit that',
      'session.jsonl',
      'omit --as, or undo that prune first: ctx revert session.jsonl t1',
    ]);
    expect(refusal(context, { form, packet: null })).toBeNull();
  });
});

describe('a prune as stock Pi knows it', () => {
  const form = 'stock';
  const kept = (id: string, rest: Entry = {}): Entry =>
    entry('compaction', 'k1', 'u3', { summary: 'Said.', tokensBefore: 9, firstKeptEntryId: id, ...rest });
  const last = entry('message', 'u4', 'k1', { message: asked('', 'Newest.')[1] });
  /** What the entries of a prune say, in short. */
  const shortly = (entries: readonly JsonObject[]): readonly unknown[] =>
    entries.map(({ type, targetId, firstKeptEntryId }) => targetId ?? firstKeptEntryId ?? type);

  it('is a record, a compaction that keeps from the first message that stays, and an edit of each other one', () => {
    const entries = written(
      contextOf(...TALK),
      [
        ['u1', null],
        ['a1', null],
        ['a2', SHORT],
      ],
      { form, packet: 'P' },
    );
    expect(shortly(entries)).toEqual(['custom', 'u2', 'a2']);
    expect(entries[0]).toMatchObject({ customType: 'ctx.prune', data: { summary: 'In short', entries: 2 } });
    expect(entries[1]).toMatchObject({
      type: 'compaction',
      parentId: entries[0]!['id'],
      summary: 'P',
      details: { customType: 'ctx.packet' },
      fromHook: true,
    });
    expect(shortly(written(contextOf(...TALK), [['a2', SHORT]], { form }))).toEqual(['custom', 'a2']);
  });

  it('lets a packet replace the summary in force, with the prompt that its compaction holds', () => {
    const systemMessage = { role: 'system', content: 'Be brief.' };
    const context = contextOf(...TALK, kept('u2', { systemMessage }), last);
    const entries = written(
      context,
      [
        ['k1', null],
        ['a2', null],
      ],
      { form, packet: 'P' },
    );
    expect(shortly(entries)).toEqual(['custom', 'u2', 'a2']);
    expect(entries[1]!['systemMessage']).toMatchObject(systemMessage);
    const [summary] = context.history.items;
    const drop = { at: 0, message: null };
    expect(buildRule('stock', context)(summary!, drop, context.history)).toBeNull();
    expect(buildRule('context_edit', context)(summary!, drop, context.history)).toContain('the prompt');
  });

  it('has its packet at the end where a summary stays, or an edit above the boundary counts below it', () => {
    const stays = contextOf(...TALK, kept('u2'), last);
    expect(shortly(written(stays, [['u2', null]], { form, packet: 'P' }))).toEqual(['custom', 'u2', 'custom_message']);
    const early = entry('context_edit', 'e1', null, { targetId: 'u2', replacement: { content: 'Other.' } });
    const [first, ...rest] = TALK;
    const edited = contextOf(early, { ...first!, parentId: 'e1' }, ...rest);
    const entries = written(edited, [['u1', null]], { form, packet: 'P' });
    expect(shortly(entries)).toEqual(['custom', 'u1', 'custom_message']);
  });
});

describe('stock Pi has no edit', () => {
  /** Why one message of a context cannot become another, and why it cannot go. */
  function whyNot(context: Context, id: string): readonly [edit: string | null, drop: string | null] {
    const { history } = context;
    const item = history.items.find(({ from }) => from.entryId === id)!;
    const forbids = buildRule('context_edit', context);
    const { at, message } = item;
    return [forbids(item, { at, message }, history), forbids(item, { at, message: null }, history)];
  }

  const bash = entry('message', 'b1', null, { message: { role: 'bashExecution', command: 'ls', output: 'a' } });
  const branch = entry('branch_summary', 's1', 'b1', { summary: 'Another way.', fromId: 'x' });
  const more = (parentId: string): readonly Entry[] => [
    entry('message', 'u1', parentId, { message: asked('', 'Go.')[1] }),
    entry('message', 'a1', 'u1', { message: answered('', { type: 'text', text: 'Done.' })[1] }),
    entry('message', 'u2', 'a1', { message: asked('', 'On.')[1] }),
  ];
  const ONLY_OUT = 'Pi can only omit such a message';
  const BARE = 'the packet is at the end, and a request cannot begin with an answer';

  it('that changes a command or a summary', () => {
    const context = contextOf(bash, branch, ...more('s1'));
    expect(context.history.items.map(({ kind }) => kind)).toEqual([
      'bash',
      'branch-summary',
      'user',
      'assistant',
      'user',
    ]);
    expect(whyNot(context, 'b1')).toEqual([ONLY_OUT, null]);
    expect(whyNot(context, 's1')).toEqual([ONLY_OUT, null]);
    expect(whyNot(context, 'u1')).toEqual([null, null]);
    expect(whyNot(context, 'a1')).toEqual([null, null]);
  });

  const kept = (id: string, rest: Entry = {}): Entry =>
    entry('compaction', 'k1', 'u2', { summary: 'Said.', tokensBefore: 9, firstKeptEntryId: id, ...rest });
  const after = entry('message', 'u3', 'k1', { message: asked('', 'And?')[1] });

  it('that takes the summary away above an answer', () => {
    expect(whyNot(contextOf(...more('none'), kept('u2'), after), 'k1')).toEqual([ONLY_OUT, null]);
    expect(whyNot(contextOf(...more('none'), kept('a1'), after), 'k1')).toEqual([ONLY_OUT, BARE]);
    expect(whyNot(contextOf(...more('none'), kept('a1'), after), 'a1')).toEqual([null, null]);
    expect(whyNot(contextOf(...more('none'), kept('a1'), after), 'u2')).toEqual([null, null]);
    expect(whyNot(contextOf(...more('none'), kept('k1')), 'k1')).toEqual([ONLY_OUT, null]);
  });

  it('that takes a compaction away with the prompt in it', () => {
    const systemMessage = { role: 'system', content: 'Be brief.' };
    const why = 'the compaction also contains the prompt, which an edit would remove';
    expect(whyNot(contextOf(...more('none'), kept('u2', { systemMessage }), after), 'k1')).toEqual([why, why]);
    const [first, ...others] = more('none');
    expect(whyNot(contextOf({ ...first, systemMessage }, ...others), 'u1')).toEqual([null, null]);
  });

  it('for what a transform has made, or has no id', () => {
    const patch = [
      { op: 'messages_cached_replace', scope: 'cached', messages: [asked('', 'Put.')[1]], invalidateCacheReason: 'x' },
    ];
    const put = entry('context_transform', 't1', 'u2', { schemaVersion: 1, transformerName: 'x', patch });
    const why = 'a transform created the message, and stock Pi ignores transforms';
    const context = contextOf(...more('none'), put, entry('message', 'u3', 't1', { message: asked('', 'And?')[1] }));
    expect(whyNot(context, 't1')).toEqual([why, why]);
    expect(whyNot(context, 'u3')).toEqual([null, null]);
    const [item] = context.history.items;
    const forbids = buildRule('context_edit', context);
    for (const entryId of [null, 'never'])
      expect(forbids({ ...item!, from: { ...item!.from, entryId } }, { at: 0, message: null }, context.history)).toBe(
        'the entry has no id',
      );
  });
});
