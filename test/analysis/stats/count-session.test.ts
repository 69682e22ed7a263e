import { describe, expect, it } from 'vitest';
import { countSession } from '#analysis/stats/count-session.js';
import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { sumByKind } from '#context/contents/contents.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { Log } from '../../fixtures/log.js';
import { counted, everything, usage } from '../../support/counted.js';
import { opened } from '../../support/entries.js';

const NOTHING = { calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: null, costListed: 0 };

describe('the counts of a session', () => {
  it('hold what each kind of entry brings in, and what it says of usage', async () => {
    expect(await counted(everything().text())).toEqual({
      file: '-',
      id: 'every',
      cwd: '/home/ada/weather',
      title: 'A title',
      first: Date.UTC(2026, 2, 2, 9, 1),
      last: Date.UTC(2026, 2, 2, 9, 13),
      tokenizer: 'chars/4',
      context: {
        size: { tokens: 222, isRecorded: false },
        // The parts add up to the size, of which the recorded requests know less than pictures are estimated at.
        composition: {
          contents: [
            { kind: 'prompt', name: 'content', tokens: 6, tokensEstimated: 4 },
            { kind: 'tools', name: null, tokens: 8, tokensEstimated: 5 },
            { kind: 'user', name: null, tokens: 1, tokensEstimated: 9 },
            { kind: 'assistant', name: null, tokens: 0, tokensEstimated: 3 },
            { kind: 'thinking', name: null, tokens: 1, tokensEstimated: 5 },
            { kind: 'tool calls', name: null, tokens: 2, tokensEstimated: 11 },
            { kind: 'tool results', name: 'read', tokens: 1, tokensEstimated: 3 },
            { kind: 'tool results', name: 'bash', tokens: 0, tokensEstimated: 2 },
            { kind: 'images', name: null, tokens: 192, tokensEstimated: 1201 },
            { kind: 'summaries', name: null, tokens: 9, tokensEstimated: 57 },
            { kind: 'shell', name: null, tokens: 1, tokensEstimated: 6 },
            { kind: 'custom', name: 'note', tokens: 1, tokensEstimated: 6 },
          ],
          categories: [
            { category: 'system', tokens: 6, tokensEstimated: 4 },
            { category: 'tool definitions', tokens: 8, tokensEstimated: 5 },
            { category: 'user', tokens: 1, tokensEstimated: 9 },
            { category: 'assistant', tokens: 0, tokensEstimated: 3 },
            { category: 'thinking', tokens: 1, tokensEstimated: 5 },
            { category: 'tool calls', tokens: 2, tokensEstimated: 11 },
            { category: 'tool results', tokens: 1, tokensEstimated: 5 },
            { category: 'summaries', tokens: 9, tokensEstimated: 57 },
            { category: 'shell', tokens: 1, tokensEstimated: 6 },
            { category: 'custom', tokens: 1, tokensEstimated: 6 },
            { category: 'images', tokens: 192, tokensEstimated: 1201 },
          ],
          notItemised: null,
          results: [
            { name: 'read', tokens: 1, tokensEstimated: 3 },
            { name: 'bash', tokens: 0, tokensEstimated: 2 },
          ],
          systemParts: [{ name: 'content', tokens: 6, tokensEstimated: 4 }],
          tools: [{ name: 'edit', tokens: 8, tokensEstimated: 5 }],
        },
        scale: { declared: 14 / 9, messages: 208 / 1303 },
        tokensEstimated: 1312,
      },
      preambleKnown: true,
      problems: 0,
      isUsagePartial: false,
      client: null,
      runs: NOTHING,
      diagnostics: [],
      entries: 13,
      messages: { user: 2, assistant: 1, toolResults: 2, total: 7, toolCalls: 2 },
      usage: { calls: 6, input: 190, output: 23, cacheRead: 31, cacheWrite: 6, cost: 0.56, costListed: 0 },
      bySource: new Map([
        ['requests', { calls: 1, input: 100, output: 10, cacheRead: 20, cacheWrite: 5, cost: 0.5, costListed: 0 }],
        ['tools', { calls: 1, input: 7, output: 3, cacheRead: 2, cacheWrite: 1, cost: 0.01, costListed: 0 }],
        ['branch summaries', { ...NOTHING, calls: 1, input: 30, output: 4, cost: 0.02 }],
        ['compactions', { ...NOTHING, calls: 1, input: 50, output: 5, cost: 0.03 }],
        ['cache warming', { ...NOTHING, calls: 1, input: 1, cacheRead: 9 }],
        ['other', { ...NOTHING, calls: 1, input: 2, output: 1 }],
      ]),
      byModel: new Map([
        [
          'anthropic/claude-sonnet-4-5-20250929',
          { calls: 1, input: 100, output: 10, cacheRead: 20, cacheWrite: 5, cost: 0.5, costListed: 0 },
        ],
        [
          'Tools/summaries',
          { calls: 3, input: 87, output: 12, cacheRead: 2, cacheWrite: 1, cost: 0.06, costListed: 0 },
        ],
        ['anthropic/m', { ...NOTHING, calls: 1, input: 1, cacheRead: 9 }],
        ['openai/n', { ...NOTHING, calls: 1, input: 2, output: 1 }],
      ]),
      byDay: new Map([
        ['2026-03-02', { calls: 6, input: 190, output: 23, cacheRead: 31, cacheWrite: 6, cost: 0.56, costListed: 0 }],
      ]),
      byGroup: new Map(),
      partsByModel: expect.any(Map) as unknown,
      ledger: {
        categories: {
          system: 9,
          'tool definitions': 27,
          user: 9,
          assistant: 3,
          thinking: 5,
          'tool calls': 11,
          'tool results': 5,
          summaries: 57,
          shell: 6,
          custom: 6,
          images: 1201,
        },
        declared: sumByKind([
          { kind: 'prompt', tokens: 9 },
          { kind: 'tools', tokens: 27 },
        ]),
        messages: sumByKind([
          { kind: 'user', tokens: 9 },
          { kind: 'assistant', tokens: 3 },
          { kind: 'thinking', tokens: 5 },
          { kind: 'tool calls', tokens: 11 },
          { kind: 'tool results', tokens: 5 },
          { kind: 'images', tokens: 1201 },
          { kind: 'summaries', tokens: 57 },
          { kind: 'shell', tokens: 6 },
          { kind: 'custom', tokens: 6 },
        ]),
      },
      entryTypes: [
        { type: 'message', role: 'system', entries: 1, bytes: 376, tokensEstimated: 27 },
        { type: 'message', role: 'user', entries: 2, bytes: 409, tokensEstimated: 1210 },
        { type: 'message', role: 'assistant', entries: 1, bytes: 625, tokensEstimated: 19 },
        { type: 'message', role: 'toolResult', entries: 2, bytes: 538, tokensEstimated: 5 },
        { type: 'message', role: 'bashExecution', entries: 1, bytes: 189, tokensEstimated: 6 },
        { type: 'custom_message', role: null, entries: 1, bytes: 162, tokensEstimated: 6 },
        { type: 'branch_summary', role: null, entries: 1, bytes: 213, tokensEstimated: 28 },
        { type: 'compaction', role: null, entries: 1, bytes: 324, tokensEstimated: 38 },
        { type: 'usage', role: null, entries: 2, bytes: 386, tokensEstimated: 0 },
        { type: 'label', role: null, entries: 1, bytes: 175, tokensEstimated: 0 },
      ],
      tools: [
        {
          name: 'read',
          calls: 1,
          errors: 0,
          resultTokens: [3],
          usage: { calls: 1, input: 7, output: 3, cacheRead: 2, cacheWrite: 1, cost: 0.01, costListed: 0 },
        },
        { name: 'bash', calls: 1, errors: 1, resultTokens: [2], usage: NOTHING },
      ],
      largest: (
        [
          ['u1', 3, 'message', 'user', 1208, 'Look at this picture, please. [image]'],
          [
            'k1',
            10,
            'compaction',
            null,
            38,
            'The conversation history before this point was compacted into the following summary:\n\n<summary>\nShort.\n</summary>',
          ],
          [
            'br',
            9,
            'branch_summary',
            null,
            28,
            'The following is a summary of a branch that this conversation came back from:\n\n<summary>\nIt was tried.</summary>',
          ],
          ['s1', 2, 'message', 'system', 27, 'content, rules, read, bash'],
          [
            'a1',
            4,
            'message',
            'assistant',
            19,
            'I will read the file. Let me see. read({"path":"src/a.ts"}) bash({"command":"ls"})',
          ],
          ['sh', 7, 'message', 'bashExecution', 6, 'Ran `make`\n```\nok\n```'],
          ['cm', 8, 'custom_message', null, 6, 'A note of an extension.'],
          ['r1', 5, 'message', 'toolResult', 3, 'read: const a = 1;'],
          ['r2', 6, 'message', 'toolResult', 2, 'bash: denied'],
          ['u2', 14, 'message', 'user', 2, 'Thanks.'],
        ] as const
      ).map(([entryId, line, type, role, tokensEstimated, preview]) => ({
        file: '-',
        entryId,
        line,
        type,
        role,
        tokensEstimated,
        preview,
      })),
      repeats: [],
      samples: [{ recorded: 125, estimated: 1235 }],
      shared: { entries: 0, tokens: 0, usage: NOTHING },
    });
  });

  it('leave out what another session has, and say how much that was', async () => {
    const session = await opened(everything().text());
    const shared = new SharedEntries();
    const whole = await counted(everything().text());
    shared.note(session);
    const rest = countSession(session, { method: BY_CHARACTERS, title: '', shared });
    expect(rest).toMatchObject({
      entries: 0,
      usage: NOTHING,
      samples: [],
      largest: [],
      tools: [],
    });
    expect(rest.context).toEqual(whole.context);
    expect(rest.shared).toEqual({ entries: 13, tokens: 1339, usage: whole.usage });
  });

  it('are of other models and sources where an entry says so, and of none where it says nothing', async () => {
    const log = new Log('odd')
      .assistant('a1', '', { usage: usage(1, 0, 0, 0), provider: 'openai', model: 'gpt-5' })
      .assistant('a2', '', { usage: 'none' })
      .message('u1', { role: 'user', content: '', usage: usage(1000, 0, 0, 0) })
      .entry('m1', 'message', { message: 7, usage: usage(1000, 0, 0, 0) })
      .entry('c1', 'custom', { usage: usage(1000, 0, 0, 0) })
      .entry('w1', 'usage', { usage: usage(2, 0, 0, 0) })
      .entry('w2', 'usage', { usage: null });
    const { usage: all, byModel, bySource } = await counted(log.text());
    expect(all).toEqual({ ...NOTHING, calls: 2, input: 3 });
    expect([...byModel.keys()]).toEqual(['openai/gpt-5', '?/?']);
    expect([...bySource.keys()]).toEqual(['requests', 'other']);
  });

  it('are of entries of no type, and of values that are nested too deeply to be written, too', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const log = new Log('odd')
      .line({ id: 'n1', parentId: null, timestamp: '2026-03-02T09:00:00.000Z' })
      .tool('t1', 'read', {}, 'DEEP')
      .tool('t2', 'read', {}, 'DEEP');
    const text = log.text().replaceAll('"arguments":{}', `"arguments":${deep}`);
    const { entryTypes, tools, repeats, largest, ledger } = await counted(text);
    expect(entryTypes[0]).toMatchObject({ type: '?', role: null, entries: 1, tokensEstimated: 0 });
    expect(tools).toMatchObject([{ name: 'read', calls: 2, resultTokens: [1, 1] }]);
    expect(repeats).toMatchObject([{ tool: 'read', arguments: '', repeats: 1 }]);
    expect(largest[0]?.preview).toBe('read()');
    expect(ledger.categories['tool calls']).toBe(2 * (50_000 + 1));
  });

  it('are of the days of the entries, in UTC', async () => {
    const at = (timestamp: unknown) => ({ timestamp, usage: usage(1, 0, 0, 0) });
    const log = new Log('days')
      .entry('w1', 'usage', at('2026-03-02T23:59:59.999Z'))
      .entry('w2', 'usage', at('2026-03-03T01:00:00.000+02:00'))
      .entry('w3', 'usage', at('2026-03-03T00:00:00.000Z'))
      .entry('w4', 'usage', at('never'));
    const { byDay, first, last } = await counted(log.text());
    expect([...byDay].map(([day, { calls }]) => [day, calls])).toEqual([
      ['2026-03-02', 2],
      ['2026-03-03', 1],
      ['', 1],
    ]);
    expect([first, last]).toEqual([Date.UTC(2026, 2, 2, 23), Date.UTC(2026, 2, 3)]);
    expect(await counted(new Log('none').text())).toMatchObject({ first: null, last: null, entries: 0 });
  });

  it('know the cost of whatever says it, be it nothing', async () => {
    const costs = async (...each: readonly unknown[]) => {
      const log = new Log('costs');
      for (const [at, cost] of each.entries()) log.assistant(`a${at}`, '', { usage: { input: 1, cost } });
      return (await counted(log.text())).usage.cost;
    };
    expect(await costs({ total: 0 })).toBe(0);
    expect(await costs({ total: 1 }, undefined)).toBe(1);
    expect(await costs(undefined, 1, { total: '1' }, {})).toBeNull();
  });
});

