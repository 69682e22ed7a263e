import { describe, expect, it } from 'vitest';
import type { Cheaper } from '#analysis/stats/cheaper.js';
import type { Simulation } from '#lab/simulate/document.js';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';

/** A session whose context grows by `step` tokens with each of its requests; everything sent before is read from the cache. */
function growing(requests: number, step: number, model = 'claude-sonnet-4-5'): string {
  const log = new Log('growing');
  const words = 'x'.repeat(step * 4);
  for (let at = 1; at <= requests; at += 1) {
    const [cacheRead, cacheWrite] = [(at - 1) * step, step];
    const cost = { input: 0, output: 0, cacheRead: cacheRead * 3e-7, cacheWrite: cacheWrite * 3.75e-6 };
    const total = cost.cacheRead + cost.cacheWrite;
    const usage = { input: 0, output: 0, cacheRead, cacheWrite, cost: model === 'unknown' ? {} : { ...cost, total } };
    log.user(`u${at}`, words).assistant(`a${at}`, '', { usage, model });
  }
  return log.text();
}

async function cheaperOf(text: string): Promise<Cheaper> {
  const { stdout } = await ctx(['simulate', 's.jsonl', '--full', '--json'], { files: { 's.jsonl': text } });
  const { cheaper } = JSON.parse(stdout.split('\n')[0] ?? '') as Simulation;
  expect(cheaper).not.toBeNull();
  return cheaper!;
}

describe('what would have been cheaper', () => {
  it('is an earlier compaction where most of the cost is reading a long context', async () => {
    const found = await cheaperOf(growing(120, 1200));
    expect(found).toMatchObject({ reason: null, mainPart: { part: 'cacheRead', calls: 120 }, largestPrompt: 144_000 });
    const best = found.compactions.find(({ at }) => at === found.best);
    expect(best?.saves).toBe(Math.max(...found.compactions.map(({ saves }) => saves)));
    expect(best?.compactions).toBeGreaterThan(0);
    expect(found.sentence).toMatch(
      /^\d+% of the cost is reading ~71k × 120 requests; compacting at \d+k would have saved ~\$\d+\.\d\d \(\d+%\), with \d+ compactions?/,
    );
  });

  it.each([
    [
      'a session that is too small',
      growing(10, 500),
      'small',
      'the largest prompt has 5,000 tokens, too few to compact.',
    ],
    ['a few large requests, for which a summary costs more', growing(3, 40_000), 'dearer', ' would have cost ~$'],
    ['a model without a price', growing(60, 1200, 'unknown'), 'unpriced', 'the prices of the calls are unknown.'],
  ])('is nothing for %s', async (_, text, reason, words) => {
    const found = await cheaperOf(text);
    expect(found).toMatchObject({ best: null, reason });
    expect(found.sentence.toLowerCase()).toContain('nothing cheaper was found: ');
    expect(found.sentence).toContain(words);
  });

  it('is one sentence of ctx simulate and of ctx stats --cheaper', async () => {
    const files = { 's.jsonl': growing(120, 1200) };
    const { sentence } = await cheaperOf(files['s.jsonl']);
    const { stdout } = await ctx(['simulate', 's.jsonl'], { files });
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`120 requests, s.jsonl ${sentence} `);
    const stats = await ctx(['stats', 's.jsonl', '--cheaper'], { files, columns: 400 });
    expect(stats.stdout).toContain(`  ${sentence}\n`);
    const plain = await ctx(['stats', 's.jsonl'], { files, columns: 400 });
    expect(plain.stdout).toContain(`  ${sentence.split(';')[0]}; what would have been cheaper: ctx stats --cheaper\n`);
  });

  it('is not asked for several sessions, nor beside engines that are named', async () => {
    const files = { 's.jsonl': growing(30, 1200) };
    const { stdout } = await ctx(['simulate', 's.jsonl', '--engine', 'pi', '--json'], { files });
    expect((JSON.parse(stdout.split('\n')[0] ?? '') as Simulation).cheaper).toBeNull();
    const { exitCode, stderr } = await ctx(['stats', 's.jsonl', '--cheaper', '--by', 'model'], { files });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--cheaper')]);
  });
});
