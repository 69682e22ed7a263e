import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { buildCompactionEntries, type Compaction } from '#change/compact/compaction-entries.js';
import { findTurnStart, isTurnStart, moveAbovePairs } from '#change/compact/cut-point.js';
import { findNothingReason, type NothingToCompact, prepareCompaction } from '#change/compact/prepare.js';
import type { ProjectedEntry } from '#change/compact/projection.js';
import { findTrigger } from '#change/compact/trigger.js';
import type { OpenSession } from '#context/open.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { Head } from '#session/heads/head.js';
import { pathTo } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';
import { compaction, sessionOf, user } from '../../support/entries.js';
import { runs } from '../../support/runs.js';

const [MESSAGE, COMPACTION] = [...sessionOf(user('u1', null), compaction('k', 'u1', 'u1')).tree.heads];

function entryOf(message: JsonObject | null, head: Head | undefined = MESSAGE): ProjectedEntry {
  if (!head) throw new Error('no entry');
  return { head, messages: message ? [message] : [], isMade: false };
}

const call = (...ids: readonly unknown[]): JsonObject => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: {} })),
});
const result = (toolCallId: unknown): JsonObject => ({ role: 'toolResult', toolCallId, content: [] });
const said: JsonObject = { role: 'user', content: 'x' };

describe('a cut above pairs', () => {
  /** The lowest place at or above the cut at which no call stands above and its result below. */
  function plainly(messages: readonly (JsonObject | null)[], cut: number, start: number): number {
    const callAt = (id: unknown): number =>
      messages.findIndex((message) => JSON.stringify(message?.['content'])?.includes(`"id":"${String(id)}"`));
    const isWhole = (at: number): boolean =>
      messages.slice(at).every((message) => {
        const from = message?.['role'] === 'toolResult' ? callAt(message['toolCallId']) : -1;
        return from < start || from >= at;
      });
    for (let at = cut; at >= start; at -= 1) {
      const role = messages[at]?.['role'];
      if (isWhole(at) && (at === cut || role === 'user' || role === 'assistant')) return at;
    }
    return cut;
  }

  it('is the nearest one where no call is parted from its result', () => {
    const kind = fc.constantFrom('said', 'call', 'two', 'result', 'result', 'nothing');
    const steps = fc.array(fc.tuple(kind, fc.nat()), { minLength: 1, maxLength: 16 });
    fc.assert(
      fc.property(steps, fc.nat(), fc.nat(), (drawn, some, other) => {
        let made = 0;
        const messages = drawn.map(([what, which]): JsonObject | null => {
          if (what === 'said') return said;
          if (what === 'call') return call(`c${(made += 1)}`);
          if (what === 'two') return call(`c${(made += 1)}`, `c${(made += 1)}`);
          // Of some call above, or of none.
          return what === 'result' ? result(`c${which % (made + 1)}`) : null;
        });
        const cut = some % messages.length;
        const start = other % (cut + 1);
        const entries = messages.map((message) => entryOf(message));
        expect(moveAbovePairs(entries, cut, start)).toBe(plainly(messages, cut, start));
      }),
      { numRuns: runs(1500) },
    );
  });

  it('takes the newest call of an id that is used again, and no ids that are none', () => {
    const entries = (...messages: readonly JsonObject[]): readonly ProjectedEntry[] =>
      messages.map((message) => entryOf(message));
    expect(moveAbovePairs(entries(call('a'), result('a'), said, call('a'), said, result('a')), 4, 0)).toBe(3);
    expect(moveAbovePairs(entries(call('a'), said, call('a'), result('a')), 1, 0)).toBe(1);
    expect(moveAbovePairs(entries(call(7), said, result(7)), 1, 0)).toBe(1);
    expect(moveAbovePairs(entries(call('a'), said, { ...said, toolCallId: 'a' }), 1, 0)).toBe(1);
    expect(moveAbovePairs(entries({ ...call('a'), role: 'user' }, said, result('a')), 1, 0)).toBe(1);
    expect(
      moveAbovePairs(entries({ role: 'assistant', content: [{ type: 'text', id: 'a' }] }, said, result('a')), 1, 0),
    ).toBe(1);
  });
});

