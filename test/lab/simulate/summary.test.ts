import { describe, expect, it } from 'vitest';
import { once } from '#base/memoize.js';
import { describeVerdict, rankEngines } from '#cli/commands/simulate/verdict.js';
import { runJobsHere } from '#cli/sessions/jobs/jobs.js';
import { type SimulatedOf, simulateFile, type SimulateInput } from '#cli/sessions/jobs/simulate.js';
import { runJobs } from '#cli/sessions/parallel.js';
import { simulation, simulationSummary } from '#lab/simulate/document.js';
import { toSimulationOptions } from '#lab/simulate/simulate.js';
import { summarizeSimulations, toSessionSums } from '#lab/simulate/summary.js';
import type { Io } from '#platform/io.js';
import { Log } from '../../fixtures/log.js';
import { generateSession } from '../../support/generate.js';
import { memoryFiles } from '../../support/memory-io.js';
import { tried } from '../../support/runs.js';
import { options, usage } from './simulation-world.js';

const names = ['recorded', 'pi', 'turn-prune', 'three-phase', 'none'];
const how = options({ tokenBudget: 2000, settings: { enabled: true, reserveTokens: 500, keepRecentTokens: 500 } });

/** Requests that cost so many dollars each for a thousand tokens, read from no cache. */
function talk(id: string, requests: number, model = 'some-model'): string {
  const log = new Log(id);
  for (let at = 1; at <= requests; at += 1)
    log.user(`u${at}`, 'x'.repeat(400)).assistant(`a${at}`, 'y'.repeat(40), { usage: usage(at * 110, 0), model });
  return log.text();
}

const texts = Object.fromEntries([
  ...Array.from({ length: 6 }, (_, at) => [
    `g${at}.jsonl`,
    generateSession({ seed: at + 1, entries: 50, sound: true }),
  ]),
  ['a.jsonl', talk('a', 3)],
  ['b.jsonl', talk('b', 30)],
  ['listed.jsonl', talk('listed', 30, 'claude-sonnet-4-5')],
  ['empty.jsonl', new Log('empty').text()],
  ['none.jsonl', 'no session'],
]) as Record<string, string>;

const inputs: readonly SimulateInput[] = Object.keys(texts).map((file) => ({ file, engines: names, options: how }));

async function allOf(io: Io, size = 0): Promise<readonly SimulatedOf[]> {
  const all: SimulatedOf[] = [];
  for await (const done of runJobs(io, { job: 'simulate', inputs, sizes: inputs.map(() => size) }))
    for (const result of done) if (result.ok) all.push(result.output);
  return all;
}

/** Threads that are done in any order, and are told and answer in copies. */
function threads(count: number): Pick<Io, 'files' | 'startThreads'> {
  const files = memoryFiles(texts);
  let job = 0;
  const run = async (name: string, pack: readonly unknown[]): Promise<readonly unknown[]> => {
    job += 1;
    await new Promise((resolve) => void setTimeout(resolve, (job * 7) % 5));
    return structuredClone(await runJobsHere(files, name as 'simulate', structuredClone(pack) as SimulateInput[]));
  };
  return { files, startThreads: () => Promise.resolve({ count, run, end: () => Promise.resolve() }) };
}

/** What one thread comes to. */
const ofOneThread = once(() => allOf(threads(1) as Io));

describe('many sessions', () => {
  it('come to the same, however many threads there are', async () => {
    const alone = JSON.stringify(await ofOneThread());
    for (const count of tried([4, 2], 2)) expect(JSON.stringify(await allOf(threads(count) as Io, 1e6))).toBe(alone);
  });

  it('are added up, with how much they differ', async () => {
    const all = await ofOneThread();
    const documents = all.flatMap((one) => (one.ok ? [one.simulation] : []));
    for (const document of documents) expect(simulation.safeParse(document)).toMatchObject({ success: true });
    const unreadable = all.flatMap((one) => (one.ok ? [] : [{ file: one.file, error: one.error }]));
    expect(unreadable.map(({ file }) => file)).toEqual(['none.jsonl']);
    const summary = summarizeSimulations({
      sessions: documents.map(toSessionSums),
      unreadable,
      names,
      options: toSimulationOptions(how),
    });
    const whole = { ...summary, verdict: describeVerdict(summary.engines) };
    expect(simulationSummary.safeParse(whole)).toMatchObject({ success: true });
    expect(summary).toMatchObject({ sessions: 10, withoutRequests: 1 });
    for (const [at, engine] of summary.engines.entries()) {
      const of = documents.flatMap(({ engines }) => engines[at] ?? []);
      const asked = of.filter(({ requests }) => requests > 0);
      expect(engine.inputTokens).toBe(asked.reduce((sum, { inputTokens }) => sum + inputTokens, 0));
      expect(engine.change.inputTokens).toBe(engine.inputTokens - (summary.engines[0]?.inputTokens ?? 0));
      const peaks = asked.map(({ peakTokens }) => peakTokens).toSorted((a, b) => a - b);
      expect(engine.spread.peakTokens?.median).toBe(peaks[Math.ceil(peaks.length / 2) - 1]);
      expect(engine.peakTokens).toBe(peaks.at(-1));
    }
  });

  it('have a cost only where every engine has one', async () => {
    const files = memoryFiles(texts);
    const documents: SimulatedOf[] = [];
    // A provider that reports no reads does not say what they cost: only what is read from no cache has a price.
    for (const file of ['a.jsonl', 'b.jsonl', 'listed.jsonl'])
      documents.push(await simulateFile(files, { file, engines: names, options: how }));
    const sessions = documents.flatMap((one) => (one.ok ? [toSessionSums(one.simulation)] : []));
    const summary = summarizeSimulations({ sessions, unreadable: [], names, options: toSimulationOptions(how) });
    expect(sessions.map(({ engines }) => engines.map(({ cost }) => cost !== null))).toEqual([
      [true, true, true, true, true],
      // An engine that drops all that was sent before reads nothing from the cache.
      [false, false, true, false, false],
      // The list has the price that the session lacks.
      [true, true, true, true, true],
    ]);
    expect(summary).toMatchObject({
      withCost: 2,
      withListedPrices: 1,
      listedPrices: ['anthropic/claude-sonnet-4-5'],
    });
    expect(summary.engines[0]?.cost).toBeCloseTo(0.11 + 0.22 + 0.33 + (sessions[2]?.engines[0]?.cost ?? Number.NaN));
  });
});

