import { describe, expect, it, vi } from 'vitest';
import type { Problem } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { logEntries } from '#context/log-entries.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { LlmMessage } from '#context/replay/content.js';
import { MessageList } from '#context/replay/message-list.js';
import { isSameTarget, isSentAlike, readTarget, WireMessages } from '#context/request/wire-messages.js';
import { findFirstNeeded } from '#context/shortcuts/first-needed.js';
import { ReturningMessages } from '#context/shortcuts/returning-messages.js';
import { replayPath } from '#context/walk.js';
import { readTransformerName } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import { pathTo } from '#session/tree/tree.js';
import { Log } from '../fixtures/log.js';
import { sessionOf } from '../support/entries.js';

interface Opened {
  readonly session: Session;
  readonly path: readonly Head[];
}

function opened(log: Log): Opened {
  const session = sessionOf(...log.text().split('\n').slice(1).filter(Boolean));
  const { leaf } = session.tree;
  return { session, path: leaf ? pathTo(session.tree, leaf) : [] };
}

const REPLACE = {
  op: 'messages_cached_replace',
  scope: 'cached',
  messages: [{ role: 'user', content: 'four' }],
  invalidateCacheReason: 'x',
};
const APPLY = {
  op: 'compaction_apply',
  scope: 'cached',
  summary: 'S',
  timestamp: 5,
  firstKeptMessageIndex: 1,
  invalidateCacheReason: 'x',
};
const OPTIONS = { op: 'options_set', scope: 'cached', temperature: 1, invalidateCacheReason: 'x' };

