import { describe, expect, it } from 'vitest';
import { countSession } from '#analysis/stats/count-session.js';
import { groupStats } from '#analysis/stats/groups.js';
import type { SessionStats } from '#analysis/stats/session-stats.js';
import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { statsReport } from '#analysis/stats/stats-report.js';
import { sumCounts } from '#analysis/stats/sum-counts.js';
import { schemas } from '#cli/schemas.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { Log } from '../../fixtures/log.js';
import { counted, everything, usage } from '../../support/counted.js';
import { opened } from '../../support/entries.js';

const countsIn = ({
  file: _file,
  id: _id,
  cwd: _cwd,
  title: _title,
  first: _first,
  last: _last,
  preambleKnown: _known,
  tokenizer: _method,
  context: _context,
  problems: _problems,
  isUsagePartial: _partial,
  diagnostics: _diagnostics,
  client: _client,
  runs: _runs,
  ...counts
}: SessionStats) => counts;

/** Every number twice, those of lists of numbers too. */
function doubled(value: unknown): unknown {
  if (typeof value === 'number') return value * 2;
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, doubled(each)]));
  if (Array.isArray(value) && value.every((each) => typeof each === 'number')) return value.map(doubled);
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, doubled(each)]));
}

describe('the counts of many sessions', () => {
  it('are those of one where there is one, and nothing where there is none', async () => {
    const one = await counted(everything().text());
    expect(sumCounts([one])).toEqual(countsIn(one));
    const none = await counted(new Log('none').text());
    expect(sumCounts([])).toEqual(countsIn(none));
    expect(sumCounts([none, one])).toEqual(countsIn(one));
  });

  it('are twice as many for two of the same', async () => {
    const session = await opened(everything().text());
    const shared = new SharedEntries();
    shared.note(session);
    const log = everything()
      .tool('t1', 'read', { path: 'x' }, 'the same')
      .tool('t2', 'read', { path: 'x' }, 'the same');
    const longer = await log.open();
    const one = countSession(longer, { method: BY_CHARACTERS, title: '', shared });
    const { entryTypes, tools, largest, repeats, samples, ...sums } = countsIn(one);
    expect([one.shared.entries, repeats.length, samples.length]).toEqual([13, 1, 0]);
    expect(sumCounts([one, one])).toEqual({
      ...(doubled(sums) as typeof sums),
      entryTypes: entryTypes.map(doubled),
      tools: tools.map((tool) => ({
        ...tool,
        calls: tool.calls * 2,
        resultTokens: [...tool.resultTokens, ...tool.resultTokens],
      })),
      largest: [...largest, ...largest].toSorted((a, b) => b.tokensEstimated - a.tokensEstimated).slice(0, 10),
      repeats: [...repeats, ...repeats],
      samples: [],
    });
    const both = sumCounts([await counted(everything().text()), await counted(everything().text())]);
    expect(both.tools.map((tool) => [tool.name, tool.calls, tool.errors, tool.usage.input])).toEqual([
      ['read', 2, 0, 14],
      ['bash', 2, 2, 0],
    ]);
    expect(both.samples).toHaveLength(2);
  });
});

const named = async (file: string, log: Log): Promise<SessionStats> => ({ ...(await counted(log.text())), file });

async function three(): Promise<readonly SessionStats[]> {
  const asked = (id: string, header: object, ...spent: readonly (readonly [string, number, number])[]): Log => {
    const log = new Log(id, { ...header });
    for (const [at, [model, input, cost]] of spent.entries())
      log.user(`u${at}`, 'four').assistant(`a${at}`, 'Well.', { model, usage: usage(input, 0, 0, 0, cost) });
    return log;
  };
  return [
    await named(
      'c.jsonl',
      asked('c', { cwd: '/work/c' }, ['cheap', 10, 1], ['dear', 10, 5])
        .tool('t1', 'read', { path: 'a' }, 'x'.repeat(40))
        .failedTool('t2', 'bash', { command: 'a' }, 'x'.repeat(80)),
    ),
    await named(
      'a.jsonl',
      asked('a', { cwd: '/work/a' }, ['free', 5, 0], ['open', 90, 0])
        .wait(24 * 60)
        .user('u9', 'x')
        .assistant('a9', 'x', { model: 'cheap', usage: usage(1, 0, 0, 0, 1) })
        .failedTool('t1', 'ls', {}, 'x'.repeat(80)),
    ),
    await named('b.jsonl', asked('b', { cwd: '/work/c' }, ['dear', 1, 1]).tool('t1', 'read', { path: 'a' }, 'x')),
  ];
}

