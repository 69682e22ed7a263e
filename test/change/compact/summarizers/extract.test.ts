import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInstructions } from '#analysis/facts/instructions.js';
import { normalizeText, readMessageText } from '#analysis/facts/text.js';
import { extractSummary } from '#change/compact/summarizers/extract.js';
import { summarizers } from '#change/compact/summarizers/index.js';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import { Log } from '../../../fixtures/log.js';
import { opened } from '../../../support/entries.js';
import { NO_SAMPLES, orNoSamples, triedRecordings } from '../../../support/files.js';
import { generateSession } from '../../../support/generate.js';
import { runs } from '../../../support/runs.js';
import { taskOf } from '../../../support/summary-world.js';

async function messagesOf(text: string): Promise<readonly LlmMessage[]> {
  const session = await opened(text);
  return envelopeAt(session, 'HEAD', { lenient: true }).messages.cached;
}

const TALK = new Log('talk')
  .user('u1', 'Make the forecast print UTC. Never touch src/legacy.js. Which file is it?\n\n```\nDo not quote me.\n```')
  .tool('t1', 'read', { path: 'src/forecast.js' }, 'code')
  .tool('t2', 'edit', { path: 'src/forecast.js' }, 'ok')
  .assistant(
    'a1',
    'The forecast uses Date.UTC now. We go with Date.UTC instead of a library because the bundle must stay small.',
  )
  .user('u2', 'No, day 32 must roll over. Please run the tests.')
  .assistant('a2', '', {
    content: [{ type: 'toolCall', id: 'c3', name: 'bash', arguments: { command: 'npm test' } }],
    stopReason: 'toolUse',
  })
  .message('a2r', {
    role: 'toolResult',
    toolCallId: 'c3',
    toolName: 'bash',
    content: [{ type: 'text', text: 'TypeError: x is not a function\n\nCommand exited with code 1' }],
    isError: true,
  })
  .tool('t4', 'edit', { path: 'src/roll.js' }, 'ok')
  .tool('t5', 'bash', { command: 'npm test' }, '64 passed')
  .tool(
    't6',
    'todo',
    {
      todos: [
        { content: 'write the changelog', status: 'pending' },
        { content: 'roll over', status: 'completed' },
      ],
    },
    'ok',
  )
  .assistant('a3', 'All 64 tests pass.');

describe('extract', () => {
  it('is the default', () => expect(summarizers[0]?.name).toBe('extract'));

  it('says under Pi’s headings what was wanted, done, decided and what failed', async () => {
    const messages = await messagesOf(TALK.text());
    const files = { read: ['README.md'], modified: ['src/forecast.js', 'src/roll.js'] };
    expect(extractSummary(taskOf({ messages, files }))).toBe(`## Goal
- Make the forecast print UTC.

## Constraints & Preferences
- Never touch src/legacy.js.
- No, day 32 must roll over.

## Progress
### Done
- Asked: Please run the tests.
- [x] roll over
- [x] Reported: The forecast uses Date.UTC now.
- [x] Reported: All 64 tests pass.
- [x] Ran \`npm test\`

### In Progress
- (none)

### Blocked
- (none)

## Key Decisions
- We go with Date.UTC instead of a library because the bundle must stay small.

## Next Steps
1. write the changelog

## Critical Context
- \`npm test\` failed: TypeError: x is not a function; succeeded after changes of src/roll.js

<read-files>
README.md
</read-files>

<modified-files>
src/forecast.js
src/roll.js
</modified-files>`);
  });

  it('updates a summary: work in progress becomes done, and repeated facts are listed once', async () => {
    const previousSummary =
      '## Goal\nShip it.\n\n## Constraints & Preferences\n- **Never** touch src/legacy.js.\n- Be brief.\n\n## Progress\n### In Progress\n- [ ] Find the bug\n\n### Blocked\n- `npm test` failed: E\n\n## Next Steps\n1. Look around\n\n## Lore\nIt rains.\n\n<modified-files>\nold.js\n</modified-files>';
    const messages = await messagesOf(TALK.text());
    const text = extractSummary(taskOf({ messages, previousSummary }));
    expect(text).toContain(
      '## Goal\n- Ship it.\n\n## Constraints & Preferences\n- **Never** touch src/legacy.js.\n- Be brief.\n- No, day 32',
    );
    expect(text).toContain('### Done\n- [x] Find the bug\n- Asked:');
    expect(text).toContain('## Next Steps\n1. write the changelog');
    expect(text).toContain('## Critical Context\n- `npm test` failed: E; succeeded later\n- It rains.');
    expect(text).not.toContain('old.js');
    expect(text.match(/src\/legacy/g)).toHaveLength(1);
  });

  it('puts the beginning of a turn behind the history, as Pi does', async () => {
    const turnPrefix = await messagesOf(
      new Log('prefix').user('u1', 'Rename all of it.').tool('t1', 'bash', { command: 'npm run build' }, 'ok').text(),
    );
    const task = taskOf({ messages: [], turnPrefix, files: { read: [], modified: ['a.ts'] } });
    expect(extractSummary(task)).toBe(
      'No prior history.\n\n---\n\n**Turn Context (split turn):**\n\n## Original Request\n- Rename all of it.\n\n## Progress So Far\n- Ran `npm run build`\n\n## Context Needed to Continue\n- (none)\n\n<modified-files>\na.ts\n</modified-files>',
    );
    expect(extractSummary({ ...task, previousSummary: 'Before.\n\n<read-files>\nb\n</read-files>' })).toMatch(
      /^Before\.\n\n---/,
    );
  });

  it('drops the least first: commands and reports go, rules and modified files stay', async () => {
    const messages = await messagesOf(TALK.text());
    const files = { read: ['README.md'], modified: ['src/forecast.js', 'src/roll.js'] };
    const text = extractSummary(taskOf({ messages, files, maxTokens: 110 }));
    expect(text.length).toBeLessThanOrEqual(440);
    for (const kept of ['Never touch', 'No, day 32', 'write the changelog', 'src/roll.js', 'src/forecast.js'])
      expect(text).toContain(kept);
    for (const dropped of ['Ran `npm test`', 'TypeError', 'We go with']) expect(text).not.toContain(dropped);
  });

  it('keeps longer what the instructions name', async () => {
    const messages = await messagesOf(TALK.text());
    const small = { messages, maxTokens: 90 };
    expect(extractSummary(taskOf({ ...small }))).not.toContain('TypeError');
    expect(extractSummary(taskOf({ ...small, instructions: 'the TypeError' }))).toContain('TypeError');
  });
});