describe('the entries of a log', () => {
  interface Logged {
    readonly rows: readonly (readonly [id: unknown, tokens: number | null, contextTokens: number | null])[];
    readonly problems: readonly Problem[];
    readonly parsed: readonly unknown[];
  }

  function logged(log: Log, { from = 0, reversed = false } = {}): Logged {
    const { session, path } = opened(log);
    const parsed: unknown[] = [];
    const noting: Session = { ...session, entry: (head) => (parsed.push(head.id), session.entry(head)) };
    const all = [...session.tree.heads].map(({ index }) => index);
    const problems: Problem[] = [];
    const wanted = reversed ? all.toReversed() : all;
    const entries = [...logEntries(attachPatchReader(noting), { path, from, wanted }, problems)];
    return {
      rows: entries.map(({ head, tokens, contextTokens }) => [head.id, tokens, contextTokens]),
      problems,
      parsed,
    };
  }
  /** Nothing is recorded, and no model is known. */
  const sized = (estimate: number): number => Math.round(1.4 * estimate);
  const talk = (): Log =>
    new Log('l')
      .user('u1', 'four')
      .user('u2', 'fourfour')
      .from('u1')
      .entry('l1', 'label', {})
      .message('s1', { role: 'system', content: 'x' })
      .user('u3', 'four');

  it('have the tokens that they add, and those of the context after them, if they are on the path', () => {
    expect(logged(talk()).rows).toEqual([
      ['u1', 1, sized(1)],
      ['u2', sized(2), null],
      ['l1', null, sized(1)],
      ['s1', null, sized(2)],
      ['u3', 1, sized(3)],
    ]);
    expect(logged(talk()).parsed).toEqual(['u1', 'u2', 'l1', 's1', 'u3']);
  });

  it('are the same in any order, and computed only as far as they are requested', () => {
    expect(logged(talk(), { reversed: true }).rows).toEqual(logged(talk()).rows.toReversed());
    const later = [null, null, sized(1), sized(2), sized(3)];
    expect(logged(talk(), { from: 1 }).rows.map(([, , context]) => context)).toEqual(later);
    expect(logged(talk(), { from: 4 }).rows.map(([, , context]) => context)).toEqual([null, null, null, null, null]);
    expect(logged(talk(), { from: 3 }).rows.map(([, , context]) => context)).toEqual([
      null,
      null,
      null,
      null,
      sized(3),
    ]);
  });

  it('know what compactions and transforms make of the context', () => {
    const log = new Log('l')
      .user('u1', 'four')
      .user('u2', 'four')
      .transform('x1', 'own', [REPLACE])
      .compaction('k1', 'x', 'u2')
      .user('u3', 'four');
    const [, , transform, compacted, last] = logged(log).rows;
    const summary = Math.ceil(
      'The conversation history before this point was compacted into the following summary:\n\n<summary>\nx\n</summary>'
        .length / 4,
    );
    expect([transform, compacted, last]).toEqual([
      ['x1', null, sized(1)],
      ['k1', sized(summary), sized(summary + 1)],
      ['u3', sized(summary + 2) - sized(summary + 1), sized(summary + 2)],
    ]);
    const twice = new Log('l')
      .user('u1', 'four')
      .user('u2', 'four')
      .transform('x1', 'compaction', [APPLY])
      .compaction('k1', 'S', 'u2')
      .user('u3', 'four');
    expect(logged(twice).rows.map(([id, tokens]) => [id, tokens])).toEqual([
      ['u1', sized(1)],
      ['u2', sized(2) - sized(1)],
      ['x1', null],
      ['k1', null],
      ['u3', 2],
    ]);
  });

  it('count a message again that an edit has changed, brought back or left out', () => {
    const log = new Log('l')
      .user('u1', 'four')
      .user('u2', 'four')
      .edit('e1', 'u1', { content: 'fourfourfour' })
      .edit('e2', 'u2', null);
    log
      .edit('e3', 'u1', null)
      .edit('e4', 'u2', { content: 'fourfour' })
      .compaction('k1', 'x', 'u2')
      .edit('e5', 'u2', { content: 'f' });
    const contexts = logged(log).rows.map(([, , context]) => context);
    expect(contexts.slice(0, 6)).toEqual([1, 2, 4, 3, 0, 2].map(sized));
    // The edit in force stands below what is kept, and holds.
    expect(contexts.slice(6)).toEqual([29, 28].map(sized));
  });

  it('do not parse what is not needed, and say what was noted', () => {
    const log = new Log('l')
      .user('u1', 'four')
      .user('u2', 'four')
      .compaction('k1', 'x', 'u2')
      .transform('x1', 'own', [{ op: 'odd' }])
      .user('u3', 'four');
    const { session, path } = opened(log);
    const parsed: unknown[] = [];
    const noting: Session = { ...session, entry: (head) => (parsed.push(head.id), session.entry(head)) };
    const problems: Problem[] = [];
    const wanted = [path[4]?.index ?? -1, 99];
    const entries = [...logEntries(attachPatchReader(noting), { path, from: 4, wanted }, problems)];
    expect(entries.map(({ head, entry }) => [head.id, entry['type']])).toEqual([['u3', 'message']]);
    expect(parsed).not.toContain('u1');
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([['patch-unknown-op', 'error']]);
    expect(logged(log, { from: 5 }).problems).toEqual([]);
  });
});

