import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CacheRequest, CacheSummary } from '#analysis/cache/document.js';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { entry, lines as fileOf, HEADER, user } from '../../support/entries.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const BREAKS = readFileSync(path.join(projectFolder, 'fixtures/cache-breaks.jsonl'), 'utf8');

function cache(flags: readonly string[] = [], text = BREAKS, world: World = {}): Promise<Ran> {
  return ctx(['cache', 's.jsonl', ...flags], { ...world, files: { 's.jsonl': text, ...world.files } });
}

async function lines(
  flags: readonly string[] = [],
  text = BREAKS,
  world: World = {},
): Promise<{ requests: readonly CacheRequest[]; summary: CacheSummary }> {
  const { stdout, stderr } = await cache(['--each', '--json', ...flags], text, world);
  expect(stderr).toBe('');
  const parsed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { schema: string });
  return { requests: parsed.slice(0, -1) as CacheRequest[], summary: parsed.at(-1) as CacheSummary };
}

describe('ctx cache', () => {
  it('prints a command that compares the requests of an unexplained break, as it can be typed', async () => {
    const { stdout } = await cache();
    const [, words = ''] = /To compare the contexts of #9 and #10:\n {2}ctx (diff .*)\n$/.exec(stdout) ?? [];
    expect(words).toBe('diff s.jsonl a9~1 a10~1');
    expect(await ctx(words.split(' '), { files: { 's.jsonl': BREAKS } })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(
      (await cache([], readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8'))).stdout,
    ).not.toContain('To compare');
  });

  it('lists in JSON the requests that broke the cache, and counts the others', async () => {
    const all = await lines();
    const listed = (await cache(['--json'])).stdout.trimEnd().split('\n');
    const broken = all.requests.filter((request) => request.break !== null);
    expect(listed.slice(0, -1)).toEqual(broken.map((request) => JSON.stringify(request)));
    expect(broken.length).toBeLessThan(all.requests.length);
    const requestsLeftOut = all.requests.length - broken.length;
    expect(JSON.parse(listed.at(-1) ?? '')).toEqual({ ...all.summary, requestsLeftOut });
    expect(all.summary.requestsLeftOut).toBeUndefined();
  });

  it('names cause, entry and place of every break', async () => {
    const { requests, summary } = await lines();
    const found = requests.flatMap(({ request, break: broken }) =>
      broken
        ? [[request, broken.class, broken.entryId, broken.undeclared, broken.divergence?.section, broken.volatile]]
        : [],
    );
    expect(found).toEqual([
      [3, 'edit', 'e1', true, 'messages', null],
      [4, 'system', 's2', true, 'system', 'time'],
      [5, 'tool order', 's3', true, 'tools', null],
      [7, 'ttl', null, false, undefined, null],
      [8, 'model switch', 'm1', false, undefined, null],
      [9, 'compaction', 'k1', false, 'messages', null],
      [10, 'provider miss', null, false, undefined, null],
    ]);
    expect(requests[2]?.break?.divergence).toEqual({
      section: 'messages',
      index: 2,
      name: 'user',
      entryId: 'u2',
      block: 0,
      offset: 'Here is the log: not ok'.length,
      prefixTokensEstimated: expect.any(Number) as number,
    });
    expect(summary).toMatchObject({
      requests: 10,
      breaks: 7,
      undeclared: 3,
      declaredForNothing: [{ entryId: 'x1', reasons: ['drop what nobody calls'] }],
      volatile: [{ section: 'system', name: 'environment', kind: 'time', text: '2026-03-02 09:09:10' }],
    });
    const sum = requests.reduce((all, { break: broken }) => all + (broken?.rebilledTokens ?? 0), 0);
    expect(summary.rebilledTokens).toBe(sum);
    expect(summary.byClass.reduce((all, { rebilledTokens }) => all + (rebilledTokens ?? 0), 0)).toBe(sum);
  });

  it('takes the rates that the session records, else listed prices with a mark', async () => {
    const { requests } = await lines();
    // What was sent before is written anew at 3.75 dollars for a million, and would have been read for 0.3.
    expect(requests[2]?.break?.rebilledCost).toBeCloseTo((2103 * (2100 * 3.75 + 9)) / 2103 / 1e6 - 2103 * 0.3e-6, 6);
    const without = BREAKS.replaceAll(/"cost":\{[^}]*\}/g, '"cost":null');
    const { summary } = await lines([], without);
    expect(summary).toMatchObject({ rebilledCost: null, rebilledCostListed: expect.any(Number), breaks: 7 });
    const { stdout } = await cache([], without);
    expect(stdout).toContain('re-billed  53,721 tokens, ~$0.13\n');
    expect(stdout).toContain('~ assumes the listed prices of models where no cost is recorded');
    const { stdout: unlisted } = await cache([], without.replaceAll('claude-', 'unlisted-'));
    expect(unlisted).toContain('cost not recorded');
    expect(unlisted).not.toContain('~ assumes');
  });

  it('knows what the session proves without any numbers of a provider', async () => {
    const { requests, summary } = await lines([], BREAKS.replaceAll(/"usage":\{.*?\}\}/g, '"usage":{}'));
    expect(requests.flatMap(({ break: broken }) => broken?.class ?? [])).toEqual([
      'edit',
      'system',
      'tool order',
      'model switch',
      'compaction',
    ]);
    expect(
      requests.every(({ recorded, break: broken }) => !recorded && (broken?.rebilledTokens ?? null) === null),
    ).toBe(true);
    expect(summary.rebilledTokensEstimated).toBeGreaterThan(0);
  });

  it('adds estimated tokens to the recorded ones only where some breaks have no record', async () => {
    const usage = (input: number): Readonly<Record<string, unknown>> => ({
      usage: { input, cacheWrite: input, cost: { total: 0 } },
    });
    const log = new Log('some').user('u1', 'x'.repeat(400)).assistant('a1', '', usage(2000));
    log.edit('e1', 'u1', { content: 'y' }).assistant('a2', '', {}).user('u2', 'z'.repeat(400));
    const estimated = (await cache([], log.text())).stdout;
    expect(estimated).toMatch(/^re-billed {2}~\d+ tokens?, estimated$/m);
    log.edit('e2', 'u1', { content: 'w' }).assistant('a3', '', usage(2000));
    expect((await cache([], log.text())).stdout).toMatch(/^re-billed {2}4,000 tokens, .*; ~\d+ more, estimated$/m);
  });

  it('takes retention, block and minimum from the flags', async () => {
    const kept = await lines(['--retention', '60']);
    expect(kept.requests[6]).toMatchObject({ expectedCacheReadEstimated: 12_803, break: { class: 'provider miss' } });
    const blocks = await lines(['--block', '128']);
    expect(blocks.requests.every(({ expectedCacheReadEstimated: read }) => (read ?? 0) % 128 === 0)).toBe(true);
    const minimum = await lines(['--minimum', '1M']);
    expect(minimum.requests.every(({ expectedCacheReadEstimated: read }) => (read ?? 0) === 0)).toBe(true);
    expect(await cache(['--block', '0'])).toMatchObject({ exitCode: 2 });
  });

  it('ends the path where it is told, and takes a baseline', async () => {
    expect((await lines(['--at', 'a2'])).requests).toHaveLength(2);
    const tools = [{ name: 'read', description: 'x'.repeat(4000) }];
    const plain = new Log('plain').twoTurns().text();
    const { requests } = await lines(['--baseline', 'b.json'], plain, {
      files: { 'b.json': JSON.stringify({ tools }) },
    });
    expect(requests[0]?.promptTokensEstimated).toBeGreaterThan(1000);
    expect(requests[1]?.break).toBeNull();
  });

  it('draws a chart in a terminal only, unless it is asked to', async () => {
    expect((await cache()).stdout).not.toContain('█');
    expect((await cache(['--chart'])).stdout).toContain('█');
    expect((await cache([], BREAKS, { isTerminal: true })).stdout).toContain('█');
    for (const columns of [60, 80, 200]) {
      const { stdout } = await cache(['--each'], BREAKS, { isTerminal: true, columns });
      const wide = stdout
        .replaceAll(/\u001b\[\d+m/g, '')
        .split('\n')
        .filter((line) => line.length > columns);
      expect(wide, `${columns} columns`).toEqual([]);
    }
  });

  it('prints a table for spreadsheets, with nothing in it that they would run', async () => {
    const { stdout } = await cache(['--format', 'csv'], BREAKS.replaceAll('"a3"', String.raw`"=1+1,\"\u001b[2J"`));
    const rows = stdout.trimEnd().split('\n');
    expect(rows).toHaveLength(11);
    expect(rows[3]).toMatch(/^3,"'=1\+1,""\ufffd\[2J",/);
  });

  it('tells hits, explained breaks and misses of the provider apart in the list of requests', async () => {
    const { stdout } = await cache(['--each']);
    const marks = stdout.slice(stdout.indexOf('\nRequests')).matchAll(/^ +#(\d+) .* {2}([a-z ]*)$/gm);
    expect(Object.fromEntries([...marks].slice(0, 10).map(([, request, mark]) => [request, mark]))).toMatchObject({
      2: 'hit',
      3: 'edit',
      7: 'expired',
      10: 'provider miss',
    });
  });

  it('puts the sentence about a break below its row', async () => {
    const haiku = { provider: 'anthropic', model: 'claude-haiku-4-5', usage: { input: 1, cacheWrite: 9000 } };
    const log = new Log('switch').user('u1', 'x').assistant('a1', '', { ...haiku, model: 'claude-opus-4-5' });
    const { stdout } = await cache(
      [],
      log.edit('e', 'u1', { content: 'z' }).user('u2', 'y').assistant('a2', '', haiku).text(),
      { columns: 80 },
    );
    expect(stdout.split('\n').map((text) => text.trim())).toEqual(
      expect.arrayContaining(['now anthropic/claude-haiku-4-5; also edit']),
    );
  });

  it('states the likely reason of full misses once, with their count, price and pauses', async () => {
    const usage = (cacheRead: number, input: number): object => ({
      input,
      output: 5,
      cacheRead,
      cacheWrite: 0,
      cost: { input: input * 3e-6, output: 0, cacheRead: cacheRead * 3e-7, cacheWrite: 0, total: 1 },
    });
    const missing = (misses: number): string =>
      fileOf(
        HEADER,
        ...Array.from({ length: 2 * misses + 2 }, (_, at) => {
          const parent = at === 0 ? null : `e${at - 1}`;
          const timestamp = Date.parse('2026-01-01T00:00:00Z') + at * 30_000;
          if (at % 2 === 0) return user(`e${at}`, parent);
          const prompt = usage(at === 1 ? 9000 : 0, at === 1 ? 1000 : 20_000);
          return entry('message', `e${at}`, parent, {
            message: { role: 'assistant', content: 'Yes.', usage: prompt, timestamp },
          });
        }),
      );
    const { stdout } = await cache([], missing(3));
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '3 full misses cost $0.14 and have no recorded cause. The prompt or the tools may have changed: ' +
        'the session does not record them all. Pauses of 1 minute; --each lists all requests. ',
    );
    expect(stdout.match(/unexplained .*\n +same messages, 0 read\s+after/g)).toHaveLength(3);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      ' unexplained: no recorded change and no pause explains the break; the session may not record the prompt and the ' +
        'tools for a bug report with these breaks: --report ',
    );
    const { stdout: many } = await cache([], missing(7));
    expect(many.match(/same messages, 0 read\s+after/g)).toHaveLength(5);
    expect(many.replaceAll(/\s+/g, ' ')).toContain('no recorded cause; the 5 most expensive are listed.');
    const known = await cache(['--baseline', 'b.json'], missing(3), {
      files: { 'b.json': JSON.stringify({ tools: [{ name: 'read', description: 'Reads.' }] }) },
    });
    expect(known.stdout).toContain('3 full misses cost $0.14 and have no recorded cause. Pauses');
    expect(known.stdout.match(/provider miss .*\n +same prefix, 0 read\s+after/g)).toHaveLength(3);
    const { stdout: one } = await cache([], missing(1));
    expect(one).toMatch(/same messages, 0 read\s+after 1 minute; between:\s+e2 user\n/);
  });

  it('prints sentences instead of terms', async () => {
    const { stdout } = await cache();
    expect(stdout).toContain('Pi shows   6 misses, without small ones and those after a compaction\n');
    expect(stdout).toContain('reasons    3 breaks were caused by an entry that declares no reason for them\n');
    expect(stdout).toMatch(
      /12,803 +\$[\d.]+\n {7}32 minutes since the previous request \(lifetime 5 minutes, assumed\)\n/,
    );
    expect(stdout).not.toMatch(/undeclared|rule of thumb/);
  });

  it('keeps the cost of a break at 80 columns', async () => {
    const { stdout } = await cache([], BREAKS, { columns: 80 });
    expect(stdout).toMatch(/answer +cause +re-billed +cost\n/);
  });

  it('wraps the cause of a break instead of cutting it', async () => {
    const { stdout } = await cache([], BREAKS, { isTerminal: true, columns: 80 });
    expect(stdout.slice(stdout.indexOf('Breaks'))).not.toContain('…');
  });

  it.each(fixtures.map((file) => [path.relative(projectFolder, file), file]))(
    'keeps to its schema for %s',
    async (_name, file) => {
      const { stdout, exitCode } = await cache(['--json'], readFileSync(file, 'latin1'));
      if (exitCode === 3) return;
      for (const line of stdout.trimEnd().split('\n')) {
        const value = JSON.parse(line) as { schema: string };
        const schema = value.schema === 'ctx/cache-request' ? schemas['cache-request'] : schemas['cache-summary'];
        expect(schema.safeParse(value)).toMatchObject({ success: true });
      }
    },
  );

  it('says of a session without requests that it has none', async () => {
    expect(await cache([], new Log('none').text())).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('0 requests, 0 breaks') as string,
    });
  });
});

