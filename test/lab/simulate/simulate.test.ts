import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { reportCache } from '#analysis/cache/report-cache.js';
import { openSession } from '#context/open.js';
import { engines } from '#lab/index.js';
import { simulate, type SimulationResult } from '#lab/simulate/simulate.js';
import { pathTo } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';
import { fixtures, triedRecordings } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';
import { named, options, showing, usage } from './simulation-world.js';

const all = engines.map(({ name, create }) => ({ name, make: create }));

function engineIn({ engines: results }: SimulationResult, name: string): SimulationResult['engines'][number] {
  const found = results.find((engine) => engine.name === name);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

/** What the model expects of the recorded run, as `ctx cache` does, and as the simulation does. */
async function compareModels(bytes: Uint8Array): Promise<number> {
  const session = await openSession(bytes);
  const { leaf } = session.tree;
  const path = leaf ? pathTo(session.tree, leaf) : [];
  const simulated = await simulate(session, [], options());
  const { requests } = reportCache({ session, path, baseline: {} });
  const billed = requests.filter(({ unbilled }) => !unbilled);
  // What a cache was kept warm with is what was sent last, whatever ctx cache reads of it.
  const isWarmed = path.some(({ type }) => type === 'usage');
  expect(simulated.requests.map(({ number }) => number)).toEqual(billed.map(({ request }) => request));
  let compared = 0;
  for (const [at, { expectedCacheReadEstimated: expectedRead, recorded }] of billed.entries()) {
    const [request, before] = [simulated.requests[at], billed[at - 1]];
    expect(request?.promptTokensRecorded).toBe(recorded?.promptTokens ?? null);
    // Where the one before records nothing, each has an estimate of its own.
    if (expectedRead === null || !recorded || !before?.recorded || isWarmed) continue;
    expect(request?.cacheReadPredicted).toBe(expectedRead);
    compared += 1;
  }
  return compared;
}

describe('the model of the recorded run', () => {
  it('is that of ctx cache, for fixtures and recorded sessions', async () => {
    let compared = 0;
    for (const file of [...fixtures, ...triedRecordings].filter((name) => !name.includes('damaged')))
      compared += await compareModels(readFileSync(file));
    expect(compared).toBeGreaterThan(20);
  });

  it('is that of ctx cache, for generated sessions', async () => {
    let compared = 0;
    for (let seed = 1; seed <= runs(60); seed += 1)
      compared += await compareModels(
        Buffer.from(generateSession({ seed, entries: 60, edits: 0.2, compactions: 0.1, transforms: (seed % 2) * 0.1 })),
      );
    expect(compared).toBeGreaterThan(runs(200));
  });
});

/** Ten requests of a prompt that grows by a thousand tokens, read from the cache but for what is new. */
function growing(): Log {
  const log = new Log('grows');
  for (let at = 1; at <= 10; at += 1)
    log
      .user(`u${at}`, String(at).padEnd(3996, 'x'))
      .assistant(`a${at}`, 'done', { usage: at === 1 ? usage(1000, 0) : usage(1000, (at - 1) * 1000) });
  return log;
}

const EVERYTHING = { block: 1, minimum: 0, retention: 5 };

describe('a simulation', () => {
  it('counts what an engine leaves out at the rate at which prompts are counted', async () => {
    const session = await openSession(Buffer.from(growing().text()));
    const last = showing('last two', (messages) => messages.slice(-2));
    const simulated = await simulate(session, [last], options({}, { cache: EVERYTHING }));
    const [recorded, shown] = [engineIn(simulated, 'recorded'), engineIn(simulated, 'last two')];
    expect(simulated.tokensPerEstimated).toBeCloseTo(1, 2);
    expect(recorded).toMatchObject({ requests: 10, inputTokens: 55_000, cachedTokens: 45_000, rebilledTokens: 0 });
    expect(recorded.cost).toBeCloseTo(10 + 4.5);
    expect(simulated.recorded).toMatchObject({ inputTokens: 55_000, cachedTokens: 45_000, cost: recorded.cost });
    expect(shown.peakTokens).toBeLessThan(1010);
    // Next to nothing of it begins as the request before did.
    expect(shown.cachedTokens).toBeLessThan(20);
    expect(shown.billedTokens).toBe(shown.inputTokens - shown.cachedTokens);
    expect(shown.cost).toBeCloseTo(shown.billedTokens / 1000 + shown.cachedTokens / 10_000);
    expect(shown.change.cost).toBeCloseTo((shown.cost ?? 0) - 14.5);
  });

  it('knows no cost where the session records none', async () => {
    const text = growing()
      .text()
      .replaceAll(/"cost":\{[^}]*\}/g, '"cost":{}');
    const simulated = await simulate(await openSession(Buffer.from(text)), named('none'), options());
    expect([simulated.recorded?.cost, ...simulated.engines.map(({ cost }) => cost)]).toEqual([null, null, null]);
    expect(engineIn(simulated, 'none').change.cost).toBeNull();
  });

  it('has no breach of the recorded run where a recorded compaction moves messages', async () => {
    const session = await openSession(
      fileURLToPath(new URL('../../../fixtures/agents/opencode/export.json', import.meta.url)),
    );
    const simulated = await simulate(session, named('recorded'), options());
    expect(engineIn(simulated, 'recorded').breaches).toEqual([]);
  });

  it('uses TTL, minimum length and blocks of the cache', async () => {
    const session = await openSession(Buffer.from(growing().text()));
    const read = async (cache: { block: number; minimum: number; retention: number }): Promise<readonly number[]> =>
      (await simulate(session, [], options({}, { cache }))).requests.map(
        ({ cacheReadPredicted }) => cacheReadPredicted,
      );
    const kept = await read({ block: 1, minimum: 0, retention: 5 });
    expect(kept).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]);
    expect(await read({ block: 1, minimum: 4500, retention: 5 })).toEqual(
      kept.map((tokens) => (tokens < 4500 ? 0 : tokens)),
    );
    expect(await read({ block: 128, minimum: 0, retention: 5 })).toEqual(kept.map((tokens) => tokens - (tokens % 128)));
    expect(await read({ block: 1, minimum: 0, retention: 2 })).toEqual(kept.map(() => 0));
  });

  it('re-bills what a cache break loses, and not what a block or the minimum length leaves out', async () => {
    const session = await openSession(Buffer.from(growing().text()));
    const rebilled = async (cache: { block: number; minimum: number; retention: number }): Promise<number> =>
      engineIn(await simulate(session, [], options({}, { cache })), 'recorded').rebilledTokens;
    expect(await rebilled({ block: 128, minimum: 0, retention: 5 })).toBe(0);
    expect(await rebilled({ block: 1, minimum: 1024, retention: 5 })).toBe(0);
    expect(await rebilled({ block: 1, minimum: 0, retention: 2 })).toBe(44_000);
  });

  it('loses for every engine what the provider has lost for no known reason, if that is asked for', async () => {
    const text = growing()
      .text()
      .replace('"input":1000,"output":0,"cacheRead":8000', '"input":9000,"output":0,"cacheRead":0');
    const session = await openSession(Buffer.from(text));
    const without = await simulate(session, named('none'), options({}, { cache: EVERYTHING }));
    const withMisses = await simulate(session, named('none'), options({}, { cache: EVERYTHING, recordedMisses: true }));
    expect(without.validation).toMatchObject({
      requests: 9,
      off: 1,
      predictedCachedTokens: 45_000,
      recordedCachedTokens: 37_000,
    });
    expect(withMisses.validation).toEqual(without.validation);
    for (const name of ['recorded', 'none']) {
      expect(engineIn(without, name).cachedTokens).toBe(45_000);
      expect(engineIn(withMisses, name)).toMatchObject({ cachedTokens: 37_000, rebilledTokens: 8000 });
    }
  });

  it('compacts as Pi does, and finds what is over the budget', async () => {
    const session = await openSession(Buffer.from(growing().text()));
    const settings = { enabled: true, reserveTokens: 1000, keepRecentTokens: 2000 };
    const simulated = await simulate(session, named('pi', 'none'), options({ tokenBudget: 6000, settings }));
    const [pi, none] = [engineIn(simulated, 'pi'), engineIn(simulated, 'none')];
    expect(pi.compactions.count).toBeGreaterThan(0);
    expect(pi.compactions.tokensAfter).toBeLessThan(pi.compactions.tokensBefore);
    expect(pi.peakTokens).toBeLessThanOrEqual(6000);
    expect(pi.overflows).toBe(0);
    expect(none.overflowed).toEqual([7, 8, 9, 10]);
  });

  it('tells engines and host of tokens as the provider counts them, where the recorded context was another', async () => {
    const log = new Log('compacted');
    // Two tokens are counted where one is estimated; half-way everything was summed up.
    for (let at = 1; at <= 10; at += 1) {
      log.user(`u${at}`, String(at).padEnd(4000, 'x'));
      if (at === 6) log.compaction('k', 'before', 'u6');
      log.assistant(`a${at}`, '', { usage: usage((at > 5 ? at - 5 : at) * 2000, 0) });
    }
    const settings = { enabled: true, reserveTokens: 1000, keepRecentTokens: 2000 };
    const session = await log.open();
    const simulated = await simulate(session, named('pi', 'none'), options({ tokenBudget: 13_500, settings }));
    expect(simulated.tokensPerEstimated).toBeCloseTo(2, 1);
    const [pi, none] = [engineIn(simulated, 'pi'), engineIn(simulated, 'none')];
    expect(none.peakTokens).toBeGreaterThan(19_000);
    expect(none.overflowed).toEqual([7, 8, 9, 10]);
    expect(pi.compactions.count).toBeGreaterThan(0);
    expect(pi.peakTokens).toBeLessThanOrEqual(13_500);
    expect(pi.overflows).toBe(0);
  });

  it('takes the larger estimate where an engine says that its view hides an overflow', async () => {
    const session = await openSession(Buffer.from(growing().text()));
    const assemble = (promptAuthority: 'assembled' | 'preassembly_may_overflow') =>
      showing(promptAuthority, () => [], {
        assemble: ({ messages }) =>
          Promise.resolve({ messages: messages.slice(-1), estimatedTokens: 0, promptAuthority }),
      });
    const both = [assemble('assembled'), assemble('preassembly_may_overflow')];
    const simulated = await simulate(session, both, options({ tokenBudget: 6000 }));
    expect(engineIn(simulated, 'assembled').overflows).toBe(0);
    expect(engineIn(simulated, 'preassembly_may_overflow').overflowed).toEqual([7, 8, 9, 10]);
  });

  it('goes on where an engine gives up, and says where that was', async () => {
    const session = await openSession(Buffer.from(growing().text()));
    const broken = showing('broken', (messages, request) => {
      if (request === 4) throw new Error('no more');
      return messages;
    });
    const simulated = await simulate(session, [broken, ...named('none')], options());
    expect(engineIn(simulated, 'broken')).toMatchObject({
      requests: 3,
      failure: { kind: 'threw', method: 'assemble', message: 'no more', request: 4 },
      change: { inputTokens: 0 },
    });
    expect(engineIn(simulated, 'none')).toMatchObject({ requests: 10, failure: null });
  });

  it('says where an engine gives what the contract does not allow', async () => {
    const session = await openSession(Buffer.from(growing().text()));
    const rubbish = showing('rubbish', () => 'no list' as never);
    const simulated = await simulate(session, [rubbish], options());
    expect(engineIn(simulated, 'rubbish').failure).toMatchObject({ kind: 'result', method: 'assemble', request: 1 });
  });

  it('gives the same each time, and leaves the session alone', async () => {
    const bytes = readFileSync(fixtures[0] ?? '');
    const before = Buffer.from(bytes);
    const once = JSON.stringify(await simulate(await openSession(bytes), all, options({ tokenBudget: 3000 })));
    expect(JSON.stringify(await simulate(await openSession(bytes), all, options({ tokenBudget: 3000 })))).toBe(once);
    expect(Buffer.compare(before, bytes)).toBe(0);
  });

  it('works on what holds no request', async () => {
    const simulated = await simulate(
      await openSession(Buffer.from(new Log('a').user('u', 'hi').text())),
      all,
      options(),
    );
    expect(simulated).toMatchObject({ requests: [], recorded: null, validation: { requests: 0, medianError: null } });
    for (const engine of simulated.engines) expect(engine).toMatchObject({ requests: 0, cost: 0, failure: null });
  });
});