describe('sessions in groups', () => {
  const rows = async (by: Parameters<typeof groupStats>[1]) =>
    groupStats(await three(), by).map((row) => [
      row.key,
      row.sessions,
      row.usageRecorded.calls,
      row.usageRecorded.cost,
    ]);

  it('of days are in their order', async () => {
    expect(await rows('day')).toEqual([
      ['2026-03-02', 3, 8, 7],
      ['2026-03-03', 1, 2, 1],
    ]);
    expect(groupStats((await three()).toReversed(), 'day').map(({ key }) => key)).toEqual(['2026-03-02', '2026-03-03']);
  });

  it('of models begin with the most expensive, then the one that was sent most, then by name', async () => {
    expect(await rows('model')).toEqual([
      ['anthropic/dear', 2, 2, 6],
      ['anthropic/cheap', 2, 2, 2],
      ['anthropic/open', 1, 1, 0],
      ['anthropic/free', 1, 1, 0],
      ['anthropic/claude-sonnet-4-5', 3, 4, 0],
    ]);
    const tied = await Promise.all(
      ['b', 'a', 'c'].map((model) =>
        counted(new Log('x').assistant('a', '', { model, usage: usage(1, 0, 0, 0) }).text()),
      ),
    );
    expect(groupStats(tied, 'model').map(({ key }) => key)).toEqual(['anthropic/a', 'anthropic/b', 'anthropic/c']);
  });

  it('of tools begin with what weighs most, then by name, and tell nothing of what models used', async () => {
    expect(groupStats(await three(), 'tool')).toMatchObject([
      { key: 'bash', sessions: 1, toolCalls: 1, toolErrors: 1, tokensEstimated: 20, usageRecorded: { calls: 0 } },
      { key: 'ls', sessions: 1, toolCalls: 1, toolErrors: 1, tokensEstimated: 20 },
      { key: 'read', sessions: 2, toolCalls: 2, toolErrors: 0, tokensEstimated: 11 },
    ]);
  });

  it('of projects are sessions of one folder, the most expensive first', async () => {
    expect(groupStats(await three(), 'project')).toMatchObject([
      { key: '/work/c', sessions: 2, toolCalls: 3, toolErrors: 1, tokensEstimated: 53, usageRecorded: { cost: 7 } },
      { key: '/work/a', sessions: 1, toolCalls: 1, toolErrors: 1, tokensEstimated: 29, usageRecorded: { cost: 1 } },
    ]);
    const nowhere = { ...(await counted(new Log('n').text())), cwd: null };
    expect(groupStats([nowhere, nowhere], 'project')).toMatchObject([
      { key: '', sessions: 2, usageRecorded: { calls: 0 } },
    ]);
  });

  it('of sessions stay in their order, and those of one file are one', async () => {
    const all = await three();
    expect(groupStats([...all, all[0]!], 'session').map(({ key, sessions }) => [key, sessions])).toEqual([
      ['c.jsonl', 2],
      ['a.jsonl', 1],
      ['b.jsonl', 1],
    ]);
  });

  it('of days and models say nothing of tools', async () => {
    for (const by of ['day', 'model'] as const)
      for (const row of groupStats(await three(), by))
        expect([row.toolCalls, row.toolErrors, row.tokensEstimated]).toEqual([null, null, null]);
  });
});

describe('the report', () => {
  it('lists models that were paid or used, and tools by weight and calls', async () => {
    const log = new Log('r')
      .assistant('a1', '', { model: 'cheap', usage: usage(1, 0, 0, 0, 1) })
      .assistant('a2', '', { model: 'dear', usage: usage(0, 0, 0, 0, 2) })
      .assistant('a3', '', { model: 'unused', usage: usage(0, 0, 0, 0, 0) })
      .assistant('a4', '', { model: 'free', usage: usage(0, 0, 0, 1) })
      .tool('t1', 'ls', {}, 'x'.repeat(8))
      .tool('t2', 'read', {}, 'x'.repeat(400));
    const calls = ['find', 'grep', 'grep'].map((name, id) => ({ type: 'toolCall', id, name }));
    const { usageRecordedByModel: models, tools } = statsReport(
      [await counted(log.assistant('a5', '', { content: calls }).text())],
      [],
      undefined,
    );
    expect(models.map(({ model }) => model)).toEqual(['anthropic/dear', 'anthropic/cheap', 'anthropic/free']);
    expect(tools.map(({ name }) => name)).toEqual(['read', 'ls', 'grep', 'find']);
    expect(tools[3]).toMatchObject({ results: 0, resultTokensEstimated: { sum: 0, p50: 0, p95: 0, max: 0 } });
  });

  it('shows the twenty calls that wasted most by repeating themselves', async () => {
    const log = new Log('r');
    const sizes = Array.from({ length: 22 }, (_, at) => ((at * 7) % 22) + 1);
    for (const twice of [1, 2])
      for (const [at, size] of sizes.entries()) log.tool(`t${twice}_${at}`, 'read', { at }, 'x'.repeat(size * 4));
    const { repeats } = statsReport([await counted(log.text())], [], undefined);
    expect([repeats.results, repeats.tokensEstimated]).toEqual([22, (22 * 23) / 2]);
    expect(repeats.calls.map(({ tokensEstimated }) => tokensEstimated)).toEqual(
      Array.from({ length: 20 }, (_, at) => 22 - at),
    );
  });

  it('is about the context of one session only', async () => {
    const [one, other] = await three();
    expect(statsReport([one!], [], undefined)).toMatchObject({
      systemParts: one!.context.composition.systemParts,
      contextTokensEstimated: one!.context.tokensEstimated,
      tokenizer: ['chars/4'],
      groups: null,
    });
    expect(statsReport([one!, { ...other!, tokenizer: 'o200k' }, one!], [], 'day')).toMatchObject({
      contextTokensEstimated: null,
      tokenizer: ['chars/4', 'o200k'],
      groups: { by: 'day' },
    });
    expect(statsReport([], [], undefined)).toMatchObject({
      contextTokensEstimated: null,
      tokenizer: [],
      calibration: null,
    });
  });
});

