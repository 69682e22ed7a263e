import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import type { Simulation, SimulationSummary } from '#lab/simulate/document.js';
import { Log } from '../../fixtures/log.js';
import { usage } from '../../lab/simulate/simulation-world.js';
import { sizeOf } from '../../support/engines.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type World } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

const weather = readFileSync(`${projectFolder}/fixtures/weather.jsonl`, 'utf8');
const files = { 's.jsonl': weather };

interface Lines {
  readonly sessions: readonly Simulation[];
  readonly summary: SimulationSummary;
}

async function simulated(argv: readonly string[], world: World = { files }): Promise<Lines> {
  const { stdout, exitCode } = await ctx(['simulate', ...argv, '--full', '--json'], world);
  expect(exitCode).toBe(0);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  const sessions = lines.slice(0, -1);
  for (const session of sessions) expect(schemas.simulation.safeParse(session)).toMatchObject({ success: true });
  expect(schemas['simulation-summary'].safeParse(lines.at(-1))).toMatchObject({ success: true });
  return { sessions: sessions as Simulation[], summary: lines.at(-1) as SimulationSummary };
}

const good = {
  info: { id: 'good', name: 'Good' },
  ingest: () => ({ ingested: true }),
  assemble: ({ messages }: { messages: object[] }) => ({ messages, estimatedTokens: sizeOf(messages) }),
  compact: () => ({ ok: true, compacted: false }),
};