describe('the verdict', () => {
  type Judged = Parameters<typeof describeVerdict>[0][number];
  const run: Judged = {
    name: 'recorded',
    totalCost: 10,
    billedTokens: 1000,
    overflows: 0,
    unsendable: 0,
    refused: [],
    breaches: [],
    failure: null,
    reread: { calls: 0, tokensEstimated: 0 },
  };
  const of = (name: string, more: Partial<Judged>): Judged => ({ ...run, name, ...more });
  const refused = [{ rule: 'empty-request', requests: 3, first: 1, message: 'the request has no message' }];
  const breaches = [{ clause: 'maintenance', sentence: 's', message: 'm', times: 2, request: 1 }];

  it('names the cheapest engine that has the fewest requests over the budget', () => {
    const cheap = of('cheap', { totalCost: 5, overflows: 2 });
    const sound = of('sound', { totalCost: 7.5, reread: { calls: 1, tokensEstimated: 9 } });
    expect(describeVerdict([run, cheap, sound])).toBe(
      'sound is the cheapest: $7.50, the recorded run $10.00 (-25%). ' +
        '1 call repeated a result that it had dropped, and no request was over the budget.',
    );
  });

  it('names the bill if the model predicts another one for the recorded run', () => {
    const engines = [run, of('sound', { totalCost: 7.5 })];
    expect(describeVerdict(engines, { billed: 20 })).toMatch(
      / These costs are predicted; as billed, the run cost \$20\.00\.$/,
    );
    expect(describeVerdict(engines, { billed: 10.05 })).not.toMatch(/billed/);
  });

  it('calls a tie a tie', () => {
    const tie = ['pi', 'turn-prune', 'none'].map((name) => of(name, { totalCost: 7.5 }));
    expect(describeVerdict([run, ...tie])).toBe(
      'pi, turn-prune and none are the cheapest: $7.50 each, the recorded run $10.00 (-25%). ' +
        'No call repeated a result that they had dropped, and no request was over the budget.',
    );
    const near = [of('pi', { totalCost: 7.5 }), of('none', { totalCost: 7.55 }), of('more', { totalCost: 8 })];
    expect(describeVerdict([run, ...near])).toMatch(
      /^pi and none are the cheapest: \$7\.50 and \$7\.55, less than 1% apart, the recorded run/,
    );
    expect(describeVerdict([run, ...tie.map((engine) => ({ ...engine, totalCost: 10 }))])).toMatch(
      /^No engine is cheaper than the recorded run; next are pi, turn-prune and none: \$10\.00 each/,
    );
  });

  it('puts last what a provider rejects and what breaks the contract, and says why', () => {
    const empty = of('empty', { totalCost: 1, unsendable: 3, refused });
    const liar = of('liar', { totalCost: 2, breaches });
    const sound = of('sound', { totalCost: 7.5 });
    expect(describeVerdict([run, empty, liar, sound])).toMatch(
      /^sound is the cheapest: .* empty is last: providers reject 3 requests \(empty-request, first at request 1\)\. liar is last: it breaks the contract \(maintenance, 2 times\)\.$/,
    );
    expect(describeVerdict([run, empty])).toMatch(/^No engine can be used\. empty is last: /);
    expect(rankEngines([run, empty, liar, sound]).map(({ name }) => name)).toEqual([
      'recorded',
      'sound',
      'empty',
      'liar',
    ]);
  });

  it('does not hold against an engine what the recorded run had refused too', () => {
    const same = of('same', { totalCost: 5, unsendable: 3, refused });
    expect(describeVerdict([{ ...run, unsendable: 3, refused }, same])).toMatch(/^same is the cheapest/);
  });

  it('says so where nothing is better', () => {
    expect(describeVerdict([run, of('other', { totalCost: 9.95 })])).toMatch(
      /^No engine is cheaper than the recorded run; next is other: \$9\.95/,
    );
  });

  it('uses tokens if costs are unknown or zero', () => {
    for (const totalCost of [null, 0]) {
      expect(describeVerdict([{ ...run, totalCost }, of('small', { totalCost, billedTokens: 500 })])).toMatch(
        /^small bills least: 500 tokens billed in full, the recorded run 1,000 tokens billed in full \(-50%\)/,
      );
    }
  });

  it('leaves out what has failed', () => {
    const failed = of('failed', { totalCost: 1, failure: { kind: 'threw' } });
    expect(describeVerdict([run, failed])).toBe('No engine came to the end.');
    expect(describeVerdict([run])).toBe('No other engine was asked for.');
    expect(describeVerdict([])).toBe('Nothing was asked, so there is nothing to compare.');
  });
});