describe('what replay must be given for contexts from some entry on', () => {
  const needed = (log: Log, since?: number): number => {
    const { session, path } = opened(log);
    return findFirstNeeded(attachPatchReader(session), path, since);
  };
  const two = (): Log =>
    new Log('n')
      .user('u1', 'x')
      .user('u2', 'x')
      .compaction('k1', 'S', 'u2')
      .user('u3', 'x')
      .user('u4', 'x')
      .compaction('k2', 'S', 'u4')
      .user('u5', 'x');

  it('is what the newest compaction above it keeps, and those below it', () => {
    expect([undefined, 6, 5, 4, 2, 1, 0].map((since) => needed(two(), since))).toEqual([4, 4, 4, 1, 1, 0, 0]);
    const further = new Log('n')
      .user('u1', 'x')
      .compaction('k1', 'S', 'k1')
      .user('u2', 'x')
      .compaction('k2', 'S', 'u1')
      .user('u3', 'x');
    expect([undefined, 2, 1, 0].map((since) => needed(further, since))).toEqual([0, 0, 0, 0]);
    const nothing = new Log('n')
      .user('u1', 'x')
      .compaction('k1', 'S', 'k1')
      .user('u2', 'x')
      .compaction('k2', 'S', 'k2')
      .user('u3', 'x');
    expect([undefined, 3, 2, 1].map((since) => needed(nothing, since))).toEqual([3, 3, 1, 1]);
    expect(needed(new Log('n').user('u1', 'x').compaction('k1', 'S', 'u2').user('u2', 'x'))).toBe(1);
    expect(
      needed(new Log('n').user('u1', 'x').user('u2', 'x').compaction('k1', 'S', 'u2').compaction('k2', 'S', 'u2')),
    ).toBe(1);
  });

  it('is not what a compaction keeps that only repeats a transform', () => {
    const twice = two().transform('x1', 'compaction', [APPLY]).compaction('k3', 'S', 'u5').user('u6', 'x');
    expect(needed(twice)).toBe(4);
  });

  it('knows a compaction that only repeats the transform above it', () => {
    const { session, path } = opened(
      new Log('n')
        .user('u1', 'x')
        .transform('x1', 'compaction', [APPLY])
        .compaction('k1', 'S', 'u1')
        .transform('x2', 'own', [OPTIONS])
        .compaction('k2', 'S', 'u1'),
    );
    expect([0, 1, 2, 3, 4, 5].map((index) => findRepeatedTransform(session, path, index)?.id ?? null)).toEqual([
      null,
      null,
      'x1',
      null,
      null,
      null,
    ]);
    expect([
      readTransformerName({ transformerName: 'own' }),
      readTransformerName({ transformerName: 7 }),
      readTransformerName({}),
    ]).toEqual(['own', 'unknown', 'unknown']);
  });
});

/** The entries after which hidden messages are forgotten, and the places before which they are. */
function forgotten(log: Log): readonly (readonly [id: unknown, before: number])[] {
  const { session, path } = opened(log);
  const returning = new ReturningMessages(attachPatchReader(session), path);
  return path.flatMap((head, index) => {
    const found: [unknown, number][] = [];
    returning.forgetOthers({ forgetHidden: (before) => void found.push([head.id, before]) }, head, index);
    return found;
  });
}

describe('from where messages may come back', () => {
  it('is the first place that what stands below keeps from', () => {
    const log = new Log('k')
      .user('u1', 'x')
      .user('u2', 'x')
      .compaction('k1', 'S', 'u2')
      .user('u3', 'x')
      .compaction('k2', 'S', 'u1')
      .compaction('k3', 'S', 'u3')
      .compaction('k4', 'S', 'nowhere')
      .compaction('k5', 'S', 'u9')
      .user('u9', 'x');
    expect(forgotten(log)).toEqual([
      ['k2', 3],
      ['k3', Infinity],
      ['k4', Infinity],
      ['k5', Infinity],
    ]);
  });
});

