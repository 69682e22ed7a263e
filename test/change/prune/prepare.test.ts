import { describe, expect, it } from 'vitest';
import { collectFacts } from '#analysis/facts/facts.js';
import { defineStrategy, type Proposal } from '#change/prune/define.js';
import { buildPruneDocument, pruneDocument } from '#change/prune/document.js';
import type { History } from '#change/prune/history.js';
import { formatPacket, LEAST_PACKET_TOKENS, PACKET_TITLE, toPacketMessage } from '#change/prune/packet.js';
import { prepareHistory } from '#change/prune/prepare-history.js';
import type { PreparedPrune } from '#change/prune/prepare.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { compaction, entry } from '../../support/entries.js';
import { answered, asked, call, historyFrom, result, type Said, talk } from '../../support/history.js';

const SAID = { type: 'text', text: 'Done.' };
const FACTS = collectFacts(
  Array.from({ length: 40 }, (_, at) => ({
    kind: 'task' as const,
    key: `task ${at}`,
    text: `Task number ${at} of them all`,
    state: 'open' as const,
    outcome: null,
    time: at,
    source: { entryId: 'u1', line: 2, kind: 'user' as const, place: 0 },
  })),
);

interface Wish {
  readonly packetTokens?: number;
  readonly protects?: string;
}

/** What comes of proposals; whether the facts was asked. */
function prepared(
  history: History,
  proposals: readonly Proposal[],
  { packetTokens = 2000, protects }: Wish = {},
): PreparedPrune & { readonly asked: number } {
  let askedFor = 0;
  const strategy = defineStrategy({ name: 'some', summary: '', help: '', propose: () => proposals });
  const facts = (): typeof FACTS => {
    askedFor += 1;
    return FACTS;
  };
  const rules = {
    protects: ({ from }: { from: { entryId: string | null } }) => (from.entryId === protects ? 'it must stay' : null),
    forbids: () => null,
  };
  const done = prepareHistory(history, {
    strategies: [{ strategy, options: undefined }],
    rules,
    packetTokens,
    packetAs: (text) => toPacketMessage(text, 0),
    facts,
  });
  return { ...done, path: [], zone: null, strategies: [], form: 'stock', asked: askedFor };
}

function dropping(...places: readonly number[]): readonly Proposal[] {
  return places.map((at) => ({ changes: [{ at, message: null }], reason: 'for a reason' }));
}

const long = (text: string, times = 100): string => `${text} `.repeat(times).trim();
const read: readonly Said[] = [
  answered('a1', SAID, call('c1', 'read', { path: 'src/a.ts' })),
  result('r1', 'c1', long('what the file says')),
];
const TALK = historyFrom(
  talk(
    asked('u1', long('Look at it.')),
    ...read,
    answered('b1', { type: 'text', text: long('I see src/a.ts.') }),
    asked('u2', 'And?'),
  ),
);