describe('thinking that the provider dropped from requests', () => {
  const record = (type: string, transformations: unknown): object => ({
    type,
    timestamp: 1,
    details: { transformations },
  });
  const removed = (id: string, reason: unknown): object => ({ type: 'reasoning', id, action: 'removed', reason });
  const billed = (cacheRead: number, diagnostics: unknown): object => ({
    usage: { input: 3, output: 1, cacheRead, cacheWrite: 9000 - cacheRead, totalTokens: 9004 },
    diagnostics,
  });
  const log = (...records: readonly unknown[]): string =>
    records
      .reduce((talk: Log, each, at) => {
        return talk.user(`u${at}`, 'And now?').assistant(`a${at}`, '.', { ...billed(at === 2 ? 0 : 9000, each) });
      }, new Log('dropped'))
      .text();

  it('is counted by request, as Pi records it of Anthropic and OpenAI', async () => {
    const text = log(
      undefined,
      [
        record('anthropic_input_transformations', [
          { type: 'thinking_dropped', path: 'messages.1', reason: 'old' },
          { type: 'other' },
        ]),
      ],
      [
        record('openai_input_transformations', [
          removed('rs_1', 'prefix_mismatch'),
          removed('rs_2', 'prefix_mismatch'),
        ]),
      ],
    );
    const { requests, summary } = await lines([], text);
    expect(requests.map(({ providerDrops }) => providerDrops)).toEqual([
      undefined,
      { thinkingBlocks: 1, reasons: ['old'] },
      { thinkingBlocks: 2, reasons: ['prefix_mismatch'] },
    ]);
    expect(summary.providerDrops).toEqual({ requests: 2, mostThinkingBlocks: 2, reasons: ['old', 'prefix_mismatch'] });
    const { stdout } = await cache([], text, { columns: 200 });
    const dropped = 'by the provider from 2 requests, up to 2 thinking blocks (old, prefix_mismatch)';
    expect(stdout).toContain(`dropped    ${dropped}; the model did not see them\n`);
    expect(stdout).toMatch(/^ +#3 .* unexplained .*; the provider dropped 2 thinking blocks$/m);
  });

  it('is not taken from other records, nor from damaged ones', async () => {
    const text = log(
      [record('openai_input_transformations', [{ type: 'thinking_dropped' }, null, 'reasoning'])],
      [record('some_other_record', [removed('rs_1', 'no')]), { details: { transformations: [{}] } }, 7],
      [
        record('openai_input_transformations', 'none'),
        record('anthropic_input_transformations', [{ type: 'reasoning' }]),
      ],
    );
    const { requests, summary } = await lines([], text);
    expect(requests.filter(({ providerDrops }) => providerDrops)).toEqual([]);
    expect(summary).not.toHaveProperty('providerDrops');
    expect((await cache([], text)).stdout).not.toContain('dropped');
  });

  it('has no reasons where Pi recorded none', async () => {
    const text = log([record('openai_input_transformations', [{ type: 'reasoning', reason: null }])]);
    expect((await lines([], text)).summary.providerDrops).toEqual({ requests: 1, mostThinkingBlocks: 1, reasons: [] });
    expect((await cache([], text, { columns: 200 })).stdout).toContain('up to 1 thinking block; the model');
  });
});
