import { describe, expect, it } from 'vitest';
import { once } from '#base/memoize.js';
import { describeVerdict } from '#cli/commands/simulate/verdict.js';
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