describe('a turn', () => {
  it.each([
    ['user', true],
    ['bashExecution', true],
    ['custom', true],
    ['branchSummary', true],
    ['compactionSummary', true],
    ['assistant', false],
    ['toolResult', false],
    ['system', false],
  ])('starts at %s: %s', (role, isStart) => {
    expect(isTurnStart(entryOf({ role }))).toBe(isStart);
    expect(isTurnStart(entryOf({ role }, COMPACTION))).toBe(false);
  });

  it('starts at the last user message, but not before the beginning', () => {
    const entries = [said, null, call('a'), said, null].map((message) => entryOf(message));
    expect([0, 1, 2, 3, 4].map((at) => findTurnStart(entries, at, 0))).toEqual([0, 0, 0, 3, 3]);
    expect([1, 2, 3].map((at) => findTurnStart(entries, at, 1))).toEqual([-1, -1, 3]);
  });
});

interface Opened {
  readonly session: OpenSession;
  readonly path: readonly Head[];
}

function opened(log: Log): Opened {
  const session = attachPatchReader(log.read());
  const { leaf } = session.tree;
  return { session, path: leaf ? pathTo(session.tree, leaf) : [] };
}

const LONG = 'x'.repeat(100);

const APPLY = {
  op: 'compaction_apply',
  scope: 'cached',
  summary: 'All.',
  timestamp: 5,
  firstKeptMessageIndex: 1,
  invalidateCacheReason: 'compaction',
};

describe('nothing to compact', () => {
  it.each<readonly [what: string, log: Log, nothing: NothingToCompact]>([
    ['there is nothing', new Log('n'), { reason: 'messages', messages: 0, hasSummary: false }],
    ['there is one message', new Log('n').user('u1', 'x'), { reason: 'messages', messages: 1, hasSummary: false }],
    [
      'a summary and a message',
      new Log('n').twoTurns().compaction('k', 'All.', 'nowhere').user('u3', 'x'),
      { reason: 'messages', messages: 1, hasSummary: true },
    ],
    [
      'a prompt',
      new Log('n').message('s', { role: 'system', content: 'x' }),
      { reason: 'messages', messages: 0, hasSummary: false },
    ],
    [
      'a transform has left a summary and a message',
      new Log('n').user('u1', 'x').transform('t', 'compaction', [APPLY]).user('u2', 'x'),
      { reason: 'messages', messages: 1, hasSummary: true },
    ],
    ['much is kept', new Log('n').twoTurns(), { reason: 'kept' }],
    ['it was compacted just now', new Log('n').twoTurns().compaction('k', 'All.', 'u2'), { reason: 'ended' }],
  ])('because %s', (_what, log, nothing) => {
    const { session, path } = opened(log);
    const request = { path, keepRecentTokens: 20_000 };
    expect(prepareCompaction(session, request)).toBeNull();
    expect(findNothingReason(session, request)).toEqual(nothing);
  });
});