describe('a packet', () => {
  it.each([
    ['a question', 0, true],
    ['an answer', 3, true],
  ])('stands for %s', (_what, at, isThere) => {
    const { packet, asked: times } = prepared(TALK, dropping(at));
    expect([packet !== null, times]).toEqual([isThere, 1]);
  });

  it('replaces commands, summaries and messages of extensions', () => {
    const history = historyFrom([
      ...talk(asked('u1', 'Go.'), answered('a1', SAID)),
      compaction('k1', 'a1', 'k1'),
      entry('message', 'b1', 'k1', { message: { role: 'bashExecution', command: 'ls', output: 'a' } }),
      entry('branch_summary', 's1', 'b1', { summary: 'Another way.', fromId: 'x' }),
      entry('custom_message', 'x1', 's1', { customType: 'x', content: 'Mind this.', display: true }),
      entry('message', 'a2', 'x1', { message: answered('', SAID)[1] }),
      entry('message', 'u2', 'a2', { message: asked('', 'And?')[1] }),
    ]);
    expect(history.items.map(({ kind }) => kind)).toEqual([
      'compaction-summary',
      'bash',
      'branch-summary',
      'custom',
      'assistant',
      'user',
    ]);
    for (const at of [0, 1, 2, 3, 4]) expect(prepared(history, dropping(at)).packet).not.toBeNull();
  });

  it('is not needed for shortened messages, or for tool results alone', () => {
    const message = { role: 'user', content: 'Look.' } as const;
    const shorter = prepared(TALK, [{ changes: [{ at: 0, message }], reason: '' }]);
    expect([shorter.packet, shorter.asked]).toEqual([null, 0]);
    expect(shorter.saved).toBe(TALK.items[0]!.tokens - countMessageTokens(message));
    const alone = historyFrom(talk(asked('u1', 'Go.'), result('r1', 'c9', long('text')), asked('u2', 'And?')));
    const shown = prepared(alone, dropping(1));
    expect([shown.packet, shown.asked, shown.saved]).toEqual([null, 0, alone.items[1]!.tokens]);
  });

  it('is at most half as long as the dropped messages, and within the requested size', () => {
    const tokens = TALK.items[0]!.tokens;
    const { packet, saved } = prepared(TALK, dropping(0));
    expect(packet).toBe(formatPacket(FACTS, { maxTokens: Math.floor(tokens / 2) }));
    expect(saved).toBe(tokens - countMessageTokens(toPacketMessage(packet!, 0)));
    expect(prepared(TALK, dropping(0), { packetTokens: 80 }).packet).toBe(formatPacket(FACTS, { maxTokens: 80 }));
    const both = prepared(TALK, dropping(0, 3)).packet;
    expect(both).toBe(formatPacket(FACTS, { maxTokens: Math.floor((tokens + TALK.items[3]!.tokens) / 2) }));
    const small = historyFrom(talk(asked('u1', 'Go.'), answered('a1', SAID), asked('u2', 'And?')));
    const little = prepared(small, dropping(0));
    expect(little.packet).toBe(formatPacket(FACTS, { maxTokens: LEAST_PACKET_TOKENS }));
    expect(little.saved).toBeLessThan(0);
  });

  it('costs less where it takes the place of another one', () => {
    const content = `${PACKET_TITLE}\n\n${long('what was said')}`;
    const packet = entry('custom_message', 'p1', 'b1', { customType: 'ctx.packet', content, display: false });
    const messages = talk(asked('u1', long('Look at it.')), ...read, answered('b1', SAID));
    const history = historyFrom([...messages, packet, entry('message', 'u2', 'p1', { message: asked('', 'And?')[1] })]);
    const [, , , , old] = history.items;
    expect(old?.kind).toBe('packet');
    const done = prepared(history, dropping(0));
    expect(done.saved).toBe(
      history.items[0]!.tokens - countMessageTokens(toPacketMessage(done.packet!, 0)) + old!.tokens,
    );
  });
});