describe('messages that a compaction hides', () => {
  const compacted = (): Log =>
    new Log('k').user('u1', 'x').user('u2', 'x').compaction('k1', 'S', 'u2').transform('x1', 'own', [OPTIONS]);

  it('come back by no transform that compacts or declares', () => {
    const log = compacted().user('u3', 'x').transform('x2', 'compaction', [APPLY]).compaction('k2', 'S', 'u3');
    expect(forgotten(log)).toEqual([
      ['x1', 4],
      ['x2', 4],
      ['k2', Infinity],
    ]);
  });

  it('may come back by one that replaces messages', () => {
    expect(forgotten(compacted().transform('x2', 'own', [APPLY, REPLACE]))).toEqual([
      ['x1', 0],
      ['x2', Infinity],
    ]);
  });

  it.each([
    ['transforms that are also compactions', 'compaction', true],
    ['transforms alone', 'own', false],
  ])('are released after %s', (_, name, isDual) => {
    const log = new Log('k');
    for (const at of [1, 2, 3]) {
      log.user(`u${at}`, 'x').user(`v${at}`, 'x').transform(`x${at}`, name, [APPLY]);
      if (isDual) log.compaction(`k${at}`, 'S', `v${at}`);
    }
    const { session, path } = opened(log);
    const forget = vi.spyOn(MessageList.prototype, 'forgetHidden');
    replayPath(attachPatchReader(session), path);
    const from = forget.mock.calls.map(([place]) => place);
    expect(from.filter((place) => place > 0).length).toBeGreaterThanOrEqual(2);
    forget.mockRestore();
  });
});

