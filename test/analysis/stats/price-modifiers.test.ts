import { describe, expect, it } from 'vitest';
import { countSession } from '#analysis/stats/count-session.js';
import { sumSessionCosts } from '#analysis/stats/session-costs.js';
import type { SessionStats } from '#analysis/stats/session-stats.js';
import { findPriceFactor, readPriceModifiers } from '#context/models/modifiers.js';
import { buildPriceList } from '#context/models/registry.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { opened } from '../../support/entries.js';
import { ctx } from '../../support/memory-io.js';

type Json = Readonly<Record<string, unknown>>;

function answered(usage: Json, model = 'claude-opus-5'): string {
  const log = new ClaudeCodeLog();
  log.user('Which index does this query use?');
  log.answer('msg_1', textBlock('None.'), undefined, {
    model,
    usage: { input_tokens: 2000, output_tokens: 400, ...usage },
  });
  return log.text;
}

async function counted(text: string): Promise<SessionStats> {
  return countSession(await opened(text), { method: BY_CHARACTERS, title: 'A title', priceList: buildPriceList() });
}

/** $5 and $25 for a million tokens of input and output. */
const PLAIN = (2000 * 5 + 400 * 25) / 1e6;

describe('the price of a call of Anthropic', () => {
  it.each([
    ['the standard speed', { speed: 'standard', service_tier: 'standard', inference_geo: 'not_available' }, PLAIN],
    ['fast mode', { speed: 'fast' }, 2 * PLAIN],
    ['inference in the United States', { inference_geo: 'us' }, 1.1 * PLAIN],
    ['inference anywhere', { inference_geo: 'global' }, PLAIN],
    ['37 searches', { server_tool_use: { web_search_requests: 37, web_fetch_requests: 9 } }, PLAIN + 0.37],
    ['a batch', { service_tier: 'batch' }, PLAIN / 2],
    [
      'everything at once, of which searches cost the same',
      { speed: 'fast', inference_geo: 'us', server_tool_use: { web_search_requests: 4 } },
      2.2 * PLAIN + 0.04,
    ],
  ])('includes %s', async (_, usage, dollars) => {
    const { usage: sums, byModel } = await counted(answered(usage));
    expect(sums.cost).toBeNull();
    expect(sums.costListed).toBeCloseTo(dollars, 10);
    expect(byModel.get('anthropic/claude-opus-5')?.costListed).toBeCloseTo(dollars, 10);
    expect(sumSessionCosts(await opened(answered(usage))).costListed).toBeCloseTo(dollars, 10);
  });

  it('was six times as high in the fast mode of Opus 4.6', async () => {
    const { usage } = await counted(answered({ speed: 'fast' }, 'claude-opus-4-6'));
    expect(usage.costListed).toBeCloseTo(6 * PLAIN, 10);
  });
});

describe('the tier of a call of OpenAI', () => {
  const factor = (model: string, serviceTier: string): number | null =>
    findPriceFactor(`openai/${model}`, readPriceModifiers({ serviceTier }));

  it('changes its price as published', () => {
    expect(factor('gpt-5.4', 'default')).toBe(1);
    expect(factor('gpt-5.4', 'flex')).toBe(0.5);
    expect(factor('gpt-5.4', 'priority')).toBe(2);
    expect(factor('gpt-5.5', 'priority')).toBe(2.5);
    expect(factor('gpt-4.1', 'priority')).toBe(1.75);
    expect(factor('gpt-5.3-codex', 'fast')).toBe(2);
  });

  it('leaves the price unknown where none is published', () => {
    expect(factor('gpt-5-pro', 'priority')).toBeNull();
    expect(factor('gpt-5.4', 'scale')).toBeNull();
  });
});