describe('the largest entries', () => {
  it('are ten, the largest first, and of one size in their order', async () => {
    const sizes = Array.from({ length: 70 }, (_, at) => ((at * 37) % 23) + 1);
    const log = new Log('large');
    for (const [at, size] of sizes.entries()) log.user(`u${at}`, 'x'.repeat(size * 4));
    const { largest } = await counted(log.text());
    const expected = sizes
      .map((tokens, at) => ({ tokens, entryId: `u${at}` }))
      .toSorted((a, b) => b.tokens - a.tokens)
      .slice(0, 10);
    expect(largest.map(({ tokensEstimated: tokens, entryId }) => ({ tokens, entryId }))).toEqual(expected);
  });

  it('are none that weigh nothing', async () => {
    const log = new Log('light').user('u0', '').assistant('a0', '').user('u1', 'x').entry('l', 'label', {});
    expect((await counted(log.text())).largest.map(({ entryId }) => entryId)).toEqual(['u1']);
  });

  const text = (words: string) => ({ type: 'text', text: words });
  it.each([
    ['a text', { role: 'user', content: ' Hello ' }, 'Hello'],
    [
      'texts and an image',
      { role: 'user', content: [text('One.'), { type: 'image' }, text('Two.')] },
      'One. [image] Two.',
    ],
    [
      'a call without a name',
      { role: 'assistant', content: [{ type: 'toolCall', arguments: { a: 1 } }] },
      '?({"a":1})',
    ],
    [
      'a call without arguments',
      { role: 'assistant', content: [{ type: 'toolCall', name: 'ls_all' }] },
      'ls_all(null)',
    ],
    [
      'blocks that say nothing',
      { role: 'user', content: [text('x'), { type: 'text' }, { type: 'odd' }, {}] },
      'x  [odd] [?]',
    ],
    [
      'thinking that is none',
      { role: 'assistant', content: [{ type: 'thinking', thinking: 7 }, text('Well.')] },
      'Well.',
    ],
    ['a result', { role: 'toolResult', toolName: 'ls', content: [text('a.ts')] }, 'ls: a.ts'],
    ['a result without a name', { role: 'toolResult', content: [text('a.ts')] }, 'a.ts'],
    ['a long text', { role: 'user', content: 'y'.repeat(300) }, 'y'.repeat(160)],
    [
      'long arguments',
      { role: 'assistant', content: [{ type: 'toolCall', name: 'w', arguments: 'z'.repeat(300) }] },
      `w("${'z'.repeat(157)}`,
    ],
    ['half a character', { role: 'user', content: `${'y'.repeat(159)}🙂🙂` }, 'y'.repeat(159)],
    ['a whole character', { role: 'user', content: `${'y'.repeat(158)}🙂🙂` }, `${'y'.repeat(158)}🙂`],
    [
      'a system message with long names',
      { role: 'system', content: '', sections: { ['n'.repeat(200)]: 'x' } },
      'n'.repeat(160),
    ],
  ])('show the beginning of %s', async (_, message, preview) => {
    const { largest } = await counted(new Log('one').message('m', message).text());
    expect(largest.map((entry) => entry.preview)).toEqual([preview]);
  });
});

