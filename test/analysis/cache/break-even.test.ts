import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BreakEven, type BreakEvenInput, measureBreakEven } from '#analysis/cache/break-even.js';
import { CacheLife } from '#analysis/cache/cache-life.js';
import { findLastRequest, type LastRequest } from '#analysis/cache/last-request.js';
import type { LlmMessage } from '#context/replay/content.js';
import { sumMessageTokens } from '#context/size/tokens.js';
import { pathTo } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';
import { runs } from '../../support/runs.js';

type Json = Readonly<Record<string, unknown>>;

const MINUTE = 60_000;
const TARGET = { provider: 'anthropic', api: 'anthropic-messages', model: 'claude-sonnet-4-5' };
const LAST = lastAt(0);

/** A request of 6000 tokens at a time, of which `long` were written for an hour; null: the split is not recorded. */
function lastAt(time: number, long: number | null = null): LastRequest {
  const life = new CacheLife(null);
  const split = long === null ? {} : { cacheWrite1h: long };
  life.take({ promptTokens: 6000, cacheRead: 0, cacheWrite: 6000, ...split }, time);
  return { target: TARGET, time, life, isOtherModelNow: false, prices: { paid: 5, read: 1 } };
}

/** Messages of a user with so many tokens each, all different from one another. */
function contextOf(...messages: readonly (readonly [name: string, tokens: number])[]): BreakEvenInput['before'] {
  return sending(messages.map(([name, tokens]) => said(name, tokens)));
}

function said(name: string, tokens: number): LlmMessage {
  return { role: 'user', content: name.padEnd(tokens * 4, '.') };
}

function sending(cached: readonly LlmMessage[], factor = 1): BreakEvenInput['before'] {
  const tokens = factor * sumMessageTokens(cached);
  return {
    system: { parts: [], compiled: '' },
    tools: [],
    messages: { cached, uncached: [] },
    meta: {
      provenance: cached.map((_, at) => ({ entryId: `m${at}`, line: at + 2, origin: 'entry' })),
      size: { tokens, notItemised: null, declaredFactor: 1 },
    },
  };
}

function evenAfter(input: Partial<BreakEvenInput> = {}): BreakEven {
  return measureBreakEven({
    before: contextOf(['a', 1000], ['b', 3000], ['c', 2000]),
    after: contextOf(['a', 1000], ['c', 2000]),
    last: LAST,
    now: MINUTE,
    ...input,
  });
}

