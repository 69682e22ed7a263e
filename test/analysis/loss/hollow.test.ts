import { describe, expect, it } from 'vitest';
import { findHollow } from '#analysis/loss/hollow.js';

describe('a summary that says nothing', () => {
  it.each([
    ['', 'empty'],
    [' \n---\n', 'empty'],
    ['## Goal\n(none)\n\n## Constraints & Preferences\n- (none)', 'empty'],
    ['\n\n<read-files>\nsrc/a.ts\n</read-files>', 'empty'],
    ['Summary unavailable', 'placeholder'],
    ['[summary unavailable due to an error of the provider]', 'placeholder'],
    ['[elided]', 'placeholder'],
    ['Earlier conversation elided.', 'placeholder'],
    ['(older messages omitted)', 'placeholder'],
    ['No goal established: the conversation is empty', 'placeholder'],
    ['No prior history.', 'placeholder'],
    ['Conversation compacted', 'placeholder'],
    ['Summary could not be generated.', 'placeholder'],
    ['I cannot summarise this conversation.', 'placeholder'],
    ['Nothing to summarize', 'placeholder'],
    ['...', 'empty'],
  ])('%j is %s', (summary, hollow) => {
    expect(findHollow(summary, null)).toBe(hollow);
  });

  it.each([
    'Use tabs.',
    '## Goal\nMend the tax.',
    'The summary page of the shop must be empty until the user signs in; src/summary.ts renders it.',
    'No decision so far. The user wants dates in UTC.',
    'Dates are in UTC.',
    `No history is kept of prices: ${'the table has only the newest. '.repeat(10)}`,
    '[encrypted compaction, 120 characters]',
  ])('is none of these: %j', (summary) => {
    expect(findHollow(summary, null)).toBe(null);
  });

  it('repeats the one before', () => {
    expect(findHollow('Use tabs. ', 'Use  tabs.')).toBe('repeated');
    expect(findHollow('Use tabs. Docs.', 'Use tabs.')).toBe(null);
    expect(findHollow('', '')).toBe('empty');
  });
});