describe('messages as one model is sent them', () => {
  const SONNET = { provider: 'anthropic', api: 'anthropic-messages', model: 'sonnet' };
  function sent(messages: readonly LlmMessage[], target = SONNET): WireMessages {
    const list = WireMessages.to(target);
    list.append(messages.map((message, at) => ({ message, from: { entryId: `m${at}` } })));
    return list;
  }
  const text = (words: string): JsonObject => ({ type: 'text', text: words });
  const call = (id: string): JsonObject => ({ type: 'toolCall', id, name: 'read', arguments: {} });
  const own = (...content: readonly JsonObject[]): LlmMessage => ({ role: 'assistant', ...SONNET, content });

  it.each<readonly [message: LlmMessage, fields: JsonObject]>([
    [
      { role: 'user', content: 'x', timestamp: 5 },
      { role: 'user', content: [text('x')] },
    ],
    [
      { role: 'user', content: null },
      { role: 'user', content: [] },
    ],
    [
      { role: 'toolResult', toolCallId: 'a', toolName: 'read', content: 'x', isError: 'yes', details: 7 },
      { role: 'toolResult', toolCallId: 'a', toolName: 'read', isError: false, content: [text('x')] },
    ],
    [
      { role: 'toolResult', toolCallId: 'a', toolName: 'read', content: [text('x')], isError: true },
      { role: 'toolResult', toolCallId: 'a', toolName: 'read', isError: true, content: [text('x')] },
    ],
    [
      own({ type: 'thinking', thinking: ' ', redacted: true }, { type: 'thinking' }, { type: 'odd' }),
      { role: 'assistant', content: [{ type: 'thinking', thinking: ' ', redacted: true }, { type: 'odd' }] },
    ],
    [
      { ...own({ type: 'thinking', thinking: 'x' }, { type: 'odd' }), api: 'other' },
      { role: 'assistant', content: [{ type: 'odd' }] },
    ],
    [
      { ...own({ ...text('x'), textSignature: 's' }), provider: 'other' },
      { role: 'assistant', content: [text('x')] },
    ],
    [
      { ...own({ ...call('a'), thoughtSignature: 's' }), model: 'other' },
      { role: 'assistant', content: [call('a')] },
    ],
    [
      { ...own({ ...call('a'), thoughtSignature: '' }), model: 'other' },
      { role: 'assistant', content: [{ ...call('a'), thoughtSignature: '' }] },
    ],
  ])('hold of %j what reaches it', (message, fields) => {
    expect(sent([message]).messages.map((each) => each.fields)).toEqual([fields]);
  });

  it('are told with their tokens, calls and images', () => {
    const image = { type: 'image', data: 'aWI=' };
    const { messages } = sent([{ role: 'user', content: [image, call('u')] }, own(text('12345'), call('a'))]);
    expect(messages).toMatchObject([
      { role: 'user', entryId: 'm0', tokens: 1202, calls: [], holdsImage: true },
      { role: 'assistant', entryId: 'm1', tokens: 3, calls: [call('a')], holdsImage: false },
    ]);
  });

  it('get one result for each call, before anybody else speaks', () => {
    const result = (toolCallId: string): LlmMessage => ({
      role: 'toolResult',
      toolCallId,
      toolName: 'read',
      content: 'x',
    });
    const made = {
      role: 'toolResult',
      entryId: null,
      fields: {
        role: 'toolResult',
        toolCallId: 'a',
        toolName: 'read',
        isError: true,
        content: [text('No result provided')],
      },
      tokens: 5,
      calls: [],
      holdsImage: false,
    };
    expect(sent([own(call('a'))]).buildMissingResults()).toEqual([made]);
    const shape = (...all: readonly LlmMessage[]): readonly unknown[] =>
      sent(all).messages.map(({ fields }) => fields['toolCallId'] ?? fields['role']);
    expect(shape(own(call('a')), own(call('b')), own(text('x')))).toEqual([
      'assistant',
      'a',
      'assistant',
      'b',
      'assistant',
    ]);
    expect(shape(own(call('a'), call('b')), result('b'), { ...own(), stopReason: 'error' })).toEqual([
      'assistant',
      'b',
      'a',
    ]);
    expect(shape({ ...own(call('a')), stopReason: 'aborted' }, result('a'), own(text('x')))).toEqual([
      'a',
      'assistant',
    ]);
    expect(shape(result('a'), own(call('a')), own(text('x')))).toEqual(['a', 'assistant', 'a', 'assistant']);
    expect(sent([own(call('a')), own(text('x'))]).buildMissingResults()).toEqual([]);
  });

  it('are found where the message of an entry stands, once', () => {
    const list = sent([
      { role: 'user', content: 'x' },
      own(call('a')),
      { ...own(), stopReason: 'error' },
      own(text('x')),
    ]);
    list.append([{ message: own(text('y')), from: { entryId: null } }]);
    expect(['m0', 'm1', 'm2', 'm3', 'm4'].map((id) => list.takePlace(id))).toEqual([0, 1, 3, 3, null]);
    expect(list.takePlace('m0')).toBeNull();
    expect(list.takeFirst(2).messages).toEqual(list.messages.slice(0, 2));
  });

  it('are processed again for another model', () => {
    const thought = { ...own({ type: 'thinking', thinking: 'x' }), model: 'haiku' };
    const list = sent([thought]);
    for (const other of [
      { ...SONNET, model: 'haiku' },
      { ...SONNET, api: 'x' },
      { ...SONNET, provider: 'x' },
    ]) {
      const again = list.startOver(other);
      again.append([{ message: thought, from: { entryId: 'm0' } }]);
      expect(again.target).toEqual(other);
      expect(again.messages[0]?.fields['content']).toHaveLength(other.model === 'haiku' ? 1 : 0);
      expect(isSameTarget(list.target, other)).toBe(false);
    }
    expect(isSameTarget(SONNET, { ...SONNET })).toBe(true);
    expect(readTarget({ provider: 7, model: 'x' })).toEqual({ provider: null, api: null, model: 'x' });
  });

  it('are alike for a provider if all that reaches it is', () => {
    const [one, other, third] = [own(text('x')), { ...own(text('x')), timestamp: 7 }, own(text('y'))].map(
      (message) => sent([message]).messages[0] ?? expect.fail(),
    );
    if (!one || !other || !third) throw new Error('no message');
    expect([isSentAlike(one, one), isSentAlike(one, other), isSentAlike(one, third)]).toEqual([true, true, false]);
    let deep: JsonObject = {};
    for (let level = 0; level < 20_000; level += 1) deep = { deep };
    const [some, same] = [0, 1].map(() => sent([own(deep)]).messages[0] ?? expect.fail());
    if (!some || !same) throw new Error('no message');
    expect([isSentAlike(some, some), isSentAlike(some, same)]).toEqual([true, false]);
  });
});
