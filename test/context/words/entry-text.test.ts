import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeEntry, EntryPreviews, nameEntry } from '#context/words/entry-text.js';
import { toEntry } from '#session/entry.js';
import { anyCharacter } from '../../support/any-character.js';
import { type Entry, entry, opened, sessionOf } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';

function message(fields: Entry): Entry {
  return entry('message', 'm', null, { message: fields });
}

describe('the preview of an entry', () => {
  it.each<[string, Entry, string]>([
    ['a user message', message({ role: 'user', content: 'Why?' }), 'Why?'],
    [
      'tool calls',
      message({ role: 'assistant', content: [{ type: 'toolCall', name: 'bash', arguments: { command: 'ls' } }] }),
      'bash ls',
    ],
    [
      'an answer after thinking, which is set apart',
      message({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'thinking', thinking: 'So.' },
          { type: 'text', text: 'It rains.' },
          { type: 'toolCall', name: 'bash', arguments: { command: 'date' } },
          { type: 'thinking', thinking: 'And?' },
        ],
      }),
      '[thinking] · It rains. bash date · [thinking]',
    ],
    ['a block without a type', message({ role: 'user', content: [{}, { type: 7 }] }), '[block without a type] [7]'],
    ['an answer that was stopped', message({ role: 'assistant', content: [], stopReason: 'aborted' }), '(aborted)'],
    [
      'an answer that was stopped after some text',
      message({ role: 'assistant', content: 'So', stopReason: 'aborted', errorMessage: 'Stopped.' }),
      '(aborted) So',
    ],
    [
      'in a failed answer',
      message({ role: 'assistant', content: [], stopReason: 'error', errorMessage: 'Overloaded' }),
      '(error: Overloaded)',
    ],
    [
      'an answer that failed without a reason',
      message({ role: 'assistant', content: 'So', stopReason: 'error' }),
      '(error) So',
    ],
    ['an answer that was too long', message({ role: 'assistant', content: 'So', stopReason: 'length' }), 'So'],
    ['a long text', message({ role: 'user', content: 'x'.repeat(241) }), `${'x'.repeat(239)}…`],
    ['a text that just fits', message({ role: 'user', content: `${'x'.repeat(240)}\n` }), 'x'.repeat(240)],
    [
      'two long texts',
      message({ role: 'user', content: [1, 2].map(() => ({ type: 'text', text: 'x'.repeat(240) })) }),
      `${'x'.repeat(239)}…`,
    ],
    ['a long summary', entry('branch_summary', 'b', null, { summary: 'x'.repeat(500) }), `${'x'.repeat(239)}…`],
    ['a tool result', message({ role: 'toolResult', toolName: 'bash', isError: true, content: [] }), 'bash: failed:'],
    [
      'a system message',
      message({
        role: 'system',
        content: '',
        sections: { rules: 'Be brief.', cwd: null },
        toolsAdded: [{ name: 'read' }],
        toolsRemoved: [{ name: 'a' }, { name: 'b' }],
      }),
      'rules, no cwd, +1 tool, −2 tools',
    ],
    ['the text of a system message', message({ role: 'system', content: 'Be brief.' }), 'Be brief.'],
    [
      'a shell command',
      message({ role: 'bashExecution', command: 'false', output: 'no', exitCode: 1, excludeFromContext: true }),
      '$ false (exit 1) (not sent) → no',
    ],
    [
      'a shell command that was stopped',
      message({ role: 'bashExecution', command: 'sleep', cancelled: true }),
      '$ sleep (cancelled)',
    ],
    ['a custom message', entry('custom_message', 'm', null, { customType: 'note', content: 'Look.' }), 'note: Look.'],
    ['a stored summary', message({ role: 'compactionSummary', summary: 'It was long.' }), 'It was long.'],
    ['an unknown role', message({ role: 'mystery', clue: 1, content: '' }), 'clue, content'],
    ['an unknown role with text', message({ role: 'mystery', content: 'Hello?' }), 'Hello?'],
    ['a message that is none', entry('message', 'm', null, { message: 7 }), 'message'],
    [
      'a compaction',
      entry('compaction', 'k', null, { summary: 'All is well.', firstKeptEntryId: 'u1' }),
      'keeps from u1: All is well.',
    ],
    [
      'a compaction that keeps nothing',
      entry('compaction', 'k', null, { summary: 'All is well.', firstKeptEntryId: 'k' }),
      'keeps no messages: All is well.',
    ],
    [
      'the summary of a branch',
      entry('branch_summary', 'b', null, {
        summary:
          'The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\nNothing.',
      }),
      'Nothing.',
    ],
    [
      'an empty summary of a branch',
      entry('branch_summary', 'b', null, { summary: '', fromId: 'a1' }),
      'empty, of the branch that ended at a1',
    ],
    ['a label', entry('label', 'l', null, { targetId: 'u1', label: 'here' }), '"here" at u1'],
    ['a label that clears', entry('label', 'l', null, { targetId: 'u1' }), 'clears the label of u1'],
    [
      'a model',
      entry('model_change', 'c', null, { provider: 'local', modelId: 'some/model:7b' }),
      'local/some/model:7b',
    ],
    ['a thinking level', entry('thinking_level_change', 'c', null, { thinkingLevel: 'high' }), 'high'],
    ['a name', entry('session_info', 'i', null, { name: 'Clocks' }), 'Clocks'],
    ['a name that clears', entry('session_info', 'i', null, { name: '' }), 'clears the name of the session'],
    ['an omission', entry('context_edit', 'e', null, { targetId: 'u1', replacement: null }), 'omits u1'],
    [
      'a replacement',
      entry('context_edit', 'e', null, { targetId: 'u1', replacement: { content: 'Short.' } }),
      'replaces the content of u1: Short.',
    ],
    [
      'a transform',
      entry('context_transform', 't', null, {
        transformerName: 'gate',
        patch: [
          { op: 'tools_remove', invalidateCacheReason: 'no shell' },
          { op: 'options_set', invalidateCacheReason: 'no shell' },
        ],
      }),
      'gate: tools_remove, options_set (no shell)',
    ],
    [
      'a transform with a title',
      entry('context_transform', 't', null, { transformerName: 'gate', patch: 7, display: { title: 'No shell' } }),
      'gate: No shell',
    ],
    [
      'a message for one request',
      entry('ephemeral', 'x', null, { messages: [{ role: 'user' }] }),
      '1 message for one request',
    ],
    ['state', entry('custom', 's', null, { customType: 'my.state', data: {} }), 'my.state'],
    [
      'a call beside the context',
      entry('usage', 'u', null, { kind: 'cache_warm', usage: { input: 1000, cacheRead: 250 } }),
      'cache_warm: 1.3k tokens',
    ],
    ['an unknown type', entry('future', 'f', null, { colour: 'red', shape: {} }), 'colour, shape'],
    ['nothing', {}, ''],
  ])('says what %s holds', (_name, stored, text) => {
    expect(describeEntry(stored)).toBe(text);
  });

  it('fits, whatever is stored', () => {
    const anyEntry = fc.record({
      type: fc.constantFrom(
        'message',
        'compaction',
        'label',
        'context_edit',
        'context_transform',
        'ephemeral',
        'usage',
        'x',
      ),
      message: fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom('role', 'content', 'command'), fc.jsonValue())),
      summary: fc.oneof(fc.jsonValue(), fc.string({ unit: anyCharacter, minLength: 230, maxLength: 260 })),
      label: fc.jsonValue(),
      targetId: fc.jsonValue(),
      firstKeptEntryId: fc.jsonValue(),
      replacement: fc.jsonValue(),
      patch: fc.jsonValue(),
      display: fc.jsonValue(),
      usage: fc.jsonValue(),
    });
    fc.assert(
      fc.property(anyEntry, (stored) => {
        const text = describeEntry(toEntry(stored));
        expect(text.length).toBeLessThanOrEqual(240);
        expect(text).toBe(text.trim());
        expect(text).not.toMatch(/[\ud800-\udbff]$/);
      }),
    );
  });

  it('has words for every entry of a generated session', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const session = sessionOf(...generateSession({ seed, transforms: 0.2, odd: 0.5 }).split('\n').slice(1));
      for (const head of session.tree.heads) {
        expect(nameEntry(head, session)).not.toBe('');
        expect(describeEntry(session.entry(head))).not.toMatch(/\bundefined\b|\bNaN\b|\[object/);
      }
    }
  });
});

describe('the name of an entry', () => {
  it.each<[Entry | string, string]>([
    [message({ role: 'assistant', content: [] }), 'assistant'],
    [message({ content: [] }), 'message'],
    [entry('compaction', 'k', null), 'compaction'],
    ['{"id":"x"}', 'unknown'],
  ])('of %j is %s', (stored, name) => {
    const session = sessionOf(stored);
    expect([...session.tree.heads].map((head) => nameEntry(head, session))).toEqual([name]);
  });

  it.each([
    ['claude-code/session.jsonl', ['prompt']],
    ['codex/rollout.jsonl', ['prompt', 'compaction']],
    ['gemini-cli/session.jsonl', ['compaction']],
    ['opencode/export.json', ['compaction']],
  ])('is no word of Pi for what another agent changes: %s', async (file, names) => {
    const session = await opened(readFileSync(`${projectFolder}/fixtures/agents/${file}`, 'utf8'));
    const changes = [...session.tree.heads].filter(({ type }) => type === 'context_transform');
    expect(changes.map((head) => nameEntry(head, session))).toEqual(names);
    const previews = new EntryPreviews(session);
    for (const head of changes) expect(previews.preview(head)).not.toMatch(/_(?:replace|set|remove)/);
  });
});
