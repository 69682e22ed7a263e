import { describe, expect, it } from 'vitest';
import { buildPriceList, findAssumedWindow, findModelInfo } from '#context/models/registry.js';
import list from '../../../src/context/models/models.json' with { type: 'json' };

describe('the prices of the list', () => {
  const prices = buildPriceList();

  it('are found as sessions name the model, also behind a proxy', () => {
    const sonnet = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, tiers: [] };
    expect(prices('anthropic/claude-sonnet-4-5')).toEqual(sonnet);
    expect(prices('my-proxy/claude-sonnet-4-5')).toEqual(sonnet);
  });

  it('are known of models that the list has no longer', () => {
    const haiku = { input: 0.8, output: 4, cacheRead: 0.08, cacheWrite: 1, tiers: [] };
    expect(prices('anthropic/claude-3-5-haiku-20241022')).toEqual(haiku);
    expect(prices('amazon-bedrock/us.anthropic.claude-3-5-haiku-20241022-v1:0')).toEqual(haiku);
    expect(findAssumedWindow({ modelId: 'claude-3-7-sonnet-latest' })).toBe(200_000);
  });

  it('are known of models of Gemini CLI and Qwen Code that the list lacks', () => {
    expect(prices('gemini/gemini-3-pro-preview')).toMatchObject({
      input: 2,
      output: 12,
      cacheRead: 0.2,
      cacheWrite: null,
      tiers: [{ above: 200_000, input: 4, output: 18, cacheRead: 0.4 }],
    });
    expect(findAssumedWindow({ provider: 'google', modelId: 'gemini-3-pro-preview' })).toBe(1_048_576);
    for (const id of ['qwen3-coder-plus', 'qwen/qwen3-coder-plus', 'Qwen3-Coder-Plus-2025-09-23']) {
      const { input, output, tiers } = prices(`openai/${id}`) ?? {};
      expect([input, output, tiers?.map(({ above }) => above)]).toEqual([1, 5, [32_000, 128_000, 256_000]]);
      expect(findAssumedWindow({ modelId: id })).toBe(1_000_000);
    }
  });

  it('have the tiers of long prompts', () => {
    const haiku = prices('anthropic/claude-haiku-5-5');
    expect(haiku).toMatchObject({ input: 0.1, output: 0.5, tiers: [{ above: 100_000, input: 0.5, output: 2.5 }] });
  });

  it.each(['mock/m1', '?/?', 'undefined/undefined', '', 'anthropic/claude', 'qwen-token-plan/qwen3.7-max'])(
    'are unknown of %o, which the list lacks or has without a price',
    (model) => {
      expect(prices(model)).toBe(null);
    },
  );
});

describe('the list of models', () => {
  it('has the facts of a model by provider and id', () => {
    expect(findModelInfo({ provider: 'openai', modelId: 'gpt-5.1' })).toEqual({
      contextWindow: 400_000,
      maxOutput: 128_000,
      thinks: true,
      thinksByEffort: false,
      efforts: new Map([
        ['off', 'none'],
        ['minimal', null],
        ['low', 'low'],
        ['medium', 'medium'],
        ['high', 'high'],
        ['xhigh', null],
        ['max', null],
      ]),
      prices: { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: null, tiers: [] },
    });
    expect(findModelInfo({ provider: 'anthropic', modelId: 'claude-opus-4-6' })).toMatchObject({
      contextWindow: 1_000_000,
      thinksByEffort: true,
    });
    expect(findModelInfo({ provider: 'openai', modelId: 'gpt-4.1' })?.thinks).toBe(false);
  });

  it('prefers the provider that the session names, then the vendor of the model', () => {
    expect(findAssumedWindow({ provider: 'azure', modelId: 'gpt-5.4' })).toBe(1_050_000);
    expect(findAssumedWindow({ provider: 'openai', modelId: 'gpt-5.4' })).toBe(272_000);
    expect(findAssumedWindow({ provider: 'my-proxy', modelId: 'gpt-5.4' })).toBe(272_000);
    expect(findAssumedWindow({ modelId: 'gpt-5.4' })).toBe(272_000);
  });

  it.each([
    ['anthropic/claude-sonnet-4-5', 200_000],
    ['azure/gpt-5.4', 1_050_000],
    ['claude-sonnet-4-5-20990101', 200_000],
    ['claude-sonnet-4-5@20250929', 200_000],
    ['claude-sonnet-4.5', 200_000],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000],
    ['anthropic/claude-sonnet-4.5:batch', null],
    ['gpt-4.1-2099-01-01', 1_047_576],
  ])('knows %s by another form of its id', (modelId, window) => {
    const found = findAssumedWindow({ provider: 'a-proxy', modelId });
    // The list may have the variant with figures of its own.
    if (window === null) expect(found).toBeGreaterThan(0);
    else expect(found).toBe(window);
  });

  it.each([
    { provider: 'mock', modelId: 'm1' },
    { provider: 'anthropic', modelId: 'claude' },
    { provider: 'anthropic', modelId: '' },
    { provider: 'anthropic', modelId: '200000' },
    { provider: 'anthropic', modelId: '-' },
    { provider: 'anthropic', modelId: 'claude-sonnet-4-5 claude-haiku-4-5' },
    { provider: '__proto__', modelId: 'constructor' },
    { provider: 'anthropic' },
    {},
  ])('invents nothing for %o', (name) => {
    expect(findModelInfo(name)).toBe(null);
  });

  it('finds every model that it lists', () => {
    const found = Object.entries(list.models).flatMap(([provider, lines]) =>
      lines.flatMap((line) => {
        const [contextWindow, maxOutput, , , , ...ids] = line.split(' ');
        return ids.map(
          (modelId) => [findModelInfo({ provider, modelId }), Number(contextWindow), Number(maxOutput)] as const,
        );
      }),
    );
    expect(found.length).toBeGreaterThan(1500);
    expect(
      found.filter(([facts, window, output]) => facts?.contextWindow !== window || facts.maxOutput !== output),
    ).toEqual([]);
    expect(found.every(([, window]) => window > 0)).toBe(true);
  });
});
