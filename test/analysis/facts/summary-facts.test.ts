import { describe, expect, it } from 'vitest';
import type { Fact } from '#analysis/facts/fact.js';
import { readSummaryFacts } from '#analysis/facts/summary-facts.js';

const describeAll = (facts: readonly Fact[]): readonly string[] =>
  facts.map(({ kind, state, text }) => `${kind} ${state}: ${text}`);

describe('what a summary says', () => {
  const SUMMARY = [
    'Before.',
    '## Goal',
    '- Be fast.',
    '- Be small;',
    '## Constraints',
    '- Never touch a.ts.',
    '- Files:',
    '- …',
    '## Progress',
    '### Done',
    '- [x] Read',
    '- [ ] Looked',
    '### In Progress',
    '- [X] Write',
    '- [ ] Test',
    '### Blocked',
    '- [x] No network',
    '## Key Decisions',
    '- One file',
    '## Next Steps',
    '1. [x] Run',
    '2. Ship',
    '## Critical Context',
    '- It rains',
  ].join('\n');
  const rest = [
    'constraint open: Never touch a.ts.',
    'task done: Read',
    'task done: Looked',
    'task done: Write',
    'task open: Test',
    'blocker open: No network',
    'decision open: One file',
    'task done: Run',
    'task open: Ship',
  ];

  it('is a fact for each line of a section, but one goal', () => {
    expect(describeAll(readSummaryFacts('compaction', SUMMARY))).toEqual(['goal open: Be fast; Be small', ...rest]);
    expect(describeAll(readSummaryFacts('compaction', '## Goal\n(none)\n'))).toEqual([]);
    const long = readSummaryFacts('compaction', `## Goal\n- ${'x'.repeat(250)}\n- ${'y'.repeat(250)}`);
    expect(long.map(({ text }) => text)).toEqual([`${'x'.repeat(250)}; ${'y'.repeat(146)} …`]);
  });

  it('is the same for a branch, but no goal', () => {
    expect(describeAll(readSummaryFacts('branch', SUMMARY))).toEqual(rest);
  });
});
