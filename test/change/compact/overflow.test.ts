import { describe, expect, it } from 'vitest';
import { isContextOverflow, isCutShort } from '#change/compact/triggers.js';

function says(errorMessage: unknown, fields: object = {}): boolean {
  return isContextOverflow({ role: 'assistant', stopReason: 'error', errorMessage, ...fields }, null);
}

describe('a provider says that a request was too long', () => {
  it.each([
    'prompt is too long: 213462 tokens > 200000 maximum',
    'Prompt too long',
    'Prompt exceeds max length',
    '413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    'Input is too long for requested model.',
    'Your input exceeds the context window of this model',
    "The request exceeds the model's maximum context length of 131,072 tokens",
    'It exceeds models maximum context length of 8 token',
    'It exceeds maximum context length (32768)',
    'It exceeds the maximum context length  (32,768)',
    'Context window exceeded',
    'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    'Please reduce the length of the messages or completion',
    "This endpoint's maximum context length is 32768 tokens. However, you requested 40000",
    'Input length 300 exceeds the maximum allowed input length of 262,144 tokens',
    'It exceeds maximum allowed input length of 1 token',
    "The input (265330 tokens) is longer than the model's context length (262144 tokens).",
    'The input (265330 tokens) is longer than the models context length (262144 tokens).',
    'prompt token count of 140000 exceeds the limit of 128000',
    'the request exceeds the available context size, try increasing it',
    'tokens to keep from the initial prompt is greater than the context length',
    'invalid params, context window exceeds limit',
    'Your request exceeded model token limit: 131072',
    'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
    'The prompt has 35,123 tokens, but the configured context size is 32,768 tokens',
    'The prompt has 1 token, but the configured context size is 1 token',
    'model_context_window_exceeded',
    'prompt too long; exceeded max context length by 5 tokens',
    'prompt too long; exceeded context length by 5 tokens',
    '<400> InternalError: Range of input length should be [1, 98304]',
    'context_length_exceeded',
    'context length exceeded',
    'Too many tokens',
    'Token limit exceeded',
    '413',
    '413: nothing',
    '413 nothing',
    'Open-Ai 2 API error (413): nothing',
  ])('%s', (message) => {
    expect(says(message)).toBe(true);
    expect(says(message.toUpperCase())).toBe(true);
  });

  it.each([
    '',
    null,
    'overloaded',
    'prompt is very long',
    'input token count (5) is fine',
    'the maximum context length is large',
    'the maximum prompt length is not known',
    'exceeds the maximum context length of your contract',
    'exceeds the limit of your contract',
    'exceeds the maximum allowed input length of many tokens',
    'The input (many tokens) is longer than others',
    'too large for model with no maximum context length',
    'prompt has some tokens, but the configured context size is another',
    'context-length-exceeded',
    '4130',
    'error 413: nothing',
    'Open!Ai API error (413): nothing',
    'API error (413)',
    'Throttling error: too many tokens',
    'Service unavailable: too many tokens',
    'Rate limit reached: token limit exceeded',
    'Too many requests: too many tokens',
  ])('not by: %s', (message) => {
    expect(says(message)).toBe(false);
  });

  it('also where it says of something else later on', () => {
    expect(says('too many tokens (Throttling error: no)')).toBe(true);
    expect(says('too many tokens (rate limit: no)')).toBe(false);
  });

  it.each([
    ['400 (no body)', true],
    ['413 (no body)', true],
    ['400 status code (no body)', true],
    ['413status code(no body)', true],
    ['400  status code  (NO BODY)', true],
    ['404 status code (no body)', false],
    ['error 400 (no body)', false],
    ['400 with a body', false],
  ])('without words at one provider: %s', (message, isOverflow) => {
    expect(says(message, { provider: 'cerebras' })).toBe(isOverflow);
    expect(says('overloaded', { provider: 'cerebras' })).toBe(false);
  });
});

describe('an answer shows that its request was too long', () => {
  const answer = (stopReason: string, usage: unknown) => ({ role: 'assistant', stopReason, usage });
  it.each<readonly [stopReason: string, usage: unknown, contextWindow: number | null, isOverflow: boolean]>([
    ['stop', { input: 60, cacheRead: 41 }, 100, true],
    ['stop', { input: 60, cacheRead: 40 }, 100, false],
    ['stop', { input: 60, cacheRead: 41 }, 0, false],
    ['stop', { input: 60, cacheRead: 41 }, null, false],
    ['stop', null, 100, false],
    ['stop', 101, 100, false],
    ['toolUse', { input: 101, cacheRead: 0 }, 100, false],
    ['toolUse', { input: 101, cacheRead: 0, output: 0 }, 100, false],
    ['aborted', { input: 101, cacheRead: 0, output: 0 }, 100, false],
    ['length', { input: 90, cacheRead: 9, output: 0 }, 100, true],
    ['length', { input: 90, cacheRead: 8, output: 0 }, 100, false],
    ['length', { input: 90, cacheRead: 9, output: 1 }, 100, false],
    ['length', { input: 90, cacheRead: 9 }, 100, false],
    // What is said counts, whatever was billed.
    ['error', { input: 200, cacheRead: 0, output: 0 }, 100, false],
  ])('%s, %j of %s: %s', (stopReason, usage, contextWindow, isOverflow) => {
    expect(isContextOverflow(answer(stopReason, usage), contextWindow)).toBe(isOverflow);
  });

  it.each<readonly [stopReason: string, usage: unknown, maxOutput: number | null, isShort: boolean | null]>([
    ['length', { output: 9 }, 10, true],
    ['length', { output: 10 }, 10, false],
    ['length', { output: 0 }, 0, false],
    ['length', { output: 0 }, null, true],
    ['length', { output: 1 }, null, null],
    ['length', null, 10, false],
    ['stop', { output: 0 }, null, false],
  ])('where it was cut short: %s, %j of %s: %s', (stopReason, usage, maxOutput, isShort) => {
    expect(isCutShort(answer(stopReason, usage), maxOutput)).toBe(isShort);
  });
});