describe('ctx simulate', () => {
  it('has one document of one session, and with --full a summary', async () => {
    const schemasOf = async (...flags: readonly string[]): Promise<readonly unknown[]> => {
      const { stdout } = await ctx(['simulate', 's.jsonl', '--engine', 'pi', '--json', ...flags], { files });
      return stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { schema: unknown }).schema);
    };
    expect(await schemasOf()).toEqual(['ctx/simulation']);
    expect(await schemasOf('--full')).toEqual(['ctx/simulation', 'ctx/simulation-summary']);
  });

  it('puts every engine that is built in beside what was recorded', async () => {
    const { stdout, stderr, exitCode } = await ctx(['simulate', 's.jsonl', '--limit', '20k'], { files });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Cache model check: predicted 30k cached tokens, recorded 30k \(\+0\.1%\)\.$/m);
    for (const name of ['as billed', 'recorded', 'pi', 'turn-prune', 'three-phase', 'none'])
      expect(stdout).toMatch(new RegExp(`^  ${name} +[\\d.]+k`, 'm'));
    // What is lost is the sum of the results and of the texts that --full tells apart: 7 and 8 in the recorded run.
    expect(stdout).toMatch(/^  recorded +3\.4k .* 15 +0 +0$/m);
    expect(stdout).not.toMatch(/vs\. recorded run|results lost|Context over time/);
    const { stdout: full } = await ctx(['simulate', 's.jsonl', '--limit', '20k', '--full'], { files });
    expect(full).toMatch(/results lost[^]*vs\. recorded run/);
    expect(full.replaceAll(/\s+/g, ' ')).toMatch(
      /recorded 30k \(\+0\.1%\); exactly 30,227 and 30,193; off by .* in 0 of 13 requests; predicted input \$0\.0282, billed \$0\.0284/,
    );
  });

  it('says how far the model can be trusted', async () => {
    const told = async (used: (at: number) => Record<string, unknown>): Promise<string> => {
      const log = new Log('trust');
      for (let at = 1; at <= 6; at += 1)
        log.user(`u${at}`, 'x'.repeat(4000)).assistant(`a${at}`, 'y', { usage: used(at) });
      const { stdout } = await ctx(['simulate', 't.jsonl', '--engine', 'none'], { files: { 't.jsonl': log.text() } });
      return stdout.replaceAll(/\s+/g, ' ');
    };
    const fits = await told((at) => usage(2000, (at - 1) * 2000));
    expect(fits).toContain('predicted 30k cached tokens, recorded 30k (0.0%)');
    expect(fits).not.toContain('does not fit');
    expect(await told((at) => usage(2000 * at - 100, at > 1 ? 100 : 0))).toContain('The model does not fit');
    expect(await told((at) => usage(2000 * at, 0))).toContain(
      'Cache model check: no provider reports cached tokens; the model predicts ',
    );
    expect(await told(() => usage(0, 0))).toContain('Cache model check: impossible, as no request records');
  });

  it('tells which requests are not counted', async () => {
    const log = new Log('failed').user('u1', 'Hello').assistant('a1', '', { stopReason: 'aborted' });
    const text = log
      .assistant('a2', '', { usage: usage(0, 5000) })
      .assistant('a3', '', { stopReason: 'error' })
      .text();
    const world = { files: { 's.jsonl': text } };
    const { stdout } = await ctx(['simulate', 's.jsonl'], world);
    expect(stdout).toContain(
      '1 request, s.jsonl\nnot counted: 2 requests that failed or ended early, without tokens\n',
    );
    expect((await simulated(['s.jsonl'], world)).sessions[0]?.unbilledRequests).toBe(2);
    expect((await ctx(['simulate', 's.jsonl'], { files })).stdout).not.toContain('not counted');
  });

  it('draws the context where it is asked to, or where there is a terminal', async () => {
    const asked = await ctx(['simulate', 's.jsonl', '--chart', '--engine', 'none'], { files });
    const seen = await ctx(['simulate', 's.jsonl', '--engine', 'none', '--no-color'], { files, isTerminal: true });
    for (const { stdout } of [asked, seen]) expect(stdout).toMatch(/^recorded {2}[▁-█]{14}$/m);
  });

  it('tells on a terminal how far it is, where one session takes long', async () => {
    let time = 0;
    const clock = {
      get now(): number {
        return (time += 400);
      },
    };
    const world = Object.defineProperty({ files, isTerminal: true }, 'now', { get: () => clock.now });
    const { stderr } = await ctx(['simulate', 's.jsonl', '--engine', 'none', '--no-color'], world);
    expect(stderr).toMatch(/\r\d+ of 28 requests/);
    expect((await ctx(['simulate', 's.jsonl', '--engine', 'none'], { files })).stderr).toBe('');
  });

  it('prints data: a line for the session, and one for all', async () => {
    const { sessions, summary } = await simulated(['s.jsonl', '--limit', '20k', '--engine', 'pi']);
    expect(sessions.map(({ engines }) => engines.map(({ name }) => name))).toEqual([['recorded', 'pi']]);
    expect(sessions[0]?.options).toEqual({
      budget: 20_000,
      budgetModel: null,
      reserveTokens: 16_384,
      keepRecentTokens: 20_000,
      block: 1,
      minimum: 1024,
      retentionMinutes: 5,
      retentionBasis: 'assumed',
      recordedMisses: false,
    });
    expect(summary).toMatchObject({ sessions: 1, unreadable: [], verdict: sessions[0]?.verdict });
  });

  it.each(['cache-breaks', 'tool-change', 'weather'])('re-bills in %s what ctx cache counts', async (name) => {
    const world = { files: { 's.jsonl': readFileSync(`${projectFolder}/fixtures/${name}.jsonl`, 'utf8') } };
    const { stdout } = await ctx(['cache', 's.jsonl', '--json'], world);
    const { rebilledTokens } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { rebilledTokens: number };
    const [simulation] = (await simulated(['s.jsonl', '--engine', 'none'], world)).sessions;
    expect(rebilledTokens).toBeGreaterThan(0);
    expect(simulation?.recorded?.rebilledTokens).toBe(rebilledTokens);
  });

  it('uses the smaller of budget and limit', async () => {
    const budgets = [
      ['--budget', '5k'],
      ['--limit', '6k'],
      ['--budget', '5k', '--limit', '6k'],
      ['--budget', '7k', '--limit', '6k'],
      [],
    ];
    const found: unknown[] = [];
    for (const flags of budgets)
      found.push((await simulated(['s.jsonl', '--engine', 'none', ...flags])).summary.options.budget);
    expect(found).toEqual([5000, 6000, 5000, 6000, null]);
  });

  it('takes the options of the cache and of compactions', async () => {
    const flags = ['--retention', '60', '--minimum', '0', '--block', '128', '--reserve', '1k', '--keep-recent', '500'];
    const { summary } = await simulated(['s.jsonl', '--engine', 'pi', '--recorded-misses', ...flags]);
    expect(summary.options).toEqual({
      budget: null,
      budgetModel: null,
      reserveTokens: 1000,
      keepRecentTokens: 500,
      block: 128,
      minimum: 0,
      retentionMinutes: 60,
      retentionBasis: 'given',
      recordedMisses: true,
    });
  });

  it('gives each session the context window of its model', async () => {
    const unknown = weather.replaceAll('claude-sonnet-4-5', 'm1');
    const world = { files: { 's.jsonl': weather, 'm.jsonl': unknown } };
    const { sessions } = await simulated(['s.jsonl', 'm.jsonl', '--engine', 'none'], world);
    expect(sessions.map(({ options }) => [options.budget, options.budgetModel])).toEqual([
      [200_000, 'claude-sonnet-4-5'],
      [null, null],
    ]);
    const { stdout } = await ctx(['simulate', 's.jsonl', '--engine', 'none'], world);
    expect(stdout).toContain('budget 200,000 tokens (claude-sonnet-4-5, assumed), 16,384 in reserve\n');
    const without = await ctx(['simulate', 'm.jsonl', '--engine', 'none'], world);
    expect(without.stdout).toContain('no budget: the context window is unknown');
    const both = await ctx(['simulate', 's.jsonl', 'm.jsonl', '--engine', 'none'], world);
    expect(both.stdout).toContain('budget: the context window of each model, where it is known\n');
  });

  it('prints a row for every request under every engine', async () => {
    const { stdout } = await ctx(['simulate', 's.jsonl', '--format', 'csv', '--engine', 'none'], { files });
    const [head, ...rows] = stdout.trimEnd().split('\n');
    const { sessions } = await simulated(['s.jsonl', '--engine', 'none']);
    const [recorded, none] = sessions[0]?.engines ?? [];
    expect(head).toMatch(/^file,sessionId,engine,request,entryId,time,model,tokens,cachedTokens,/);
    expect(rows.map((row) => Number(row.split(',')[7]))).toEqual([
      ...(recorded?.series.tokens ?? []),
      ...(none?.series.tokens ?? []),
    ]);
    const cost = head?.split(',').indexOf('inputCost') ?? -1;
    const [costs, total] = [recorded?.series.costs ?? [], recorded?.totalCost ?? 0];
    expect(rows.slice(0, costs.length).map((row) => Number(row.split(',')[cost]))).toEqual(costs);
    // The tables call the input with the answers `cost`.
    expect(total).toBeGreaterThan(recorded?.cost ?? total);
  });

  it('lists the shrinks and the repeated calls', async () => {
    const log = new Log('long').user('u', 'look');
    for (let at = 0; at < 30; at += 1)
      log.tool(`t${at}`, 'read', { path: `f${at % 3}` }, `${at}`.padEnd(4000, 'x')).user(`u${at}`, `and now ${at}`);
    const world = { files: { 'l.jsonl': log.assistant('end', 'done', { usage: usage(31_000, 0) }).text() } };
    const flags = ['--budget', '20k', '--reserve', '5k', '--keep-recent', '2k', '--engine', 'pi'];
    const { stdout } = await ctx(['simulate', 'l.jsonl', '--full', ...flags], world);
    expect(stdout).toMatch(/^ +#\d+ {2}compaction +[\d,]+ +[\d,]+ {2}(threshold|overflow)$/m);
    const { sessions } = await simulated(['l.jsonl', ...flags], world);
    expect(sessions[0]?.engines[1]?.shrinks.length).toBeGreaterThan(0);
  });

  it('counts in JSON what only --full lists', async () => {
    const argv = [
      'simulate',
      's.jsonl',
      '--engine',
      'pi',
      '--limit',
      '3400',
      '--reserve',
      '500',
      '--keep-recent',
      '800',
    ];
    const { stdout } = await ctx([...argv, '--json'], { files });
    const brief = schemas.simulation.parse(JSON.parse(stdout.split('\n')[0] ?? ''));
    const { requests, engines } = (await simulated(argv.slice(1))).sessions[0]!;
    const { leftOut, requests: none, ...rest } = brief;
    const countAll = (name: 'overflowed' | 'shrinks' | 'rereads'): number =>
      engines.reduce((sum, engine) => sum + engine[name].length, 0);
    expect([none, leftOut]).toEqual([
      [],
      {
        requests: requests.length,
        overflowed: countAll('overflowed'),
        shrinks: countAll('shrinks'),
        rereads: countAll('rereads'),
      },
    ]);
    expect(leftOut?.requests).toBeGreaterThan(10);
    expect(leftOut?.shrinks).toBeGreaterThan(0);
    const sums = engines.map(({ name, totalCost, compactions }) => ({ name, totalCost, compactions }));
    expect(rest.engines).toMatchObject(sums);
  });
});