describe('when a change has paid for itself', () => {
  it('compares the one-off uncached tokens to the tokens saved by each request', () => {
    // 2000 tokens at 5 in place of 1 cost 8000 more; 3000 tokens at 1 are saved each time.
    expect(evenAfter()).toEqual({
      rebilledTokens: 2000,
      savedTokensPerRequest: 3000,
      requests: 3,
      isCold: false,
      coldBecause: null,
      retentionMinutes: 5,
      retentionBasis: 'assumed',
      idleSeconds: 60,
      basis: 'recorded',
    });
  });

  it('counts tokens as the sizes of the two contexts do', () => {
    const [a, b, c] = [said('a', 1000), said('b', 3000), said('c', 2000)];
    const even = evenAfter({ before: sending([a, b, c], 1.5), after: sending([a, c], 1.5) });
    expect(even).toMatchObject({ rebilledTokens: 3000, savedTokensPerRequest: 4500, requests: 3 });
  });

  it('takes usual prices where the session records none, and says so', () => {
    // 2000 × (1.25 − 0.1) = 2300; 3000 × 0.1 = 300 a request.
    expect(evenAfter({ last: { ...LAST, prices: null } })).toMatchObject({ requests: 8, basis: 'assumed' });
  });

  it('costs nothing where nothing stands behind the change, and nothing that was cached is left', () => {
    expect(evenAfter({ after: contextOf(['a', 1000]) })).toMatchObject({ rebilledTokens: 0, requests: 0 });
    expect(evenAfter({ now: 5 * MINUTE - 1 })).toMatchObject({ isCold: false, requests: 3, idleSeconds: 299 });
    expect(evenAfter({ now: 5 * MINUTE })).toMatchObject({ isCold: true, requests: 0, rebilledTokens: 2000 });
    expect(evenAfter({ now: 5 * MINUTE })).toMatchObject({ coldBecause: 'expired' });
    expect(evenAfter({ last: { ...LAST, isOtherModelNow: true } })).toMatchObject({
      isCold: true,
      coldBecause: 'other model',
      requests: 0,
    });
    expect(evenAfter({ last: null })).toMatchObject({
      isCold: true,
      coldBecause: 'no request',
      retentionMinutes: null,
      idleSeconds: null,
      requests: 0,
    });
  });

  it('keeps each part of the cache as long as it was written for', () => {
    const hour = { last: lastAt(0, 6000) };
    expect(evenAfter({ ...hour, now: 59 * MINUTE })).toMatchObject({
      isCold: false,
      requests: 3,
      retentionMinutes: 60,
      retentionBasis: 'recorded',
    });
    expect(evenAfter({ ...hour, now: 60 * MINUTE })).toMatchObject({ isCold: true, requests: 0 });
    expect(evenAfter({ last: lastAt(0, 0), now: 6 * MINUTE })).toMatchObject({
      isCold: true,
      retentionMinutes: 5,
      retentionBasis: 'recorded',
    });
    // After five minutes the first 3500 tokens are left: half of the 5000 that come after the common prefix of 1000.
    const mixed = { last: lastAt(0, 3500) };
    expect(evenAfter({ ...mixed, now: 4 * MINUTE })).toMatchObject({ requests: 3 });
    expect(evenAfter({ ...mixed, now: 9 * MINUTE })).toMatchObject({ isCold: false, requests: 2 });
    expect(evenAfter({ last: lastAt(0, 1000), now: 9 * MINUTE })).toMatchObject({ isCold: true, requests: 0 });
  });

  it('is never where nothing is saved', () => {
    const same = contextOf(['a', 1000], ['b', 3000], ['c', 2000]);
    expect(evenAfter({ after: same })).toMatchObject({ requests: null, rebilledTokens: 0, savedTokensPerRequest: 0 });
    const longer = contextOf(['a', 1000], ['longer', 9000]);
    expect(evenAfter({ after: longer })).toMatchObject({ requests: null, savedTokensPerRequest: -4000 });
    expect(evenAfter({ after: longer, now: 99 * MINUTE })).toMatchObject({ requests: null, isCold: true });
    expect(evenAfter({ last: { ...LAST, prices: { paid: 5, read: 0 } } }).requests).toBeNull();
  });

  it('cannot tell how long ago a request without a time was', () => {
    expect(evenAfter({ last: lastAt(NaN) })).toMatchObject({ isCold: false, idleSeconds: null });
    expect(evenAfter({ now: -MINUTE })).toMatchObject({ isCold: false, idleSeconds: 0 });
    const later = lastAt(2 * MINUTE);
    expect(evenAfter({ last: later, now: 3 * MINUTE })).toMatchObject({ isCold: false, idleSeconds: 60 });
  });

  it('counts only what is sent to that model: no thoughts of others, no answers that failed', () => {
    const thinking: LlmMessage = { role: 'assistant', content: [{ type: 'thinking', thinking: 'x'.repeat(4000) }] };
    const failed: LlmMessage = { role: 'assistant', content: 'half an answer', stopReason: 'error' };
    const [question] = contextOf(['q', 100]).messages.cached;
    const before = sending([question!, { ...thinking, model: 'another' }, failed]);
    expect(evenAfter({ before, after: sending([question!]) })).toMatchObject({
      savedTokensPerRequest: 0,
      requests: null,
    });
  });

  it('is the first request after which all of them together have cost no more', () => {
    const tokens = fc.integer({ min: 1, max: 5000 });
    const price = fc.double({ min: 0.01, max: 10, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(tokens, tokens, tokens), fc.tuple(price, price), ([a, b, c], [paid, read]) => {
        const before = contextOf(['a', a], ['b', b], ['c', c]);
        const after = contextOf(['a', a], ['c', c]);
        const { requests } = evenAfter({ before, after, last: { ...LAST, prices: { paid, read } } });
        const costBefore = (n: number): number => n * (a + b + c) * read;
        const costAfter = (n: number): number =>
          n === 0 ? 0 : a * read + c * Math.max(paid, read) + (n - 1) * (a + c) * read;
        const slack = 1e-9 * costBefore((requests ?? 0) + 1);
        expect(requests).not.toBeNull();
        expect(costAfter(requests!)).toBeLessThanOrEqual(costBefore(requests!) + slack);
        if (requests! > 1) expect(costAfter(requests! - 1)).toBeGreaterThan(costBefore(requests! - 1) - slack);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('the last request of a path', () => {
  async function lastOf(log: Log): Promise<LastRequest | null> {
    const session = await log.open();
    const { leaf } = session.tree;
    return findLastRequest(session, leaf ? pathTo(session.tree, leaf) : []);
  }
  const usage = (cacheRead: number, cacheWrite: number, price: number): Json => ({
    usage: {
      input: 0,
      output: 1,
      cacheRead,
      cacheWrite,
      totalTokens: cacheRead + cacheWrite + 1,
      cost: { input: 0, output: 0, cacheRead: (cacheRead * price) / 10, cacheWrite: cacheWrite * price },
    },
  });
  const talk = (): Log => new Log('last').user('u1', 'Hello').assistant('a1', 'Hello.', usage(0, 2000, 4));

  it('has the newest prices of its model, if the session records both', async () => {
    expect((await lastOf(talk()))?.prices).toBeNull();
    const later = talk().assistant('a2', '', usage(2000, 0, 4));
    expect((await lastOf(later))?.prices).toEqual({ paid: 4, read: 0.4 });
    expect((await lastOf(later.assistant('a3', '', usage(2000, 10, 8))))?.prices).toEqual({ paid: 8, read: 0.8 });
    const other = { provider: 'openai', model: 'gpt' };
    expect((await lastOf(later.assistant('a4', '', { ...other, ...usage(0, 10, 8) })))?.prices).toBeNull();
    expect((await lastOf(new Log('free').assistant('a1', '', usage(10, 10, 0))))?.prices).toBeNull();
  });

  it('is when its answer began, or when the cache was kept warm', async () => {
    const log = talk();
    expect(await lastOf(log)).toMatchObject({ target: TARGET, time: log.now(), isOtherModelNow: false });
    log.wait(7).entry('w1', 'usage', { kind: 'cache_warm', ...usage(2000, 0, 4) });
    expect((await lastOf(log))?.time).toBe(log.now());
    expect((await lastOf(log.wait(7).entry('w2', 'usage', { kind: 'other' })))?.time).toBeLessThan(log.now());
  });

  it('knows the lifetime of the cache from what its answers wrote', async () => {
    const written = (fields: Json): Json => ({ usage: { ...(usage(0, 3000, 1)['usage'] as Json), ...fields } });
    const after = async (...answers: readonly Json[]) => {
      const log = new Log('life').user('u1', 'Hello');
      for (const [at, fields] of answers.entries()) log.assistant(`a${at}`, '', fields);
      const last = await lastOf(log);
      return { ...last?.life.newest, isAlive: last?.life.aliveShareAt(log.now() + 20 * MINUTE) };
    };
    const read = usage(3000, 0, 1);
    expect(await after(written({}))).toEqual({ minutes: 5, basis: 'assumed', isAlive: 0 });
    expect(await after(written({ cacheWrite1h: 3000 }))).toEqual({ minutes: 60, basis: 'recorded', isAlive: 1 });
    expect(await after(written({ cacheWrite1h: 0 }))).toEqual({ minutes: 5, basis: 'recorded', isAlive: 0 });
    expect(await after(written({ cttl: { ephemeral1h: 3000 } }))).toMatchObject({ minutes: 60, isAlive: 1 });
    expect(await after(written({ cttl: { ephemeral5m: 3000 } }))).toMatchObject({ minutes: 5, basis: 'recorded' });
    expect(await after(written({ cttl: { ephemeral1h: 1500, ephemeral5m: 1500 } }))).toMatchObject({ isAlive: 0.5 });
    // A read keeps the lifetime of what it reads.
    expect(await after(written({ cacheWrite1h: 3000 }), read)).toMatchObject({ minutes: 60, isAlive: 1 });
    expect(await after(written({}), read)).toMatchObject({ minutes: 5, isAlive: 0 });
    // Another model has another cache.
    const other = { ...written({ cacheWrite1h: 3000 }), model: 'claude-haiku-4-5' };
    expect(await after(other, written({}))).toMatchObject({ minutes: 5, isAlive: 0 });
    expect(await after({})).toMatchObject({ minutes: 5, basis: 'assumed', isAlive: 0 });
  });

  it('is not one that failed unbilled, and is of no use to another model', async () => {
    const failed = talk().wait(9).assistant('a2', '', { stopReason: 'error' });
    expect((await lastOf(failed))?.time).toBeLessThan(failed.now());
    const switched = talk().entry('m1', 'model_change', { provider: 'openai', modelId: 'gpt' });
    expect(await lastOf(switched)).toMatchObject({ target: TARGET, isOtherModelNow: true });
    expect(await lastOf(new Log('none').user('u1', 'Hello'))).toBeNull();
  });

  it.each(['error', 'aborted'])('is one that ended with %s, if something was billed', async (stopReason) => {
    const failed = talk()
      .wait(9)
      .assistant('a2', '', { stopReason, ...usage(2000, 10, 4) });
    expect((await lastOf(failed))?.time).toBe(failed.now());
    const unbilled = talk().assistant('a2', '', { stopReason });
    expect((await lastOf(unbilled))?.time).toBeLessThan(unbilled.now());
  });

  it('is known by the time of its entry where its message has none, and by none where a damaged file has none', async () => {
    const noTime = talk().entry('a2', 'message', { message: { role: 'assistant', ...TARGET } });
    expect(await lastOf(noTime)).toMatchObject({ time: noTime.now(), isOtherModelNow: false, prices: null });
    const nobody = new Log('nobody').entry('a1', 'message', { message: { role: 'assistant' } });
    expect((await lastOf(nobody))?.target).toEqual({ provider: null, api: null, model: null });
    const never = { type: 'message', id: 'a1', message: { role: 'assistant', ...TARGET } };
    expect((await lastOf(new Log('never').line(never)))?.time).toBeNaN();
    const warm = { type: 'usage', id: 'w1', parentId: 'a1', kind: 'cache_warm' };
    expect((await lastOf(new Log('never').line(never).line(warm)))?.time).toBeNaN();
    const message = { ...never.message, timestamp: 1000 };
    expect((await lastOf(new Log('warm').line({ ...never, message }).line(warm)))?.time).toBe(1000);
  });

  it('was kept warm until the newest of the times that say so', async () => {
    const log = talk()
      .wait(7)
      .entry('w1', 'usage', { kind: 'cache_warm', ...usage(2000, 0, 4) });
    const newest = log.now();
    log.line({ type: 'usage', id: 'w2', parentId: 'w1', timestamp: '2026-03-02T09:05:00.000Z', kind: 'cache_warm' });
    expect((await lastOf(log.from('w2')))?.time).toBe(newest);
  });

  it('goes to another model next, if the provider or the model is another', async () => {
    const after = async (provider: string, modelId: string): Promise<boolean | undefined> =>
      (await lastOf(talk().entry('m1', 'model_change', { provider, modelId })))?.isOtherModelNow;
    expect(await after('anthropic', 'claude-sonnet-4-5')).toBe(false);
    expect(await after('anthropic', 'claude-haiku-4-5')).toBe(true);
    expect(await after('bedrock', 'claude-sonnet-4-5')).toBe(true);
  });

  it('takes prices from the last 50 answers of its path, whatever was asked of others in between', async () => {
    const since = async (others: number): Promise<LastRequest['prices'] | undefined> => {
      const log = talk().assistant('a2', '', usage(2000, 10, 4));
      for (let at = 0; at < others; at += 1) log.assistant(`o${at}`, '', { provider: 'openai', model: 'gpt' });
      return (await lastOf(log.assistant('z', '')))?.prices;
    };
    expect(await since(48)).toEqual({ paid: 4, read: 0.4 });
    expect(await since(49)).toBeNull();
    const namesake = talk()
      .assistant('a2', '', usage(2000, 10, 4))
      .assistant('a3', '', { provider: 'bedrock', ...usage(2, 10, 8) });
    expect((await lastOf(namesake.assistant('a4', '')))?.prices).toEqual({ paid: 4, read: 0.4 });
  });
});