describe('an answer of several calls', () => {
  const sampling = (input: number, output: number, cacheRead: number, cacheWrite: number): Json => ({
    type: 'message',
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  });
  const advice = { ...sampling(90_000, 3000, 0, 0), type: 'advisor_message', model: 'claude-opus-5' };
  const usage = {
    input_tokens: 30,
    output_tokens: 700,
    cache_read_input_tokens: 41_000,
    cache_creation_input_tokens: 2000,
    iterations: [sampling(10, 200, 20_000, 1000), advice, sampling(20, 500, 21_000, 1000)],
  };
  const own = (30 * 2 + 700 * 10 + 41_000 * 0.2 + 2000 * 2.5) / 1e6;
  const advised = (90_000 * 5 + 3000 * 25) / 1e6;
  const text = answered(usage, 'claude-sonnet-5');

  it('counts the calls beside it, by their model', async () => {
    const { usage: sums, byModel, bySource } = await counted(text);
    expect(sums).toMatchObject({ calls: 2, input: 90_030, output: 3700 });
    expect(sums.costListed).toBeCloseTo(own + advised, 10);
    expect(byModel.get('anthropic/claude-opus-5')?.costListed).toBeCloseTo(advised, 10);
    expect(byModel.get('anthropic/claude-sonnet-5')?.costListed).toBeCloseTo(own, 10);
    expect(bySource.get('side calls')).toMatchObject({ calls: 1, input: 90_000 });
  });

  it('costs the same on every screen', async () => {
    const world = { files: { 'f/s.jsonl': text } };
    const dollars = own + advised;
    const log = (await ctx(['log', 'f/s.jsonl', '--format', '{costListed}'], world)).stdout;
    expect(Math.max(...log.split('\n').map(Number))).toBeCloseTo(dollars, 8);
    const listed = JSON.parse((await ctx(['ls', 'f', '--json'], world)).stdout) as { costListed: number };
    expect(listed.costListed).toBeCloseTo(dollars, 8);
    const stats = JSON.parse((await ctx(['stats', 'f/s.jsonl', '--json'], world)).stdout) as {
      usageRecorded: { costListed: number };
    };
    expect(stats.usageRecorded.costListed).toBeCloseTo(dollars, 8);
  });

  it('has the prompt of its first sampling, and leaves the context of its last one', async () => {
    const { samples, context } = await counted(text);
    expect(samples[0]?.recorded).toBe(10 + 20_000 + 1000);
    expect(context.size.tokens).toBe(20 + 21_000 + 1000 + 500);
  });

  it('counts a compaction beside it, and nothing twice that its usage includes', async () => {
    const compacted = { ...sampling(50_000, 900, 0, 0), type: 'compaction' };
    const beside = await counted(
      answered({ ...usage, iterations: [...usage.iterations, compacted] }, 'claude-sonnet-5'),
    );
    expect(beside.bySource.get('compactions')).toMatchObject({ calls: 1, input: 50_000, output: 900 });
    const within = { ...usage, input_tokens: 50_030, output_tokens: 1600 };
    const iterations = [sampling(10, 200, 20_000, 1000), compacted, sampling(20, 500, 21_000, 1000)];
    const included = await counted(answered({ ...within, iterations }, 'claude-sonnet-5'));
    expect(included.usage).toMatchObject({ calls: 1, input: 50_030, output: 1600 });
  });

  it('pays the price of long prompts for each of its samplings', async () => {
    const iterations = [sampling(60_000, 10, 0, 0), sampling(70_000, 10, 0, 0)];
    const sum = {
      input_tokens: 130_000,
      output_tokens: 20,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    };
    const short = await counted(answered({ ...sum, iterations }, 'claude-haiku-5-5'));
    const long = await counted(answered(sum, 'claude-haiku-5-5'));
    expect(short.usage.costListed).toBeCloseTo((130_000 * 0.1 + 20 * 0.5) / 1e6, 10);
    expect(long.usage.costListed).toBeCloseTo((130_000 * 0.5 + 20 * 2.5) / 1e6, 10);
  });
});

describe('a call outside the conversation that oh-my-pi records', () => {
  it('is in the sums, with its model and cost', async () => {
    const cost = { input: 0.001, output: 0.002, cacheRead: 0, cacheWrite: 0, total: 0.003 };
    const usage = { input: 700, output: 30, cacheRead: 0, cacheWrite: 0, totalTokens: 730, cost };
    const at = { id: 'm1', parentId: null, timestamp: '2026-10-01T10:00:00.000Z' };
    const call = { type: 'model_usage', ...at, purpose: 'session-title', role: 'tiny' };
    const lines = [
      { type: 'session', version: 3, id: 's', timestamp: at.timestamp, cwd: '/app' },
      { ...call, api: 'openai-responses', provider: 'openai', model: 'gpt-5-nano', usage, stopReason: 'stop' },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { usage: sums, byModel, bySource } = await counted(text);
    expect(sums).toMatchObject({ calls: 1, input: 700, output: 30, cost: 0.003 });
    expect(byModel.get('openai/gpt-5-nano')).toMatchObject({ cost: 0.003 });
    expect(bySource.get('side calls')).toMatchObject({ calls: 1 });
    expect(sumSessionCosts(await opened(text)).cost).toBe(0.003);
  });
});
