import { describe, expect, it } from 'vitest';
import * as prompts from '#change/compact/summarizers/prompts.js';
import { buildPrompts, joinSummary } from '#change/compact/summarizers/prompts.js';
import { taskOf } from '../../../support/summary-world.js';

describe('what a model is asked', () => {
  it('is the conversation between tags, then what to do with it', () => {
    const { history, prefix } = buildPrompts(taskOf());
    expect(history).toBe(
      `<conversation>\n[User]: Fix the parser. Never touch src/legacy.js.\n\n[Assistant]: Fixed.\n</conversation>\n\n${prompts.SUMMARY_PROMPT}`,
    );
    expect(prefix).toBeNull();
  });

  it('brings the summary before up to date, with the focus of the user', () => {
    const { history } = buildPrompts(taskOf({ previousSummary: 'Before.', instructions: 'the tests' }));
    expect(history).toContain('</conversation>\n\n<previous-summary>\nBefore.\n</previous-summary>\n\n');
    expect(history?.endsWith(`${prompts.UPDATE_PROMPT}\n\nAdditional focus: the tests`)).toBe(true);
  });

  it('is only the beginning of a turn where nothing stands before it', () => {
    const task = taskOf({ messages: [], turnPrefix: taskOf().messages });
    const { history, prefix } = buildPrompts(task);
    expect(history).toBeNull();
    expect(prefix).toMatch(/^# Conversation\n\[User\]: Fix[\s\S]*\n\n# Instructions\nThe messages above are earlier/);
    expect(joinSummary(task, { history, prefix: 'Begun.' })).toBe(
      'No prior history.\n\n---\n\n**Turn Context (split turn):**\n\nBegun.',
    );
  });
});
