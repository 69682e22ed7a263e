import { describe, expect, it } from 'vitest';
import { countSession } from '#analysis/stats/count-session.js';
import type { SessionStats } from '#analysis/stats/session-stats.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { Log } from '../../fixtures/log.js';
import { counted, usage } from '../../support/counted.js';
import { opened } from '../../support/entries.js';

const APPLY = {
  op: 'compaction_apply',
  scope: 'cached',
  invalidateCacheReason: 'c',
  summary: 'Short.',
  timestamp: 0,
  firstKeptMessageIndex: 1,
};

/** What is not nothing. */
async function contextOf(log: Log): Promise<Readonly<Record<string, number>>> {
  const { context } = await counted(log.text());
  return estimatedIn(context);
}

function estimatedIn({ composition }: SessionStats['context']): Readonly<Record<string, number>> {
  return Object.fromEntries(composition.categories.map(({ category, tokensEstimated }) => [category, tokensEstimated]));
}

describe('what the model would be shown at the leaf', () => {
  it.each([
    ['a user', new Log('c').user('u', 'four'), { user: 1 }],
    ['an assistant', new Log('c').assistant('a', 'four'), { assistant: 1 }],
    ['a shell command', new Log('c').message('b', { role: 'bashExecution', command: 'ls', output: '' }), { shell: 5 }],
    [
      'a message of an extension',
      new Log('c').entry('m', 'custom_message', { customType: 'x', content: 'four' }),
      { custom: 1 },
    ],
    ['the same as a message', new Log('c').message('m', { role: 'custom', content: 'four' }), { custom: 1 }],
    ['a branch', new Log('c').entry('b', 'branch_summary', { summary: 'four' }), { summaries: 26 }],
    ['the same as a message', new Log('c').message('b', { role: 'branchSummary', summary: 'four' }), { summaries: 26 }],
    [
      'a summary as a message',
      new Log('c').message('b', { role: 'compactionSummary', summary: 'four' }),
      { summaries: 28 },
    ],
    ['a result', new Log('c').message('r', { role: 'toolResult', content: 'four' }), { 'tool results': 1 }],
    [
      'a result and a picture',
      new Log('c').message('r', { role: 'toolResult', content: [{ type: 'image' }] }),
      { images: 1200 },
    ],
    [
      'a compaction',
      new Log('c').user('u', 'four').user('v', 'four').compaction('k', 'four', 'v'),
      { user: 1, summaries: 28 },
    ],
    [
      'a compaction by a transform',
      new Log('c').user('u', 'four').user('v', 'four').transform('k', 'compaction', [APPLY]),
      { user: 1, summaries: 29 },
    ],
    [
      'a shell command behind other lines',
      new Log('c')
        .user('u', 'four')
        .entry('l', 'label', {})
        .assistant('a', 'four')
        .message('b', { role: 'bashExecution', command: 'ls', output: '' })
        .user('v', 'four'),
      { user: 2, assistant: 1, shell: 5 },
    ],
    [
      'what an edit made of an extension’s message',
      new Log('c').entry('m', 'custom_message', { content: 'four' }).edit('e', 'm', { content: 'fourfour' }),
      { custom: 2 },
    ],
  ])('counts %s for what it is', async (_, log, ledger) => {
    expect(await contextOf(log)).toEqual(ledger);
  });

  it('counts what a transform brought in by what is sent', async () => {
    const messages = [
      { role: 'user', content: 'four' },
      { role: 'assistant', content: [{ type: 'text', text: 'fourfour' }] },
    ];
    const replace = { op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'x' };
    const log = new Log('c').entry('m', 'custom_message', { content: 'x' }).transform('t', 'mine', [replace]);
    expect(await contextOf(log)).toEqual({ user: 1, assistant: 2 });
  });

  it('names the parts and tools of its beginning', async () => {
    const system = {
      role: 'system',
      content: 'x'.repeat(6),
      sections: { rules: 'y'.repeat(5) },
      toolsAdded: [{ name: 'ab' }, { name: 'abcdef' }],
    };
    const { context, preambleKnown } = await counted(new Log('c').message('s', system).text());
    expect(context.composition.systemParts).toMatchObject([
      { name: 'content', tokensEstimated: 2 },
      { name: 'rules', tokensEstimated: 1 },
    ]);
    // [{"name":"ab"},{"name":"abcdef"}]: 33 characters.
    expect(context.composition.tools).toMatchObject([
      { name: 'ab', tokensEstimated: 4 },
      { name: 'abcdef', tokensEstimated: 5 },
    ]);
    expect([estimatedIn(context), preambleKnown]).toEqual([{ system: 3, 'tool definitions': 9 }, true]);
    const bare = await counted(new Log('c').user('u', 'x').text());
    const { systemParts, tools } = bare.context.composition;
    expect([systemParts, tools, bare.preambleKnown]).toEqual([[], [], false]);
  });

  it('knows the beginning only where both prompt and tools are known', async () => {
    const session = await opened(new Log('c').user('u', 'x').text());
    const known = (baseline: object) =>
      countSession(session, { method: BY_CHARACTERS, title: '', baseline }).preambleKnown;
    const [parts, tools] = [[{ name: 'a', text: 'A' }], [{ name: 'read' }]];
    expect([known({}), known({ parts }), known({ tools }), known({ parts, tools })]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('is of the path, and so are requests, wherever entries stand in the file', async () => {
    const log = new Log('c')
      .user('u1', 'four')
      .assistant('a1', 'four', { usage: usage(10, 0, 0, 0) })
      .from('u1')
      .assistant('b1', 'fourfour', { usage: usage(20, 0, 0, 0) })
      .from('a1')
      .user('u2', 'four')
      .assistant('a2', 'four', { usage: usage(30, 0, 0, 0) });
    const lines = log.text().trimEnd().split('\n');
    const inOrder = await counted(log.text());
    expect(inOrder.samples).toEqual([
      { recorded: 10, estimated: 1 },
      { recorded: 30, estimated: 3 },
    ]);
    expect(estimatedIn(inOrder.context)).toEqual({ user: 2, assistant: 2 });
    const mixed = await counted([lines[0], lines[2], lines[4], lines[1], lines[3], lines[5], ''].join('\n'));
    expect([mixed.samples, mixed.context, mixed.ledger]).toEqual([inOrder.samples, inOrder.context, inOrder.ledger]);
  });

  it('is estimated without ops that cannot be applied, which are reported', async () => {
    const log = new Log('c')
      .user('u', 'four')
      .transform('t', 'mine', [{ op: 'no_such_op', scope: 'cached' }])
      // What only adds nothing is worth a note, and not said.
      .entry('n', 'new_type', {})
      .message('o', { role: 'odd', content: 'x' });
    const { context, diagnostics } = await counted(log.text());
    expect(estimatedIn(context)).toEqual({ user: 1 });
    expect(diagnostics.map(({ severity }) => severity)).toEqual(['error']);
  });
});
