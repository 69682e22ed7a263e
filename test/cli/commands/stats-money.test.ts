import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StatsDocument } from '#analysis/stats/document.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type World } from '../../support/memory-io.js';
import { Random } from '../../support/random.js';

type Json = Record<string, unknown>;
type Parts = Record<string, number>;

/** Published dollars for a million tokens: input, output, cache read, a cache write of five minutes and of an hour. */
const PRICES: Readonly<Record<string, readonly [number, number, number, number, number]>> = {
  'claude-sonnet-4-5': [3, 15, 0.3, 3.75, 6],
  'claude-haiku-4-5': [1, 5, 0.1, 1.25, 2],
  'gpt-5.3-codex': [1.75, 14, 0.175, 0, 0],
  'gemini-2.5-flash': [0.3, 2.5, 0.03, 0, 0],
};

interface Call {
  readonly model: string;
  readonly time: string;
  readonly branch: string;
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly write5m: number;
  readonly write1h: number;
  readonly searches: number;
}

function randomCalls(seed: number, models: readonly string[], hasWrites: boolean): readonly Call[] {
  const random = new Random(seed);
  const some = (most: number): number => random.int(0, most - 1);
  return Array.from({ length: 12 }, (_, at) => ({
    model: models[some(models.length)] ?? '',
    time: new Date(Date.UTC(2026, 2, 2, 20 + at, some(60))).toISOString(),
    branch: some(2) === 0 ? 'main' : 'fix/cache',
    input: some(5000),
    output: some(3000),
    read: some(90_000),
    write5m: hasWrites ? some(9000) : 0,
    write1h: hasWrites ? some(9000) : 0,
    searches: hasWrites ? some(3) : 0,
  }));
}

/** What calls cost, computed from their numbers alone. */
function partsOf(calls: readonly Call[]): Parts {
  const sums: Parts = {};
  const add = (part: string, dollars: number): void => void (sums[part] = (sums[part] ?? 0) + dollars);
  for (const { model, input, output, read, write5m, write1h, searches } of calls) {
    const [paid, answer, cached, short, long] = PRICES[model] ?? [0, 0, 0, 0, 0];
    add('input', (input * paid) / 1e6);
    add('output', (output * answer) / 1e6);
    add('cacheRead', (read * cached) / 1e6);
    add('cacheWrite5m', (write5m * short) / 1e6);
    add('cacheWrite1h', (write1h * long) / 1e6);
    add('other', searches * 0.01);
  }
  return sums;
}

function sumOf(parts: Parts): number {
  return Object.values(parts).reduce((sum, dollars) => sum + dollars, 0);
}

