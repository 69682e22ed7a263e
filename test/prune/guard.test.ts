import { describe, expect, it } from 'vitest';
import type { LlmMessage } from '../../src/context/content.js';
import { type Guard, guardOf } from '../../src/prune/guard.js';
import { type History, historyWith } from '../../src/prune/history.js';
import { objectsIn } from '../../src/session/values.js';
import { answered, asked, call, historyFrom, result, talk } from '../support/history.js';

const PARTED = 'it would part a call from its result';

function guard(history: History): Guard {
  return guardOf(history, { protects: () => null, forbids: () => null });
}

function without(message: LlmMessage | undefined, id: string): LlmMessage {
  return { role: 'assistant', content: objectsIn(message?.['content']).filter((block) => block['id'] !== id) };
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

  it('answers for an answer with very many calls, without looking through all of them for each', () => {
    const ids = Array.from({ length: 60_000 }, (_, nth) => `c${nth}`);
    const calls = answered('a1', ...ids.map((id) => call(id, 'write', { content: 'x'.repeat(20) })));
    const many = historyFrom(
      talk(asked('u1', 'go'), calls, ...ids.map((id) => result(`r${id}`, id, '')), asked('u2', 'next')),
    );
    const content = ids.map((id) => call(id, 'write', {}));
    const mayBe = guard(historyWith(many.items, many));
    expect(mayBe({ changes: [{ at: 1, message: { role: 'assistant', content } }], reason: '' })).toBeNull();
  });
});
