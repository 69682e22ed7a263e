import { describe, expect, it } from 'vitest';
import { methodFor } from '#analysis/stats/token-method.js';
import { Log } from '../../fixtures/log.js';
import { usage } from '../../support/counted.js';

const GPT = { provider: 'openai', model: 'gpt-5' };

async function method(log: Log, baseline = {}) {
  return methodFor(await log.open(), { tokenizer: 'claude', baseline });
}

/** Requests whose prompt grows by fifty tokens of o200k each time, which the provider counts as so many. */
function growing(perRequest: number, fields = {}): Log {
  const log = new Log('m');
  for (let at = 0; at < 4; at += 1)
    log
      .user(`u${at}`, 'word '.repeat(49))
      .assistant(`a${at}`, '', { content: [], usage: usage(1000 + at * perRequest, 1, 0, 0), ...fields });
  return log;
}

describe('the tokens of Claude', () => {
  it('are measured by what prompts grew by', async () => {
    const { name, count } = await method(growing(75));
    expect(name).toBe('claude (o200k × 1.5)');
    expect(count('word '.repeat(49))).toBe(75);
    expect((await method(growing(100 / 3))).name).toBe('claude (o200k × 0.6667)');
  });

  it('are measured by whole prompts where all of them is known', async () => {
    const baseline = { parts: [{ name: 'a', text: 'word '.repeat(49) }], tools: [{ name: 'read' }] };
    expect((await method(growing(75), baseline)).name).toMatch(/^claude \(o200k × [5-9]\.\d+\)$/);
  });

  it('are measured on requests to Claude only', async () => {
    const log = growing(75);
    log.user('u', 'word '.repeat(49)).assistant('a', 'x', { usage: usage(9000, 1, 0, 0), ...GPT });
    expect((await method(log)).name).toBe('claude (o200k × 1.5)');
  });

  it.each([
    ['no request', new Log('m')],
    ['none to Claude', growing(75, GPT)],
    ['none that grew', growing(0)],
  ])('are unknown where there is %s', async (_, log) => {
    await expect(method(log)).rejects.toMatchObject({
      kind: 'input',
      message: 'cannot calibrate: no Claude request records its tokens',
      where: '-',
      hint: 'use --tokenizer o200k instead of claude',
    });
  });
});
