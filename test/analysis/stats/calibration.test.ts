import { describe, expect, it } from 'vitest';
import {
  buildCalibration,
  isClaudeAnswer,
  measureCalibrationFactor,
  readRecordedPrompt,
} from '#analysis/stats/calibration.js';
import { findQuantile, sortAscending } from '#analysis/stats/quantiles.js';
import { Log } from '../../fixtures/log.js';
import { counted, usage } from '../../support/counted.js';

describe('a quantile', () => {
  it('is the value of the nearest rank', () => {
    const values = sortAscending([5, 1, 4, 2, 3]);
    expect([0.5, 0.95, 1, 0].map((share) => findQuantile(values, share))).toEqual([3, 5, 5, 1]);
    expect(findQuantile([], 0.5)).toBeNull();
  });
});

describe('the calibration', () => {
  it('is the ratio of recorded to estimated tokens, and the error of the estimate', () => {
    const samples = [
      { recorded: 100, estimated: 100 },
      { recorded: 150, estimated: 100 },
      { recorded: 400, estimated: 200 },
    ];
    expect(buildCalibration(samples)).toEqual({
      requests: 3,
      recordedPerEstimated: { median: 1.5, p10: 1, p90: 2 },
      medianError: 1 / 3,
    });
  });

  it('leaves out requests with nothing to compare', () => {
    expect(buildCalibration([{ recorded: 10, estimated: 0 }])).toBeNull();
    expect(buildCalibration([{ recorded: 0, estimated: 10 }])).toBeNull();
    expect(buildCalibration([])).toBeNull();
  });

  it('takes only what prompts grew by, where the prompt and tools are not known', () => {
    const hidden = 5000;
    const samples = [10, 110, 50, 250].map((estimated) => ({ estimated, recorded: hidden + estimated * 1.25 }));
    expect(measureCalibrationFactor(samples, false)).toBeCloseTo(1.25);
    expect(measureCalibrationFactor(samples, true)).toBeGreaterThan(20);
    expect(measureCalibrationFactor(samples.slice(0, 1), false)).toBeNull();
  });

  it.each([
    ['grew alike', [10, 10, 20, 30], 2],
    ['stayed as they were in one of them', [10, 10, 10, 30, 20, 30, 30, 50], 2],
    ['shrank in one of them', [10, 100, 20, 50, 15, 200, 25, 260], 6],
    ['did not grow', [10, 10, 10, 20, 20, 20, 15, 10], null],
  ])('takes no step in which prompts did not grow: %s', (_, numbers, factor) => {
    const pairs = Array.from({ length: numbers.length / 2 }, (__, at) => ({
      estimated: numbers[2 * at]!,
      recorded: numbers[2 * at + 1]!,
    }));
    expect(measureCalibrationFactor(pairs, false)).toBe(factor);
  });
});

describe('a request', () => {
  const answer = (fields: object) => ({ role: 'assistant', content: [], usage: usage(5, 9, 3, 2), ...fields });

  it.each([
    ['has the tokens of its prompt, cached or not', {}, 10],
    ['has none where the provider counted no prompt', { usage: usage(0, 9, 0, 0) }, null],
    ['has none where nothing was counted', { usage: usage(0, 0, 0, 0) }, null],
    ['has none without usage', { usage: undefined }, null],
    ['has none where the answer failed', { stopReason: 'error' }, null],
    ['has none where somebody stopped it', { stopReason: 'aborted' }, null],
    ['is one of an assistant', { role: 'user' }, null],
  ])('%s', (_, fields, tokens) => {
    expect(readRecordedPrompt(answer(fields))).toBe(tokens);
  });

  it.each([
    [{ provider: 'anthropic', model: 'x' }, true],
    [{ provider: 'bedrock', model: 'us.Claude-4' }, true],
    [{ provider: 'openai', model: 'gpt-5' }, false],
    [{ provider: 'openai', model: 7 }, false],
    [{}, false],
  ])('is to Claude, or not: %j', (message, expected) => {
    expect(isClaudeAnswer(message)).toBe(expected);
  });

  it('is estimated with the prompt and the tools that it was sent with, and all before it', async () => {
    const system = (id: string, content: string, toolsAdded: readonly object[]) =>
      [id, { role: 'system', content, toolsAdded }] as const;
    const log = new Log('requests')
      .message(...system('s1', 'x'.repeat(40), []))
      .user('u1', 'x'.repeat(20))
      .assistant('a1', 'x'.repeat(80), { usage: usage(1, 0, 0, 0) })
      .message(...system('s2', 'x'.repeat(60), [{ name: 'read' }]))
      .user('u2', 'x'.repeat(20))
      .assistant('a2', 'x', { usage: usage(2, 0, 0, 0), stopReason: 'error' })
      .assistant('a3', 'x', { usage: usage(3, 0, 0, 0) })
      .assistant('a4', 'x', { usage: usage(4, 0, 0, 0) })
      .edit('e1', 'u1', null)
      .assistant('a5', 'x', { usage: usage(5, 0, 0, 0) });
    expect((await counted(log.text())).samples).toEqual([
      { recorded: 1, estimated: 15 },
      { recorded: 3, estimated: 26 + 5 + 5 + 5 + 20 + 1 },
      { recorded: 4, estimated: 26 + 5 + 5 + 5 + 20 + 2 },
      { recorded: 5, estimated: 26 + 5 + 5 + 20 + 3 },
    ]);
  });
});