describe('ctx simulate with many sessions', () => {
  const many = { 'f/a.jsonl': weather, 'f/b.jsonl': new Log('b').user('u', 'hi').assistant('a', 'hello').text() };

  it('sums them up, and prints each where it is asked to', async () => {
    const brief = await ctx(['simulate', 'f', '--engine', 'none'], { files: many });
    expect(brief.stdout).toMatch(/^2 sessions\n/);
    expect(brief.stdout).not.toContain('each counting the same');
    const full = await ctx(['simulate', 'f', '--engine', 'none', '--full'], { files: many });
    expect(full.stdout).toContain('Sessions, each counting the same: median (p10..p90)');
    expect(brief.stdout).toContain('costs are those of 1 session');
    const each = await ctx(['simulate', 'f', '--engine', 'none', '--each'], { files: many });
    expect(each.stdout).toContain('14 requests, f/a.jsonl');
    expect(each.stdout.endsWith(brief.stdout)).toBe(true);
  });

  it('goes on where one cannot be read, but not where none can', async () => {
    const some = await ctx(['simulate', 'f/*.jsonl', '--engine', 'none'], {
      files: { ...many, 'f/c.jsonl': 'no session' },
    });
    expect([some.exitCode, some.stderr]).toEqual([0, expect.stringContaining('unreadable-session')]);
    expect(some.stdout).toMatch(/^2 sessions, 1 file unreadable\n/);
    const none = await ctx(['simulate', 'c.jsonl'], { files: { 'c.jsonl': 'no session' } });
    expect(none.exitCode).toBe(3);
  });

  it('says what is damaged', async () => {
    const { exitCode, stderr } = await ctx(['simulate', 's.jsonl', '--engine', 'none'], {
      files: { 's.jsonl': `${weather}{"type":` },
    });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('damaged-session')]);
  });
});