/** A file of Claude Code: an answer is two lines, each with its whole usage. */
function claudeFile(calls: readonly Call[]): string {
  const base = {
    sessionId: 's-1',
    cwd: '/home/ada/shop',
    version: '2.1.200',
    userType: 'external',
    isSidechain: false,
  };
  const uuid = (at: number): string => `${at.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const lines: Json[] = [
    {
      ...base,
      type: 'user',
      uuid: uuid(0),
      parentUuid: null,
      timestamp: '2026-03-02T19:59:00.000Z',
      message: {
        role: 'user',
        content: 'Go on.',
      },
    },
  ];
  for (const [at, { model, time, branch, ...call }] of calls.entries()) {
    const usage = {
      input_tokens: call.input,
      output_tokens: call.output,
      cache_read_input_tokens: call.read,
      cache_creation_input_tokens: call.write5m + call.write1h,
      cache_creation: { ephemeral_5m_input_tokens: call.write5m, ephemeral_1h_input_tokens: call.write1h },
      server_tool_use: { web_search_requests: call.searches },
    };
    for (const half of [0, 1]) {
      const number = 1 + at * 2 + half;
      const ids = { uuid: uuid(number), parentUuid: uuid(number - 1), requestId: `r${at}` };
      const message = { id: `m${at}`, role: 'assistant', model, stop_reason: 'end_turn', usage };
      const content = [{ type: 'text', text: `Part ${half}.` }];
      lines.push({
        ...base,
        ...ids,
        type: 'assistant',
        timestamp: time,
        gitBranch: branch,
        message: {
          ...message,
          content,
        },
      });
    }
  }
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

/** A rollout of Codex: cached tokens are a part of the input, and each count is written twice. */
function codexFile(calls: readonly Call[]): string {
  const line = (timestamp: string, type: string, payload: Json): Json => ({ timestamp, type, payload });
  const totals = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const lines: Json[] = [
    line('2026-03-02T19:00:00.000Z', 'session_meta', {
      id: '01900000-1111-7222-8333-444455556666',
      timestamp: '2026-03-02T19:00:00.000Z',
      cwd: '/home/ada/shop',
      cli_version: '0.104.0',
      git: { branch: 'trunk' },
    }),
    line('2026-03-02T19:00:01.000Z', 'turn_context', { model: calls[0]?.model }),
  ];
  for (const { time, input, read, output } of calls) {
    const last = {
      input_tokens: input + read,
      cached_input_tokens: read,
      output_tokens: output,
      total_tokens: input + read + output,
    };
    for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += last[key];
    const content = [{ type: 'output_text', text: 'Done.' }];
    lines.push(line(time, 'response_item', { type: 'message', role: 'assistant', content }));
    const info = { total_token_usage: { ...totals }, last_token_usage: last };
    for (let twice = 0; twice < 2; twice += 1) lines.push(line(time, 'event_msg', { type: 'token_count', info }));
  }
  return lines.map((each) => JSON.stringify(each)).join('\n');
}

/** A session of Gemini CLI: cached tokens are a part of the input, thoughts are beside the output. */
function geminiFile(calls: readonly Call[]): string {
  const header = {
    sessionId: 'g-1',
    projectHash: 'a1',
    startTime: calls[0]?.time,
    kind: 'main',
    directories: ['/home/ada'],
  };
  const answers = calls.map(({ model, time, input, read, output }, at) => ({
    id: `g${at}`,
    timestamp: time,
    type: 'gemini',
    content: 'Done.',
    model,
    tokens: {
      input: input + read,
      cached: read,
      output: output - 1,
      thoughts: 1,
      tool: 0,
      total: input + read + output,
    },
  }));
  return [header, ...answers].map((each) => JSON.stringify(each)).join('\n');
}

/** A session of Pi, which records the dollars of each kind of token. */
function piFile(calls: readonly Call[]): string {
  const log = new Log('pi-1');
  for (const [at, { model, input, output, read, write5m, write1h }] of calls.entries()) {
    const tokens = { input, output, cacheRead: read, cacheWrite: write5m + write1h, cacheWrite1h: write1h };
    const [paid, answer, cached, short, long] = PRICES[model] ?? [0, 0, 0, 0, 0];
    const cost = {
      input: (input * paid) / 1e6,
      output: (output * answer) / 1e6,
      cacheRead: (read * cached) / 1e6,
      cacheWrite: (write5m * short + write1h * long) / 1e6,
    };
    const total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
    log
      .user(`u${at}`, 'Go on.')
      .assistant(`a${at}`, 'Done.', { model, usage: { ...tokens, cost: { ...cost, total } } });
  }
  return log.text();
}

async function statsOf(argv: readonly string[], world: World): Promise<StatsDocument> {
  const { stdout, stderr } = await ctx(['stats', ...argv, '--json'], world);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as StatsDocument;
}

function toParts(parts: StatsDocument['costParts']['all']): Parts {
  return Object.fromEntries(parts.map(({ part, dollars }) => [part, dollars]));
}

function expectClose(found: Parts, wanted: Parts): void {
  for (const part of new Set([...Object.keys(found), ...Object.keys(wanted)]))
    expect([part, found[part] ?? 0]).toEqual([part, expect.closeTo(wanted[part] ?? 0, 9)]);
}

const CLAUDES = ['claude-sonnet-4-5', 'claude-haiku-4-5'];

describe('what a cost was paid for', () => {
  it.each([
    ['Claude Code', 'c.jsonl', claudeFile, CLAUDES, true],
    ['Codex', 'rollout-1.jsonl', codexFile, ['gpt-5.3-codex'], false],
    ['Gemini CLI', 'g.jsonl', geminiFile, ['gemini-2.5-flash'], false],
    ['Pi', 'p.jsonl', piFile, CLAUDES, true],
  ] as const)('equals the sum over the raw records of %s', async (name, file, write, models, hasWrites) => {
    for (const seed of [1, 2, 3]) {
      const drawn = randomCalls(seed, models, hasWrites);
      const calls = name === 'Pi' ? drawn.map((call) => ({ ...call, searches: 0 })) : drawn;
      const { costParts, usageRecorded } = await statsOf([file], { files: { [file]: write(calls) } });
      expectClose(toParts(costParts.all), partsOf(calls));
      expect((usageRecorded.cost ?? 0) + (usageRecorded.costListed ?? 0)).toBeCloseTo(sumOf(partsOf(calls)), 9);
      for (const { model, parts } of costParts.byModel)
        expectClose(toParts(parts), partsOf(calls.filter((call) => model.endsWith(`/${call.model}`))));
      expect(costParts.inferred).toBe(0);
    }
  });

  it('is divided by listed prices where only a sum is recorded', async () => {
    const text = readFileSync(path.join(projectFolder, 'fixtures/agents/opencode/export.json'), 'utf8');
    const { messages } = JSON.parse(text) as { messages: { info: { cost?: number } }[] };
    const sum = messages.reduce((all, { info }) => all + (info.cost ?? 0), 0);
    const { costParts } = await statsOf(['o.json'], { files: { 'o.json': text } });
    expect(costParts.all.reduce((all, { dollars }) => all + dollars, 0)).toBeCloseTo(sum, 9);
    expect(costParts.inferred).toBeCloseTo(sum, 9);
    expect(costParts.all.map(({ part }) => part)).toContain('cacheWrite');
  });

  it('adds up as printed, by part and by model', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const files = { 'c.jsonl': claudeFile(randomCalls(seed, CLAUDES, true)) };
      const { stdout } = await ctx(['stats', 'c.jsonl'], { files, columns: 120 });
      const cost = stdout.slice(stdout.indexOf('\nCost\n'), stdout.indexOf('\nTokens'));
      const dollars = (line: string): number[] => [...line.matchAll(/\$([\d.]+)/g)].map(([, digits]) => Number(digits));
      const [parts = '', models = ''] = cost.split('\n\n');
      const rows = parts.split('\n').flatMap((line) => dollars(line));
      const whole = rows.at(-1) ?? 0;
      expect(rows.slice(0, -1).reduce((sum, each) => sum + each, 0)).toBeCloseTo(whole, 6);
      const perModel = models
        .split('\n')
        .map(dollars)
        .filter(({ length }) => length > 0);
      expect(perModel).toHaveLength(2);
      for (const row of perModel)
        expect(row.slice(0, -1).reduce((sum, each) => sum + each, 0)).toBeCloseTo(row.at(-1) ?? 0, 6);
      expect(perModel.reduce((sum, row) => sum + (row.at(-1) ?? 0), 0)).toBeCloseTo(whole, 6);
      expect(stdout).toMatch(new RegExp(`^ +all .*~\\$${whole.toFixed(2)}$`, 'm'));
    }
  });

  it('has the longest bar at the largest part, whatever the tokens', async () => {
    const call = { ...randomCalls(1, CLAUDES, true)[0]!, model: 'claude-haiku-4-5', searches: 0 };
    const files = { c: claudeFile([{ ...call, input: 0, output: 900_000, read: 1_000_000, write5m: 0, write1h: 0 }]) };
    const { stdout } = await ctx(['stats', 'c'], { files, columns: 80 });
    const bar = (part: string): number => new RegExp(`^ +${part} .*?(█+)`, 'm').exec(stdout)?.[1]?.length ?? 0;
    expect(bar('output')).toBeGreaterThan(8 * bar('cache reads'));
  });
});

describe('several groupings together', () => {
  const calls = randomCalls(7, CLAUDES, true);
  const codexCalls = randomCalls(8, ['gpt-5.3-codex'], false);
  const files = { 'd/c.jsonl': claudeFile(calls), 'd/rollout-1.jsonl': codexFile(codexCalls) };
  const everything = [
    ...calls.map((call) => ({ ...call, agent: 'claude-code', provider: 'anthropic' })),
    ...codexCalls.map((call) => ({ ...call, agent: 'codex', provider: 'openai', branch: 'trunk' })),
  ];

  /** The dollars of each group, from the calls alone. */
  function expected(keysOf: (call: (typeof everything)[number]) => readonly string[]): Parts {
    const sums: Parts = {};
    for (const call of everything) {
      const key = keysOf(call).join(' · ');
      sums[key] = (sums[key] ?? 0) + sumOf(partsOf([call]));
    }
    return sums;
  }

  async function found(...flags: readonly string[]): Promise<Parts> {
    const { stdout } = await ctx(['stats', 'd', ...flags, '--format', 'csv'], { files });
    const [head = '', ...rows] = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const count = (head as string[]).indexOf('sessions');
    const dollars = (row: string[], name: string): number => Number(row[(head as string[]).indexOf(name)] ?? 0);
    return Object.fromEntries(
      rows.map((row) => [row.slice(0, count).join(' · '), dollars(row, 'costRecorded') + dollars(row, 'costListed')]),
    );
  }

  it('tell calls apart by their own time, branch, model and agent', async () => {
    expectClose(
      await found('--by', 'agent,branch', '--by', 'model'),
      expected(({ agent, branch, provider, model }) => [agent, branch, `${provider}/${model}`]),
    );
    expectClose(
      await found('--by', 'month'),
      expected(({ time }) => [time.slice(0, 7)]),
    );
    expectClose(
      await found('--by', 'hour,subagent'),
      expected(({ time }) => [`${time.slice(0, 10)} ${time.slice(11, 13)}:00`, 'main']),
    );
  });

  it('follow the clocks of a time zone, also for days alone and for --since', async () => {
    const shifted = ({ time }: Call): string => new Date(Date.parse(time) + 5.5 * 3_600_000).toISOString();
    const zone = ['--timezone', 'Asia/Kolkata'];
    expectClose(
      await found('--by', 'day', ...zone),
      expected((call) => [shifted(call).slice(0, 10)]),
    );
    expectClose(
      await found('--by', 'day,agent', ...zone),
      expected((call) => [shifted(call).slice(0, 10), call.agent]),
    );
    const late = await found('--by', 'day', ...zone, '--since', '2026-03-03T06:00');
    const since = Date.UTC(2026, 2, 3, 0, 30);
    const own = everything.filter(({ time }) => Date.parse(time) >= since);
    expect(sumOf(late)).toBeCloseTo(sumOf(partsOf(own)), 9);
    expect(own.length).toBeLessThan(everything.length);
  });

  it('add up to the total in one document and on the screen', async () => {
    const { groups, usageRecorded } = await statsOf(['d', '--by', 'project,model'], { files });
    expect(groups).toMatchObject({ by: 'project', groupings: ['project', 'model'], timezone: 'UTC' });
    const sum = groups!.rows.reduce((all, row) => all + (row.usageRecorded.costListed ?? 0), 0);
    expect(sum).toBeCloseTo(usageRecorded.costListed ?? 0, 9);
    expect(groups!.rows.map(({ keys }) => keys.length)).toEqual([2, 2, 2]);
    for (const columns of [80, 100]) {
      const { stdout } = await ctx(['stats', 'd', '--by', 'project,model'], { files, columns });
      expect(stdout).toMatch(/^ +project +model +calls +input +reads +writes +output +cost/m);
      expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
    }
  });

  it('keep names of models readable and distinct in 80 columns, where projects are cut before them', async () => {
    const models = [
      'claude-sonnet-4-5-20250929',
      'claude-haiku-4-5-20251001',
      'claude-opus-4-5',
      'claude-opus-4-5-20251101',
    ];
    const header = { cwd: '/home/someone/work/a-rather-long-name-of-a-project' };
    const log = new Log('a', header);
    const usage = { input: 1e6, output: 1e5, cacheRead: 5e7, cacheWrite: 0, totalTokens: 511e5 };
    for (const [at, model] of models.entries()) log.assistant(`a${at}`, '', { usage, model });
    const at = async (columns: number): Promise<string> =>
      (await ctx(['stats', 's', '--by', 'project,model'], { files: { s: log.text() }, columns })).stdout;
    const narrow = await at(80);
    for (const name of ['sonnet-4-5', 'haiku-4-5', 'opus-4-5', 'opus-4-5-20251101'])
      expect(narrow).toMatch(new RegExp(`^ +…\\S+ +${name} +1 `, 'm'));
    const wide = await at(160);
    for (const model of models) expect(wide).toMatch(new RegExp(`/${model} +1 `));
    const names = [...(await at(56)).matchAll(/^ +…\S+ +(\S+) +1 /gm)].map(([, name]) => name);
    expect(new Set(names).size).toBe(models.length);
  });

  it('refuse a time zone that does not exist', async () => {
    const { exitCode, stderr } = await ctx(['stats', 'd', '--timezone', 'Europe/Bern'], { files });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('write a name such as Europe/Berlin');
  });
});