describe('tools', () => {
  const content = (words: string) => [{ type: 'text', text: words }];

  it('are those of calls and of results, with a question mark for a name that is none', async () => {
    const log = new Log('tools')
      .assistant('a1', '', {
        content: [
          { type: 'toolCall', id: 1, name: 7 },
          { type: 'text', name: 'no' },
        ],
      })
      .message('r1', { role: 'toolResult', toolCallId: 1, content: content('four'), isError: 'yes' })
      .message('r2', { role: 'toolResult', toolCallId: 2, toolName: 'ls', content: content('a'), isError: true });
    const { tools, messages } = await counted(log.text());
    expect(tools.map(({ name, calls, errors, resultTokens }) => ({ name, calls, errors, resultTokens }))).toEqual([
      { name: '?', calls: 1, errors: 0, resultTokens: [1] },
      { name: 'ls', calls: 0, errors: 1, resultTokens: [1] },
    ]);
    expect(messages).toMatchObject({ toolCalls: 1, toolResults: 2 });
  });

  it('repeat themselves where the call and all of its result are the same', async () => {
    const path = `src/${'a'.repeat(300)}.ts`;
    const log = new Log('again')
      .tool('t1', 'read', { path }, 'x'.repeat(40))
      .tool('t2', 'read', { path }, 'y'.repeat(40))
      .tool('t3', 'read', { path: 'b.ts' }, 'x'.repeat(40))
      .tool('t4', 'open', { path }, 'x'.repeat(40))
      .tool('t5', 'read', { path }, 'x'.repeat(40))
      .tool('t6', 'read', { path }, 'x'.repeat(40))
      .tool('t7', 'ls', {}, '')
      .tool('t8', 'ls', {}, '')
      .tool('t9', 'read', { path: 'b.ts' }, 'x'.repeat(40))
      .tool('t10', 'read', { path: 'b.ts' }, 'longer'.repeat(40));
    expect((await counted(log.text())).repeats).toEqual([
      { tool: 'read', arguments: JSON.stringify({ path }).slice(0, 240), repeats: 2, tokensEstimated: 20, line: 3 },
      { tool: 'read', arguments: '{"path":"b.ts"}', repeats: 1, tokensEstimated: 10, line: 7 },
    ]);
  });

  it('repeat nothing where there is no call, or it was answered', async () => {
    const result = { role: 'toolResult', toolCallId: 'call_t1', toolName: 'ls', content: content('a.ts') };
    const log = new Log('twice').tool('t1', 'ls', {}, 'a.ts').message('r2', result).message('r3', result);
    expect((await counted(log.text())).repeats).toEqual([]);
  });

  it('are told apart by name and arguments, wherever the one ends', async () => {
    const log = new Log('ends').tool('t1', 'a', 11 as never, 'same').tool('t2', 'a1', 1 as never, 'same');
    expect((await counted(log.text())).repeats).toEqual([]);
  });
});