describe('ctx simulate with an engine of the user', () => {
  const withEngine = { ...files, './e.ts': '' };
  const world = (engine: unknown): World => ({ files: withEngine, startPlugin: pluginsHere({ './e.ts': engine }) });

  it('puts it beside the others', async () => {
    const { sessions } = await simulated(
      ['s.jsonl', '--engine', './e.ts', '--engine', 'none'],
      world(() => good),
    );
    const [, own, none] = sessions[0]?.engines ?? [];
    expect([own?.name, none?.name]).toEqual(['./e.ts', 'none']);
    expect(own?.series).toEqual(none?.series);
  });

  it.each([
    [
      'throws',
      { ...good, assemble: () => Promise.reject(new Error('no idea')) },
      'failed at request 1: assemble: no idea',
    ],
    ['gives rubbish', { ...good, assemble: () => ({ messages: 7 }) }, 'failed at request 1: assemble: '],
    [
      'breaks off when it should end',
      { ...good, dispose: () => Promise.reject(new Error('stuck')) },
      'failed behind the last request: dispose: stuck',
    ],
  ])('contains one that %s', async (_, engine, said) => {
    const {
      exitCode,
      stdout,
      files: after,
    } = await ctx(
      ['simulate', 's.jsonl', '--engine', './e.ts', '--engine', 'none'],
      world(() => engine),
    );
    expect([exitCode, after]).toEqual([1, withEngine]);
    expect(stdout).toContain(said);
    expect(stdout).toMatch(/^ {2}none +3\.4k/m);
    expect(stdout).toMatch(/No engine|none is/);
  });

  it('shares nothing with it', async () => {
    const greedy = {
      ...good,
      assemble(given: { messages: { content: unknown }[] }) {
        const estimatedTokens = sizeOf(given.messages);
        const messages = structuredClone(given.messages);
        for (const message of given.messages) message.content = 'mine';
        given.messages.length = 0;
        return { messages, estimatedTokens };
      },
    };
    const { sessions } = await simulated(
      ['s.jsonl', '--engine', './e.ts', '--engine', 'none'],
      world(() => greedy),
    );
    const [, own, none] = sessions[0]?.engines ?? [];
    expect(own?.series).toEqual(none?.series);
  });

  it('ends one that hangs, and takes what it prints to stderr', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ctx-simulate-'));
    const file = path.join(folder, 'hangs.mjs');
    const body = `info: { id: 'h', name: 'h' }, ingest: () => ({ ingested: true }), compact: () => ({ ok: true, compacted: false })`;
    writeFileSync(file, `export default { ${body}, assemble() { console.log('here \\u001b[31m'); for (;;); } };`);
    const flags = ['--engine', file, '--engine', 'none', '--time-limit', '1'];
    const { exitCode, stdout, stderr } = await ctx(['simulate', 's.jsonl', ...flags], {
      files: { ...files, [file]: '' },
    });
    expect(exitCode).toBe(1);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`${file} failed at request 1: assemble: `);
    expect(stdout).toMatch(/^ {2}none +3\.4k/m);
    expect(stdout).not.toContain('here');
    expect(stderr).toContain(`${file}: here \u{241b}[31m`);
  });

  it('refuses what is no engine', async () => {
    for (const engine of [7, { ...good, compact: undefined }, { ...good, info: {} }]) {
      const { exitCode, stdout, stderr } = await ctx(['simulate', 's.jsonl', '--engine', './e.ts'], world(engine));
      expect([exitCode, stdout, stderr]).toEqual([3, '', expect.stringContaining('the engine cannot be loaded')]);
    }
    const missing = await ctx(['simulate', 's.jsonl', '--engine', './not-there.ts'], world(good));
    expect([missing.exitCode, missing.stderr]).toEqual([
      2,
      expect.stringContaining('no such engine file: ./not-there'),
    ]);
    const { exitCode, stderr } = await ctx(['simulate', 's.jsonl', '--engine', 'turn-prun'], world(good));
    expect([exitCode, stderr]).toEqual([2, 'ctx: there is no engine "turn-prun": did you mean "turn-prune"?\n']);
  });
});

