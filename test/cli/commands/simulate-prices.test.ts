import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Simulation } from '#lab/simulate/document.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const weather = readFileSync(`${projectFolder}/fixtures/weather.jsonl`, 'utf8');
const COST = /"cost":\{[^}]*\}/g;

async function shown(text: string, ...flags: readonly string[]): Promise<string> {
  const argv = ['simulate', 's.jsonl', '--limit', '3400', '--engine', 'pi', ...flags];
  const { stdout, exitCode } = await ctx(argv, { files: { 's.jsonl': text } });
  expect(exitCode).toBe(0);
  return stdout;
}

async function simulated(text: string): Promise<Simulation> {
  return JSON.parse((await shown(text, '--json')).split('\n', 1)[0] ?? '') as Simulation;
}

function costsOf({ engines }: Simulation): readonly (number | null)[] {
  return engines.map(({ cost }) => cost);
}

describe('the prices of ctx simulate', () => {
  it('are those of the list where the session records none, and it says so', async () => {
    const text = weather.replaceAll(COST, '"cost":null');
    const [without, recorded] = [await simulated(text), await simulated(weather)];
    expect(without.listedPrices).toEqual(['anthropic/claude-sonnet-4-5']);
    // The session was billed at the listed prices.
    for (const [at, cost] of costsOf(recorded).entries()) expect(costsOf(without)[at]).toBeCloseTo(cost ?? -1, 12);
    expect(without.engines.map(({ outputCost }) => outputCost)).toEqual(
      recorded.engines.map(({ outputCost }) => expect.closeTo(outputCost ?? -1, 12) as number),
    );
    expect(without.recorded?.cost).toBeCloseTo(recorded.recorded?.cost ?? -1, 12);
    expect(without.recorded?.outputCost).toBeCloseTo(recorded.recorded?.outputCost ?? -1, 12);
    expect(without.requests.every(({ costRecorded }) => costRecorded === null)).toBe(true);
    const screen = (await shown(text, '--full')).replaceAll(/\s+/g, ' ');
    expect(screen).toContain('Costs assume the listed prices of anthropic/claude-sonnet-4-5.');
    expect(new Set(screen.match(/.\$/g))).toEqual(new Set(['~$']));
    expect(await shown(text, '--format', 'csv')).toMatch(/,true\n/);
  });

  it('are in no bill of a summary whose call is not recorded', async () => {
    const without = weather.replace(/("type":"compaction".*),"usage":\{.*?\}\}/, '$1');
    expect(without.length).toBeLessThan(weather.length);
    const [bill, whole] = [(await simulated(without)).recorded, (await simulated(weather)).recorded];
    expect([bill?.summaries, whole?.summaries.calls]).toEqual([
      { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0 },
      1,
    ]);
    expect(bill?.totalCost).toBeCloseTo((whole?.totalCost ?? 0) - (whole?.summaries.cost ?? 0), 12);
  });

  it('are not needed for the bill of a session that records only the sum of each cost', async () => {
    const text = weather.replaceAll(COST, (cost) => cost.replace(/\{.*(?="total")/, '{'));
    const [sums, parts] = [await simulated(text), await simulated(weather)];
    expect(sums.requests.every(({ costRecorded }) => costRecorded === null)).toBe(true);
    expect(sums.recorded?.totalCost).toBeCloseTo(parts.recorded?.totalCost ?? -1, 12);
    const doubled = text.replaceAll(/"total":([\d.e-]+)/g, (_, dollars) => `"total":${Number(dollars) * 2}`);
    expect((await simulated(doubled)).recorded?.totalCost).toBeCloseTo((parts.recorded?.totalCost ?? -1) * 2, 12);
  });

  it('are marked in the check of the cache model, too, where some requests record a cost', async () => {
    const lines = weather.split('\n');
    const later = lines.slice(20).join('\n').replaceAll(COST, '"cost":null');
    const some = [...lines.slice(0, 20), later.replaceAll('claude-sonnet-4-5', 'claude-haiku-4-5')].join('\n');
    expect(await shown(some, '--full')).toMatch(/predicted\s+input\s+~\$[\d.]+,\s+billed\s+~\$/);
    expect(await shown(weather, '--full')).toMatch(/predicted\s+input\s+\$[\d.]+,\s+billed\s+\$/);
  });

  it('are the recorded ones where there are any, however the list has them', async () => {
    const doubled = weather.replaceAll(COST, (cost) =>
      cost.replaceAll(/:([\d.e-]+)/g, (_, dollars) => `:${Number(dollars) * 2}`),
    );
    const [once, twice] = [await simulated(weather), await simulated(doubled)];
    expect([once.listedPrices, twice.listedPrices]).toEqual([[], []]);
    for (const [at, cost] of costsOf(once).entries()) expect(costsOf(twice)[at]).toBeCloseTo((cost ?? -1) * 2, 12);
    expect(await shown(weather)).not.toMatch(/listed|~\$/);
    expect(await shown(weather, '--format', 'csv')).not.toContain(',true\n');
  });

  it('stay nothing where the session records that it costs nothing', async () => {
    const nothing = '"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}';
    const free = await simulated(weather.replaceAll(COST, nothing));
    expect([free.listedPrices, ...costsOf(free)]).toEqual([[], 0, 0]);
    expect(free.verdict).toContain('tokens billed in full');
    const unread = new Log('free');
    for (let at = 1; at <= 5; at += 1) {
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
      const usage = { input: at * 1000, output: 10, cacheRead: 0, cacheWrite: 0, cost };
      unread.user(`u${at}`, 'x'.repeat(4000)).assistant(`a${at}`, 'y', { usage });
    }
    const { listedPrices, engines } = await simulated(unread.text());
    expect([listedPrices, engines[0]?.cost]).toEqual([[], null]);
  });

  it('are unknown for a model that the list lacks, and where no tokens are recorded', async () => {
    const unknown = weather.replaceAll(COST, '"cost":null').replaceAll('claude-sonnet-4-5', 'some-model');
    const silent = weather.replaceAll(/"usage":\{.*?\}\}/g, '"usage":{}');
    for (const text of [unknown, silent]) {
      const { listedPrices, ...simulation } = await simulated(text);
      expect([listedPrices, ...simulation.engines.map(({ totalCost }) => totalCost)]).toEqual([[], null, null]);
    }
    const screen = (await shown(unknown)).replaceAll(/\s+/g, ' ');
    expect(screen).toContain(
      'The costs (?) are unknown: no recorded or listed price applies to requests of anthropic/some-model.',
    );
    expect(await shown(weather)).not.toContain('unknown');
  });
});