describe('what is decided', () => {
  it('is reported for each message', () => {
    const short = { ...TALK.items[2]!.message, content: [{ type: 'text' as const, text: 'short' }] };
    const proposals: readonly Proposal[] = [
      { changes: [{ at: 0, message: null }], reason: '1 turn old' },
      { changes: [{ at: 2, message: short }], reason: 'too long' },
      { changes: [{ at: 2, message: null }], reason: 'again' },
      { changes: [3, 4].map((at) => ({ at, message: null })), reason: 'both' },
      { changes: [], reason: 'nothing' },
    ];
    const done = prepared(TALK, proposals);
    const document = buildPruneDocument({ ...done, zone: 'red', strategies: ['some'] }, 2 * done.saved);
    expect(document).toEqual({
      zone: 'red',
      strategies: ['some'],
      decisions: [
        {
          strategy: 'some',
          entryId: 'u1',
          kind: 'user',
          turnsAgo: 1,
          reason: '1 turn old',
          action: 'drop',
          tokens: { before: TALK.items[0]!.tokens, after: 0 },
          tokensSaved: 2 * TALK.items[0]!.tokens,
          mentionedBy: null,
        },
        {
          strategy: 'some',
          entryId: 'r1',
          kind: 'toolResult',
          turnsAgo: 1,
          reason: 'too long',
          action: 'shorten',
          tokens: { before: TALK.items[2]!.tokens, after: 2 },
          tokensSaved: 2 * (TALK.items[2]!.tokens - 2),
          mentionedBy: 'b1',
        },
      ],
      refusals: [
        {
          strategy: 'some',
          entryId: 'b1',
          kind: 'assistant',
          turnsAgo: 1,
          reason: 'both',
          because: 'in the newest turn',
        },
      ],
      packet: done.packet,
      saved: done.saved,
      tokensSaved: 2 * done.saved,
      packetTokens: 212,
    });
    expect(pruneDocument.parse(document)).toEqual(document);
  });

  it('is refused where something must stay', () => {
    const { pruned } = prepared(TALK, dropping(0, 3), { protects: 'u1' });
    const said = buildPruneDocument({ ...prepared(TALK, []), pruned }, 0);
    expect(said.refusals).toEqual([
      { strategy: 'some', entryId: 'u1', kind: 'user', turnsAgo: 1, reason: 'for a reason', because: 'it must stay' },
    ]);
    expect(said.decisions.map(({ entryId }) => entryId)).toEqual(['b1']);
    expect([said.zone, said.packet]).toEqual([null, null]);
  });

  it('names nothing that is not there', () => {
    const { pruned } = prepared(TALK, dropping(99));
    const said = buildPruneDocument({ ...prepared(TALK, []), pruned }, 0);
    expect([said.decisions, said.refusals, said.saved]).toEqual([[], [], 0]);
  });

  it('belongs to no turn where it is a summary', () => {
    const history = historyFrom([
      ...talk(asked('u1', 'Go.'), answered('a1', SAID)),
      compaction('k1', 'a1', 'k1'),
      entry('message', 'u2', 'k1', { message: asked('', 'And?')[1] }),
    ]);
    const { decisions } = buildPruneDocument(prepared(history, dropping(0)), 0);
    expect(decisions).toMatchObject([{ entryId: 'k1', kind: 'compaction-summary', turnsAgo: null }]);
  });

  it('is flagged with what still speaks of the file, behind the place where it was', () => {
    const messages = talk(
      asked('u0', 'Look at src/a.ts.'),
      answered('a0', SAID),
      asked('u1', 'Read it.'),
      ...read,
      answered('b1', { type: 'text', text: 'It is short.' }),
      asked('u2', 'And a.ts?'),
    );
    const history = historyFrom(messages);
    const mentioned = (places: readonly number[]): unknown =>
      buildPruneDocument(
        prepared(history, [{ changes: places.map((at) => ({ at, message: null })), reason: '' }]),
        0,
      ).decisions.map(({ entryId, mentionedBy }) => [entryId, mentionedBy]);
    expect(mentioned([0])).toEqual([['u0', null]]);
    // The newest turn speaks of the file: its call and its result stay.
    expect(mentioned([3, 4])).toEqual([]);
    const later = historyFrom([
      ...messages,
      ...talk(answered('b2', SAID), asked('u3', 'Well.')).map((each, at) =>
        at === 0 ? { ...each, parentId: 'u2' } : each,
      ),
    ]);
    const both = prepared(later, [{ changes: [3, 4].map((at) => ({ at, message: null })), reason: '' }]);
    const { decisions } = buildPruneDocument(both, 0);
    expect(decisions.map(({ entryId, mentionedBy }) => [entryId, mentionedBy])).toEqual([
      ['a1', null],
      ['r1', 'u2'],
    ]);
  });
});