describe('the document', () => {
  const NOTHING = { calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0, cost: 0, costListed: null };

  it('says all of it', async () => {
    const log = new Log('doc')
      .message('s1', { role: 'system', content: 'You help.', toolsAdded: [{ name: 'read' }] })
      .user('u1', 'Read it, please.')
      .assistant('a1', '', {
        content: [{ type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } }],
        usage: usage(20, 2, 3, 4, 0.5),
        stopReason: 'toolUse',
      })
      .message('r1', { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: 'one two', isError: true })
      .entry('w1', 'usage', {
        kind: 'cache_warm',
        provider: 'p',
        model: 'm',
        usage: usage(1, 0, 0, 0),
        timestamp: 'x',
      });
    const stats = { ...(await counted(log.text())), file: 's.jsonl', problems: 2 };
    const spent = {
      calls: 1,
      input: 20,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
      total: 29,
      cost: 0.5,
      costListed: null,
    };
    const warmed = { ...NOTHING, calls: 1, input: 1, total: 1, cost: null };
    const all = { calls: 2, input: 21, output: 2, cacheRead: 3, cacheWrite: 4, total: 30, cost: 0.5, costListed: null };
    const broken = { file: 'b.jsonl', error: 'it is damaged' };
    const measured: Readonly<Record<string, number>> = {
      system: 7,
      'tool definitions': 11,
      user: 6,
      'tool calls': 5,
      'tool results': 3,
    };
    const inLedger = { system: 3, 'tool definitions': 5, user: 4, 'tool calls': 4, 'tool results': 2 };
    const repeat = { tool: 'read', arguments: '{}', repeats: 2, line: 3, tokensEstimated: 8 };
    const found = statsReport([{ ...stats, repeats: [repeat] }], [broken], 'model');
    expect(schemas.stats.parse(found)).toEqual(found);
    expect(found).toEqual({
      schema: 'ctx/stats',
      schemaVersion: 1,
      tokenizer: ['chars/4'],
      sessions: [
        {
          file: 's.jsonl',
          id: 'doc',
          cwd: '/home/ada/weather',
          title: 'A title',
          first: '2026-03-02T09:01:00.000Z',
          last: '2026-03-02T09:04:00.000Z',
          entries: 5,
          usageRecorded: all,
          tokensEstimated: 18,
          contextTokensEstimated: 18,
          contextTokens: 32,
          contextTokensSource: 'estimated',
          sharedEntries: 0,
          tokenizer: 'chars/4',
          preambleKnown: true,
          problems: 2,
          client: null,
        },
      ],
      subagents: null,
      unreadable: [broken],
      entries: 5,
      messages: { user: 1, assistant: 1, toolResults: 1, total: 4, toolCalls: 1 },
      usageRecorded: all,
      usageRecordedBySource: [
        { source: 'requests', ...spent },
        { source: 'cache warming', ...warmed },
      ],
      usageRecordedByModel: [
        { model: 'anthropic/claude-sonnet-4-5', ...spent },
        { model: 'p/m', ...warmed },
      ],
      usageRecordedByDay: [
        { day: null, ...warmed },
        { day: '2026-03-02', ...spent },
      ],
      ledger: [
        'system',
        'tool definitions',
        'user',
        'assistant',
        'thinking',
        'tool calls',
        'tool results',
        'summaries',
        'shell',
        'custom',
        'images',
      ].map((category) => {
        const tokens = (inLedger as Readonly<Record<string, number>>)[category] ?? 0;
        return {
          category,
          tokensEstimated: tokens,
          contextTokens: measured[category] ?? 0,
          contextTokensEstimated: tokens,
        };
      }),
      contents: (
        [
          ['prompt', 'system'],
          ['tools', 'tool definitions'],
          ['user', 'user'],
          ['tool calls', 'tool calls'],
          ['tool results', 'tool results'],
        ] as const
      ).map(([kind, category]) => ({
        kind,
        tokensEstimated: inLedger[category],
        messageTokensEstimated: kind === 'prompt' || kind === 'tools' ? 0 : inLedger[category],
        contextTokens: measured[category],
        contextTokensEstimated: inLedger[category],
      })),
      tokensEstimated: 18,
      contextTokensEstimated: 18,
      contextTokensNotItemised: null,
      scale: { declared: 2.25, messages: 1.4 },
      contextResults: [{ name: 'read', tokens: 3, tokensEstimated: 2 }],
      systemParts: [{ name: 'content', tokens: 7, tokensEstimated: 3 }],
      toolDefinitions: [{ name: 'read', tokens: 11, tokensEstimated: 5 }],
      entryTypes: [
        { type: 'message', role: 'system', entries: 1, bytes: lengthOf(log, 1), tokensEstimated: 8 },
        { type: 'message', role: 'user', entries: 1, bytes: lengthOf(log, 2), tokensEstimated: 4 },
        { type: 'message', role: 'assistant', entries: 1, bytes: lengthOf(log, 3), tokensEstimated: 4 },
        { type: 'message', role: 'toolResult', entries: 1, bytes: lengthOf(log, 4), tokensEstimated: 2 },
        { type: 'usage', role: null, entries: 1, bytes: lengthOf(log, 5), tokensEstimated: 0 },
      ],
      tools: [
        {
          name: 'read',
          calls: 1,
          errors: 1,
          results: 1,
          resultTokensEstimated: { sum: 2, p50: 2, p95: 2, max: 2 },
          usageRecorded: NOTHING,
        },
      ],
      largest: [
        ['s1', 2, 'system', 8, 'content, read'],
        ['u1', 3, 'user', 4, 'Read it, please.'],
        ['a1', 4, 'assistant', 4, 'read({"path":"a"})'],
        ['r1', 5, 'toolResult', 2, 'read: one two'],
      ].map(([entryId, line, role, tokensEstimated, preview]) => {
        return { file: '-', entryId, line, type: 'message', role, tokensEstimated, preview };
      }),
      repeats: {
        results: 2,
        tokensEstimated: 8,
        calls: [{ tool: 'read', arguments: '{}', repeats: 2, tokensEstimated: 8, line: 3 }],
      },
      calibration: {
        requests: 1,
        recordedPerEstimated: { median: 27 / 12, p10: 27 / 12, p90: 27 / 12 },
        medianError: 15 / 27,
      },
      shared: { entries: 0, tokensEstimated: 0, usageRecorded: NOTHING },
      cheaper: null,
      costParts: expect.objectContaining({ inferred: 0 }) as unknown,
      groups: {
        by: 'model',
        groupings: ['model'],
        sessionsOutside: 0,
        timezone: 'UTC',
        rows: [
          ['anthropic/claude-sonnet-4-5', spent],
          ['p/m', warmed],
        ].map(([key, usageRecorded]) => {
          return {
            key,
            keys: [key],
            sessions: 1,
            usageRecorded,
            toolCalls: null,
            toolErrors: null,
            tokensEstimated: null,
          };
        }),
      },
    });
  });

  it('is null for values that are unknown for several sessions, for costs of calls and for times', async () => {
    const log = new Log('free').entry('u', 'message', { message: { role: 'user', content: 'x' }, timestamp: 'never' });
    log.entry('w', 'usage', { usage: { input: 1 }, timestamp: 'never' });
    const one = { ...(await counted(log.text())), last: 1e300 };
    const { sessions, ledger, ...rest } = statsReport([one, one], [], undefined);
    expect(sessions).toMatchObject([{ first: null, last: null, usageRecorded: { cost: null } }, {}]);
    expect(new Set(ledger.map(({ contextTokensEstimated }) => contextTokensEstimated))).toEqual(new Set([null]));
    expect(rest).toMatchObject({
      contextTokensEstimated: null,
      systemParts: [],
      toolDefinitions: [],
      calibration: null,
      groups: null,
      usageRecorded: { cost: null },
      shared: { usageRecorded: NOTHING },
    });
  });

  it('is in the order of days', async () => {
    const log = new Log('days').wait(24 * 60).assistant('a1', '', { usage: usage(1, 0, 0, 0) });
    const later = await counted(log.text());
    const days = [later, ...(await three())];
    for (const all of [days, days.toReversed()])
      expect(statsReport(all, [], undefined).usageRecordedByDay.map(({ day }) => day)).toEqual([
        '2026-03-02',
        '2026-03-03',
      ]);
  });
});

function lengthOf(log: Log, line: number): number {
  return Buffer.byteLength(`${log.text().split('\n')[line]!}\n`);
}
