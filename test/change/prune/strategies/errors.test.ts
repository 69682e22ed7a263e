import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { History } from '#change/prune/history.js';
import errors from '#change/prune/strategies/errors.js';
import { anyCharacter } from '../../../support/any-character.js';
import type { Entry } from '../../../support/entries.js';
import {
  answered,
  asked,
  call,
  historyFrom,
  later,
  proposed,
  prunedBy,
  result,
  SAID,
  talk,
} from '../../../support/history.js';
import { runs } from '../../../support/runs.js';

const LONG = `const begin = 1;\n${'let x = 2;\n'.repeat(80)}`;

function withCalls(calls: readonly Entry[], failed: readonly string[] = ['c1'], turns = 2): History {
  const results = calls.map(({ id }) =>
    result(`r-${String(id)}`, String(id), 'Could not find the text.', { isError: failed.includes(String(id)) }),
  );
  return historyFrom(talk(asked('u1', 'Change it.'), answered('a1', SAID, ...calls), ...results, ...later(turns)));
}

function argumentsAfter(history: History, options: Entry = {}): readonly unknown[] {
  const [proposal] = proposed(errors, history, options);
  const content = (proposal?.changes[0]?.message?.['content'] ?? []) as readonly Entry[];
  return content.flatMap((block) => (block['type'] === 'toolCall' ? [block['arguments']] : []));
}

describe('errors', () => {
  it('shortens the long texts in the input of a failed call, and nothing else', () => {
    const history = withCalls([
      call('c1', 'edit', { path: 'a.ts', edits: [{ oldText: LONG, newText: 'short', all: true }] }),
    ]);
    const oldText = `${LONG.slice(0, 100)} … [797 more characters of the input of this failed call: ctx cat the-session a1]`;
    expect(argumentsAfter(history)).toEqual([{ path: 'a.ts', edits: [{ oldText, newText: 'short', all: true }] }]);
    const [proposal, ...others] = proposed(errors, history);
    expect(others).toEqual([]);
    expect(proposal?.reason).toBe('failed call of edit, 2 turns old');
    expect(proposal?.changes.map(({ at }) => at)).toEqual([1]);
    const before = history.items[1]!.message;
    expect(Object.keys(proposal!.changes[0]!.message!)).toEqual(Object.keys(before));
    expect((proposal!.changes[0]!.message!['content'] as readonly unknown[])[0]).toEqual(SAID);
  });

  it('shortens only the calls that failed, all of an answer at once', () => {
    const calls = ['c1', 'c2', 'c3'].map((id) => call(id, id === 'c3' ? 'write' : 'edit', { text: LONG }));
    const after = argumentsAfter(withCalls(calls, ['c1', 'c3'])) as readonly { text: string }[];
    expect(after.map(({ text }) => text === LONG)).toEqual([false, true, false]);
    expect(proposed(errors, withCalls(calls, ['c1', 'c3'])).map(({ reason }) => reason)).toEqual([
      'failed call of edit, write, 2 turns old',
    ]);
  });

  it('leaves alone what is new, short, signed or was edited before', () => {
    const long = [call('c1', 'write', { text: LONG })];
    expect(proposed(errors, withCalls(long, ['c1'], 1))).toEqual([]);
    expect(proposed(errors, withCalls(long, ['c1'], 1), { afterTurns: 1 })).toHaveLength(1);
    expect(proposed(errors, withCalls(long), { overCharacters: 2000 })).toEqual([]);
    expect(proposed(errors, withCalls(long, []))).toEqual([]);
    expect(proposed(errors, withCalls([{ ...long[0]!, thoughtSignature: 'c2lnbmVk' }]))).toEqual([]);
    const history = withCalls(long);
    const frozen = history.items.map((item) => ({ ...item, isFrozen: true }));
    expect(proposed(errors, { ...history, items: frozen })).toEqual([]);
  });

  it('leaves a call without a result alone', () => {
    const open = historyFrom(
      talk(
        asked('u1', 'Write.'),
        answered('a1', call('c1', 'write', { text: LONG })),
        asked('u2', 'No.'),
        asked('u3', 'Go.'),
        answered('a3', SAID),
        asked('u4', 'On.'),
        answered('a4', SAID),
        asked('u5', 'On.'),
      ),
    );
    expect(open.turns).toBe(4);
    expect(proposed(errors, open)).toEqual([]);
  });

  it('keeps call and result, never cuts a character, and is done after one time', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 1200 });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(text, fc.array(text, { maxLength: 2 }), fc.integer())),
        (args) => {
          const history = withCalls([call('c1', 'write', args)]);
          const pruned = prunedBy(history, [errors]);
          expect(pruned.refusals).toEqual([]);
          expect(proposed(errors, pruned.history)).toEqual([]);
          expect(pruned.history.uses.map(({ callAt, resultAt, result: said }) => [callAt, resultAt, said])).toEqual(
            history.uses.map(({ callAt, resultAt, result: said }) => [callAt, resultAt, said]),
          );
          const after = JSON.stringify(pruned.history.uses[0]?.args);
          expect(/\\ud[89a-f]/.test(after)).toBe(/\\ud[89a-f]/.test(JSON.stringify(args)));
          for (const key of Object.keys(args)) expect(Object.keys(pruned.history.uses[0]!.args)).toContain(key);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});
