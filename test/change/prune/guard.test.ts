import { describe, expect, it } from 'vitest';
import { listObjects } from '#base/json.js';
import { buildGuard, type Guard } from '#change/prune/guard.js';
import { type History, rebuildHistory } from '#change/prune/history.js';
import type { LlmMessage } from '#context/replay/content.js';
import { answered, asked, call, historyFrom, result, talk } from '../../support/history.js';

const PARTED = 'would separate a call from its result';

function guard(history: History): Guard {
  return buildGuard(history, { protects: () => null, forbids: () => null });
}

function without(message: LlmMessage | undefined, id: string): LlmMessage {
  return { role: 'assistant', content: listObjects(message?.['content']).filter((block) => block['id'] !== id) };
}

describe('a guard', () => {
  const history = historyFrom(
    talk(
      asked('u1', 'go'),
      answered('a1', call('c1', 'read', { path: 'a' }), call('c2', 'read', { path: 'b' })),
      result('r1', 'c1', 'one'),
      result('r2', 'c2', 'two'),
      asked('u2', 'and now?'),
    ),
  );
  const answer = history.items[1]?.message;

  it.each<[string, Parameters<Guard>[0]['changes'], string | null]>([
    ['a result without its call', [{ at: 2, message: null }], PARTED],
    ['an answer without its results', [{ at: 1, message: null }], PARTED],
    ['one call of two', [{ at: 1, message: without(answer, 'c1') }], PARTED],
    ['the wrong call', [1, 2].map((at) => ({ at, message: at === 1 ? without(answer, 'c2') : null })), PARTED],
    ['a call with its result', [1, 2].map((at) => ({ at, message: at === 1 ? without(answer, 'c1') : null })), null],
    ['all of them', [1, 2, 3].map((at) => ({ at, message: null })), null],
  ])('asked to leave out %s', (_, changes, why) => {
    expect(guard(history)({ changes, reason: '' })).toBe(why);
  });

  it('lets a call go that nothing has answered, and a result that nothing has called', () => {
    const alone = historyFrom(
      talk(
        asked('u1', 'go'),
        answered('a1', call('c1', 'read', { path: 'a' })),
        asked('u2', 'no'),
        result('r9', 'c9', 'nine'),
        asked('u3', 'next'),
      ),
    );
    expect(guard(alone)({ changes: [{ at: 1, message: null }], reason: '' })).toBeNull();
    expect(guard(alone)({ changes: [{ at: 3, message: null }], reason: '' })).toBeNull();
  });

  it('answers for an answer with very many calls, without looking through all of them for each', () => {
    const ids = Array.from({ length: 30_000 }, (_, nth) => `c${nth}`);
    const calls = answered('a1', ...ids.map((id) => call(id, 'write', { content: 'x'.repeat(20) })));
    const many = historyFrom(
      talk(asked('u1', 'go'), calls, ...ids.map((id) => result(`r${id}`, id, '')), asked('u2', 'next')),
    );
    const content = ids.map((id) => call(id, 'write', {}));
    const mayBe = guard(rebuildHistory(many.items, many));
    expect(mayBe({ changes: [{ at: 1, message: { role: 'assistant', content } }], reason: '' })).toBeNull();
  });
});