describe('the injectors of ctx simulate', () => {
  const engine = ['--engine', 'three-phase', '--limit', '200k'];
  const meanOf = ({ summary }: Lines): number => summary.engines.at(-1)?.meanTokens ?? 0;
  const configured = (injector: object): World => ({
    files: { ...files, 't.jsonl': weather, 'c.json': JSON.stringify({ assembly: { injectors: [injector] } }) },
    startPlugin: pluginsHere({ 'i.ts': () => 'words '.repeat(800) }),
  });

  it.each([
    ['one session', ['s.jsonl']],
    ['several sessions', ['s.jsonl', 't.jsonl']],
  ])('are those of the configuration, for %s', async (_, sessions) => {
    const placed = { name: 'own', phase: 'system', budget: 2000 };
    const without = meanOf(await simulated([...sessions, ...engine], configured(placed)));
    for (const source of [{ text: 'words '.repeat(800) }, { module: 'i.ts' }]) {
      const lines = await simulated(
        [...sessions, ...engine, '--config', 'c.json'],
        configured({ ...placed, ...source }),
      );
      expect(meanOf(lines) - without).toBeCloseTo(1200, -2);
    }
  });

  it('must exist, for the engine that uses them', async () => {
    const world = configured({ name: 'own', file: 'no.md' });
    const { exitCode, stderr } = await ctx(['simulate', 's.jsonl', ...engine, '--config', 'c.json'], world);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('there is no file for the injector "own": no.md')]);
    const other = await ctx(['simulate', 's.jsonl', '--engine', 'none', '--config', 'c.json'], world);
    expect([other.exitCode, other.stderr]).toEqual([0, '']);
  });
});

describe('ctx simulate refuses', () => {
  it.each([
    [['--engine', 'nobody']],
    [['--budget', '0']],
    [['--limit', '0']],
    [['--block', '0']],
    [['--full', '--format', 'csv']],
    [['--chart', '--format', 'csv']],
    [['--each', '--json']],
  ])('%j', async (flags) => {
    const { exitCode, stdout } = await ctx(['simulate', 's.jsonl', ...flags], { files });
    expect([exitCode, stdout]).toEqual([2, '']);
  });
});
