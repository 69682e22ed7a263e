import { describe, expect, it } from 'vitest';
import { isContextOverflow, isCutShort } from '#change/compact/overflow.js';
import { findTrigger, type Trigger } from '#change/compact/trigger.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { pathTo } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';

const SETTINGS = { enabled: true, reserveTokens: 1000, keepRecentTokens: 20_000 };

function trigger(log: Log, contextWindow: number | null = 10_000, maxOutput: number | null = null): Trigger {
  const session = attachPatchReader(log.read());
  const { leaf } = session.tree;
  const path = leaf ? pathTo(session.tree, leaf) : [];
  return findTrigger(session, { path, contextWindow, maxOutput, settings: SETTINGS });
}

function usage(totalTokens: number): { readonly usage: object } {
  return { usage: { input: totalTokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens } };
}

const TOO_LONG = { stopReason: 'error', errorMessage: 'prompt is too long: 213462 tokens > 200000 maximum' };

describe('Pi compacts before a prompt', () => {
  it('when less is left than is reserved', () => {
    expect(trigger(new Log('t').user('u1', 'x').assistant('a1', 'y', usage(9000)))).toMatchObject({ reason: null });
    expect(trigger(new Log('t').user('u1', 'x').assistant('a1', 'y', usage(9001)))).toEqual({
      reason: 'threshold',
      tokens: 9001,
      threshold: 9000,
      cutAt: null,
      isCutOff: false,
      outputReserve: null,
    });
  });

  it('when an answer was cut off although the model can write more', () => {
    const cut = {
      stopReason: 'length',
      usage: { input: 50, output: 32, cacheRead: 0, cacheWrite: 0, totalTokens: 82 },
    };
    const log = new Log('t').user('u1', 'x').assistant('a1', 'half an ans', cut);
    expect(trigger(log, null, 33)).toMatchObject({ reason: 'overflow', cutAt: null });
    expect(trigger(log, null, 32)).toMatchObject({ reason: null, cutAt: null });
    expect(trigger(log, null)).toMatchObject({ reason: null, cutAt: 32 });
    expect(trigger(log, 1050)).toMatchObject({ reason: 'threshold', cutAt: null });
    const changed = new Log('t').user('u1', 'x').assistant('a1', 'half', cut);
    expect(
      trigger(changed.entry('m1', 'model_change', { provider: 'openai', modelId: 'gpt-5' }), null, 33),
    ).toMatchObject({ reason: null, cutAt: null });
    expect(trigger(log.compaction('k1', 'all', 'a1'), null, 33)).toMatchObject({ reason: null, cutAt: null });
    const edited = new Log('t').user('u1', 'x').assistant('a1', 'half', cut);
    expect(trigger(edited.edit('e1', 'u1', { content: 'y' }), null, 33).reason).toBe('overflow');
    expect(trigger(edited.edit('e2', 'a1', null), null, 33).reason).toBe(null);
  });

  it('when a request was too long, whatever the window is', () => {
    const log = new Log('t').user('u1', 'x').assistant('a1', '', { ...TOO_LONG, ...usage(0) });
    expect(trigger(log, null)).toMatchObject({ reason: 'overflow', threshold: null });
  });

  it('not when the attempt was left out since', () => {
    const log = new Log('t').user('u1', 'x').assistant('a1', '', { ...TOO_LONG, ...usage(0) });
    expect(trigger(log.entry('e1', 'context_edit', { targetId: 'a1', replacement: null }), null).reason).toBe(null);
  });

  it('not for what another model could not take', () => {
    const log = new Log('t').user('u1', 'x').assistant('a1', '', { ...TOO_LONG, ...usage(0) });
    const changed = log.entry('m1', 'model_change', { provider: 'openai', modelId: 'gpt-5' });
    expect(trigger(changed, null).reason).toBe(null);
  });

  it('after a failed request by what the one before was billed', () => {
    const failed = { stopReason: 'error', errorMessage: 'overloaded', ...usage(0) };
    const log = new Log('t').assistant('a1', 'y', usage(8998)).user('u1', 'twelve chars').assistant('a2', '', failed);
    expect(trigger(log)).toMatchObject({ reason: 'threshold', tokens: 9001 });
  });

  it('after an edit by an estimate', () => {
    const log = new Log('t').user('u1', 'four').assistant('a1', 'y', usage(9500));
    const edited = log.entry('e1', 'context_edit', { targetId: 'u1', replacement: { content: 'four' } });
    expect(trigger(edited)).toMatchObject({ reason: null, tokens: 2 });
  });

  it('not before something was answered since the last compaction', () => {
    const log = new Log('t').user('u1', 'x').assistant('a1', 'y', usage(9500)).compaction('k1', 'all', 'a1');
    expect(trigger(log)).toMatchObject({ reason: null, tokens: null });
  });
});

describe('a request was too long', () => {
  it('where the provider took more than the window', () => {
    const stop = { role: 'assistant', stopReason: 'stop', usage: { input: 60, cacheRead: 50, output: 1 } } as const;
    expect([isContextOverflow(stop, 109), isContextOverflow(stop, 110), isContextOverflow(stop, null)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('where it left no room for an answer', () => {
    const cut = { role: 'assistant', stopReason: 'length', usage: { input: 99, cacheRead: 0, output: 0 } } as const;
    expect([isContextOverflow(cut, 100), isContextOverflow(cut, 101)]).toEqual([true, false]);
  });

  it('where the answer ended before the model was through', () => {
    const cut = { role: 'assistant', stopReason: 'length', usage: { output: 10 } } as const;
    expect([isCutShort(cut, 10), isCutShort(cut, 11), isCutShort(cut, null)]).toEqual([false, true, null]);
    expect(isCutShort({ ...cut, usage: { output: 0 } }, null)).toBe(true);
    expect(isCutShort({ ...cut, stopReason: 'stop' }, 11)).toBe(false);
  });

  it('is seen at once, however long an error is', () => {
    const failed = { role: 'assistant', stopReason: 'error', provider: 'cerebras' } as const;
    const counts = 'input token count '.repeat(20_000);
    const blank = `400${' '.repeat(200_000)}!`;
    for (const errorMessage of [counts, blank])
      expect(isContextOverflow({ ...failed, errorMessage }, null)).toBe(false);
    expect(isContextOverflow({ ...failed, errorMessage: `${counts}exceeds the maximum` }, null)).toBe(true);
  });

  it('is not seen where there were too many requests', () => {
    const throttled = {
      role: 'assistant',
      stopReason: 'error',
      errorMessage: 'Throttling error: Too many tokens',
    } as const;
    expect(isContextOverflow(throttled, 100)).toBe(false);
    expect(isContextOverflow({ ...throttled, errorMessage: 'Too many tokens' }, 100)).toBe(true);
  });

  it('without words at one provider only', () => {
    const silent = {
      role: 'assistant',
      stopReason: 'error',
      errorMessage: '413 (no body)',
      provider: 'cerebras',
    } as const;
    expect(isContextOverflow({ ...silent, errorMessage: '400 status code (no body)' }, null)).toBe(true);
    expect(isContextOverflow({ ...silent, errorMessage: '400 (no body)', provider: 'openai' }, null)).toBe(false);
  });
});
