import { describe, expect, it } from 'vitest';
import { readOutputReserve } from '#context/request/output-reserve.js';
import { Log } from '../fixtures/log.js';
import { ctx } from '../support/memory-io.js';

const OF_OPENAI =
  "400 This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (60000 in the messages, 10000 in the completion).";

/** Text without the line breaks of a screen. */
function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

describe('a request whose prompt fits without the tokens reserved for the answer', () => {
  it.each([
    ['of OpenAI', OF_OPENAI, { input: 60_000, output: 10_000, window: 65_536 }],
    [
      'of Anthropic',
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
      { input: 190_000, output: 20_000, window: 200_000 },
    ],
    [
      'of OpenRouter',
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (120000 of text input, 20000 in the output).",
      { input: 120_000, output: 20_000, window: 131_072 },
    ],
    [
      'of vLLM',
      "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 5000 input tokens",
      { input: 5000, output: 4096, window: 8192 },
    ],
    ['where the prompt itself is too long', OF_OPENAI.replace('60000', '66000'), null],
    ['of another kind', '529 overloaded', null],
  ])('is read from the message %s', (_of, errorMessage, expected) => {
    expect(readOutputReserve({ stopReason: 'error', errorMessage })).toEqual(expected);
    expect(readOutputReserve({ stopReason: 'stop', errorMessage })).toBeNull();
  });

  it('is a finding, and the reason that ctx status gives', async () => {
    const failed = { content: [], stopReason: 'error', errorMessage: OF_OPENAI };
    const log = new Log('s').user('u1', 'Count.').assistant('a1', '1').user('u2', 'On.').assistant('a2', '', failed);
    const files = { 's.jsonl': log.text() };
    const checked = await ctx(['check', 's.jsonl', '--rules', 'output-reserve'], { files });
    expect(unwrapped(checked.stdout)).toContain('60,000 tokens of the prompt and 10,000 reserved for the answer');
    expect(unwrapped(checked.stdout)).toContain('55,536 tokens');
    const { stdout } = await ctx(['status', 's.jsonl', '--limit', '200k'], { files });
    expect(unwrapped(stdout)).toContain('60,000 tokens and 10,000 reserved for the answer exceed 65,536');
    expect(unwrapped(stdout)).not.toContain('too long');
  });
});

it('an answer that was cut off is no request that was too long', async () => {
  const usage = { input: 900, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 900, cost: { total: 0 } };
  const log = new Log('s').user('u1', 'Count.').assistant('a1', '', { content: [], stopReason: 'length', usage });
  const { stdout } = await ctx(['status', 's.jsonl', '--at', 'a1', '--limit', '200k'], {
    files: { 's.jsonl': log.text() },
  });
  expect(unwrapped(stdout)).toContain('the last answer was cut off, for lack of room');
  expect(unwrapped(stdout)).not.toContain('too long');
});

it('ctx compact takes --limit as ctx prune does, and says what stays of it', async () => {
  const log = new Log('s').user('u1', 'a'.repeat(4000)).assistant('a1', 'b').user('u2', 'c').assistant('a2', 'd');
  const run = async (limit: string): Promise<string> => {
    const argv = ['compact', 's.jsonl', '--keep-recent', '2', '--limit', limit, '--dry-run'];
    const { exitCode, stdout, stderr } = await ctx(argv, { files: { 's.jsonl': log.text() } });
    expect([exitCode, stderr]).toEqual([0, '']);
    return stdout;
  };
  expect(await run('50k')).toMatch(/the context has ~\d+ of 50,000 tokens after it/);
  expect(await run('5')).toMatch(/the context still exceeds the limit: ~\d+ of 5 tokens/);
});