describe('extract, of any session', () => {
  const seeds = fc.record({
    seed: fc.nat(1_000_000),
    entries: fc.integer({ min: 1, max: 80 }),
    maxTokens: fc.integer({ min: 1, max: 3000 }),
  });
  const paths = fc.array(fc.stringMatching(/^[a-z]{1,8}\/[a-z]{1,8}\.ts$/), { maxLength: 30 });

  it('keeps within its bound, and gives the same for the same', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, paths, paths, async ({ seed, entries, maxTokens }, read, modified) => {
        const messages = await messagesOf(generateSession({ seed, entries }));
        const half = Math.floor(messages.length / 2);
        const task = taskOf({
          messages: messages.slice(0, half),
          turnPrefix: messages.slice(half),
          files: { read, modified },
          maxTokens,
        });
        const before = JSON.stringify(task);
        const text = extractSummary(task);
        expect(text.length).toBeLessThanOrEqual(maxTokens * 4);
        expect(extractSummary(JSON.parse(before) as typeof task)).toBe(text);
        expect(JSON.stringify(task)).toBe(before);
      }),
      { numRuns: runs(200) },
    );
  });

  it('quotes every sentence of instruction and names every modified file where there is room', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), paths, async (seed, modified) => {
        const messages = await messagesOf(generateSession({ seed, entries: 60, edits: 0 }));
        const text = extractSummary(taskOf({ messages, files: { read: [], modified }, maxTokens: 1_000_000 }));
        expectAllSaid(messages, text);
        for (const file of modified) expect(text.split('\n')).toContain(file);
      }),
      { numRuns: runs(100) },
    );
  });

  it('leaves a summary unchanged without new messages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), async (seed) => {
        const messages = await messagesOf(generateSession({ seed, entries: 60 }));
        const text = extractSummary(taskOf({ messages, maxTokens: 1_000_000 }));
        expect(extractSummary(taskOf({ messages: [], previousSummary: text, maxTokens: 1_000_000 }))).toBe(text);
      }),
      { numRuns: runs(100) },
    );
  });

  it.for(orNoSamples(triedRecordings))('holds for %s', async (file, { skip }) => {
    skip(file === NO_SAMPLES, NO_SAMPLES);
    const messages = envelopeAt(await openSession(file), 'HEAD', { lenient: true }).messages.cached;
    expectAllSaid(messages, extractSummary(taskOf({ messages, maxTokens: 1_000_000 })));
    expect(extractSummary(taskOf({ messages, maxTokens: 700 })).length).toBeLessThanOrEqual(2800);
  });

  function expectAllSaid(messages: readonly LlmMessage[], text: string): void {
    const said = normalizeText(text);
    for (const message of messages) {
      const own = message.role === 'user' ? readMessageText(message) : '';
      if (/^(?:Ran `|The (?:conversation history|following is a summary))/.test(own)) continue;
      for (const { text: wanted } of findInstructions(own))
        if (wanted.length < 1000) expect(said).toContain(normalizeText(wanted));
    }
  }
});