describe('what stays', () => {
  const history = historyFrom(
    talk(
      asked('u1', 'Please read it.'),
      answered(
        'a1',
        { type: 'text', text: 'I read it, and then I say what is in there.' },
        call('c1', 'read', { path: 'src/a.ts' }),
      ),
      result('r1', 'c1', 'the text of the file, which is long enough to be made shorter'),
      asked('u2', 'Thanks.'),
      answered('a2', { type: 'text', text: 'You are welcome.' }),
      asked('u3', 'And now?'),
    ),
  );
  const newest = history.items.length - 1;
  const short: LlmMessage = { role: 'user', content: 'Hi' };
  const shortResult: LlmMessage = {
    role: 'toolResult',
    toolCallId: 'c1',
    toolName: 'read',
    content: [],
    isError: false,
  };
  const as = (at: number, changed: Partial<History['items'][number]>): History => ({
    ...history,
    items: history.items.map((item) => (item.at === at ? { ...item, ...changed } : item)),
  });

  it.each<[string, History, Parameters<Guard>[0]['changes'], string | null]>([
    ['what is not there', history, [{ at: 99, message: null }], 'message not found'],
    ['what was said last', history, [{ at: newest, message: null }], 'in the newest turn'],
    ['what was said before that', history, [{ at: 3, message: null }], null],
    ['an older message, but for a shorter one', history, [{ at: 0, message: short }], null],
    [
      'a message of the same size',
      history,
      [{ at: 0, message: history.items[0]!.message }],
      'would not become smaller',
    ],
    ['a packet, but for the next one', as(3, { kind: 'packet' }), [{ at: 3, message: null }], null],
    ['the newest packet, but for the next one', as(newest, { kind: 'packet' }), [{ at: newest, message: null }], null],
    [
      'the text of a packet',
      as(0, { kind: 'packet' }),
      [{ at: 0, message: short }],
      'only a new packet replaces a packet',
    ],
    [
      'what was pruned before',
      as(0, { isFrozen: true }),
      [{ at: 0, message: short }],
      'already pruned; its bytes stay the same',
    ],
    ['what was pruned before, but may go', as(0, { isFrozen: true }), [{ at: 0, message: null }], null],
    ['nothing of a result but its call', history, [{ at: 2, message: shortResult }], null],
    ['the call of a result', history, [{ at: 2, message: { ...shortResult, toolCallId: 'c2' } }], PARTED],
    [
      'what comes second',
      history,
      [
        { at: 0, message: null },
        { at: newest, message: null },
      ],
      'in the newest turn',
    ],
  ])('is %s', (_, given, changes, why) => {
    expect(guard(given)({ changes, reason: '' })).toBe(why);
  });

  it('is what the newest turn speaks of: the call and its result', () => {
    const spoken = historyFrom(
      talk(
        asked('u1', 'Please read it.'),
        answered('a1', call('c1', 'read', { path: 'src/a.ts' })),
        result('r1', 'c1', 'the text of the file'),
        asked('u2', 'What of src/a.ts?'),
      ),
    );
    const changes = [1, 2].map((at) => ({ at, message: null }));
    for (const some of [changes, changes.toReversed()])
      expect(guard(spoken)({ changes: some, reason: '' })).toBe('the newest turn mentions src/a.ts');
  });

  it('is what the rules protect, which are told of the calls and results in a message', () => {
    const asks: unknown[] = [];
    const mayBe = buildGuard(history, {
      protects: (item, uses) => {
        asks.push([item.at, uses.map(({ id }) => id)]);
        return item.at === 3 ? 'a rule says so' : null;
      },
      forbids: () => null,
    });
    expect(mayBe({ changes: [1, 2, 3].map((at) => ({ at, message: null })), reason: '' })).toBe('a rule says so');
    expect(asks).toEqual([
      [1, ['c1']],
      [2, ['c1']],
      [3, []],
    ]);
  });

  it('is what cannot be written down as it would be', () => {
    const asks: unknown[] = [];
    const mayBe = buildGuard(history, {
      protects: () => null,
      forbids: (item, change, of) => {
        asks.push([item.at, change, of === history]);
        return change.message === null ? null : 'there is no form for it';
      },
    });
    expect(mayBe({ changes: [{ at: 0, message: null }], reason: '' })).toBeNull();
    expect(mayBe({ changes: [{ at: 0, message: short }], reason: '' })).toBe('there is no form for it');
    expect(asks).toEqual([
      [0, { at: 0, message: null }, true],
      [0, { at: 0, message: short }, true],
    ]);
  });
});