describe('the entries of a compaction', () => {
  const NOW = Date.UTC(2026, 3, 1);
  function entriesOf(log: Log, fields: Partial<Compaction>, keepRecentTokens = 45): readonly JsonObject[] {
    const { session, path } = opened(log);
    const preparation = prepareCompaction(session, { path, keepRecentTokens });
    if (!preparation) throw new Error('nothing to compact');
    let next = 0;
    const newId = (): string => `new${(next += 1)}`;
    const all: Compaction = { path, preparation, summary: { text: 'All.' }, form: 'both', ...fields };
    return buildCompactionEntries(session, all, { now: () => NOW, newId });
  }
  const talk = (): Log =>
    new Log('e')
      .message('s', { role: 'system', content: 'Be brief.' })
      .tool('t1', 'read', { path: 'a.ts' }, LONG)
      .user('u1', LONG)
      .assistant('a1', LONG);
  const timestamp = '2026-04-01T00:00:00.000Z';
  const transform = {
    type: 'context_transform',
    id: 'new1',
    parentId: 'a1',
    timestamp,
    schemaVersion: 1,
    transformerName: 'compaction',
    patch: [
      {
        op: 'compaction_apply',
        scope: 'cached',
        summary: 'All.',
        timestamp: NOW,
        firstKeptMessageIndex: 2,
        tokensBefore: expect.any(Number) as number,
        invalidateCacheReason: 'compaction',
      },
    ],
    display: { title: 'Compaction', summary: '2 messages summarised, 2 kept' },
  };
  const stock = {
    type: 'compaction',
    id: 'new2',
    parentId: 'new1',
    timestamp,
    summary: 'All.',
    firstKeptEntryId: 'u1',
    tokensBefore: expect.any(Number) as number,
    details: { readFiles: ['a.ts'], modifiedFiles: [] },
    fromHook: true,
    systemMessage: { role: 'system', content: 'Be brief.', timestamp: NOW },
  };

  it('are a transform, and what stock Pi reads below it, or one of them', () => {
    expect(entriesOf(talk(), {})).toEqual([transform, stock]);
    expect(entriesOf(talk(), { form: 'context_transform' })).toEqual([transform]);
    const alone = { ...stock, id: 'new1', parentId: 'a1' };
    expect(entriesOf(talk(), { form: 'compaction' })).toEqual([alone]);
    const usage = { input: 5 };
    expect(entriesOf(talk(), { form: 'compaction', summary: { text: 'All.', usage } })).toEqual([{ ...alone, usage }]);
  });

  it('say that nothing is kept as Pi says it, and count one message as one', () => {
    const messages = [LONG, LONG].map((content) => ({ role: 'user', content, timestamp: 1 }));
    const op = { op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'trim' };
    const [made, below] = entriesOf(new Log('e').user('u1', LONG).transform('t', 'trim', [op]), {}, 20);
    expect(made).toMatchObject({ parentId: 't', display: { summary: '1 message summarised, 1 kept' } });
    expect(below).toMatchObject({ id: 'new2', firstKeptEntryId: 'new2' });
    expect(below).not.toHaveProperty('systemMessage');
  });
});

describe('the tokens that Pi uses before a prompt', () => {
  const usage = (totalTokens: number, more: JsonObject = {}): JsonObject => ({
    usage: { input: totalTokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens },
    ...more,
  });
  const tokensOf = (log: Log): number | null => {
    const settings = { enabled: true, reserveTokens: 10, keepRecentTokens: 10 };
    return findTrigger(opened(log).session, {
      path: opened(log).path,
      contextWindow: null,
      maxOutput: null,
      settings,
    }).tokens;
  };
  const made = { op: 'messages_cached_replace', scope: 'cached', messages: [said], invalidateCacheReason: 'trim' };

  it.each<readonly [what: string, log: Log, tokens: number | null]>([
    ['nothing', new Log('t'), 0],
    ['an estimate before the first answer', new Log('t').user('u1', 'fourfour'), 2],
    [
      'what was billed for the last answer, whatever was said since',
      new Log('t').assistant('a1', '', usage(500)).user('u1', LONG),
      500,
    ],
    [
      'the answer before it and an estimate, where it failed',
      new Log('t').assistant('a1', '', usage(500)).assistant('a2', 'four', usage(900, { stopReason: 'error' })),
      501,
    ],
    ['the same, where nothing was billed', new Log('t').assistant('a1', '', usage(500)).assistant('a2', 'four'), 501],
    ['an estimate, where nothing ever was', new Log('t').user('u1', 'four').assistant('a1', 'four'), 2],
    [
      'an estimate, where a message was edited',
      new Log('t').user('u1', 'four').assistant('a1', 'four', usage(500)).edit('e', 'u1', { content: 'fourfour' }),
      3,
    ],
    [
      'what is known of made messages',
      new Log('t').transform('t', 'trim', [made]).assistant('a1', 'four', usage(500)).user('u1', 'four'),
      501,
    ],
    [
      'nothing, until something was answered since a compaction',
      new Log('t').twoTurns().compaction('k', 'All.', 'a2').user('u3', LONG),
      null,
    ],
    [
      'nothing, where only a failed attempt came since',
      new Log('t')
        .assistant('a1', '', usage(500))
        .compaction('k', 'All.', 'a1')
        .assistant('a2', '', { stopReason: 'error' }),
      null,
    ],
    [
      'what was billed since a compaction',
      new Log('t').twoTurns().compaction('k', 'All.', 'a2').assistant('a3', '', usage(500)),
      500,
    ],
  ])('are %s', (_what, log, tokens) => {
    expect(tokensOf(log)).toBe(tokens);
  });
});
