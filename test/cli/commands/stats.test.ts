import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { StatsDocument } from '#analysis/stats/document.js';
import { schemas } from '#cli/schemas.js';
import { groupFamilies } from '#cli/sessions/families.js';
import { Log } from '../../fixtures/log.js';
import { generateSession } from '../../support/generate.js';
import { ctx, memoryFiles, type World } from '../../support/memory-io.js';

type Json = Record<string, unknown>;

function usage(input: number, output: number, cacheRead: number, total: number): Json {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total };
  return { input, output, cacheRead, cacheWrite: 0, totalTokens: 0, cost };
}

async function stats(argv: readonly string[], world: World): Promise<StatsDocument> {
  const { stdout, stderr, exitCode } = await ctx(['stats', ...argv, '--json'], world);
  expect([exitCode, stderr]).toEqual([0, '']);
  const data = JSON.parse(stdout) as unknown;
  expect(schemas.stats.safeParse(data)).toMatchObject({ success: true });
  return data as StatsDocument;
}

function talk(id = 'a', header: Json = {}): Log {
  return new Log(id, header)
    .user('u1', 'What is the weather?')
    .assistant('a1', 'Sunny.', { usage: usage(100, 10, 20, 0.5) })
    .user('u2', 'And tomorrow?')
    .assistant('a2', 'Rain.', { usage: usage(200, 20, 30, 0.25), model: 'claude-opus-4-5' });
}

describe('ctx stats', () => {
  it('prints no empty table where answers record no tokens', async () => {
    const text = new Log('a')
      .user('u1', 'Hi')
      .assistant('a1', 'Hello.', { usage: usage(0, 0, 0, 0) })
      .text();
    const { stdout } = await ctx(['stats', 's.jsonl'], { files: { 's.jsonl': text } });
    expect(stdout).toMatch(/^Recorded by providers\n {2}nothing\n/m);
  });

  it('states that its tables include what left the context', async () => {
    const shown = async (log: Log): Promise<string> =>
      (await ctx(['stats', 's.jsonl'], { files: { 's.jsonl': log.text() } })).stdout;
    const note = '  tools and largest: of all entries; in the context: ctx show --sort tokens\n';
    expect(await shown(talk())).not.toContain(note);
    expect(await shown(talk().compaction('c1', 'Weather.', 'u2'))).toContain(note);
  });

  it('states in what its numbers of answers and calls differ', async () => {
    const shown = async (log: Log, flags: readonly string[] = []): Promise<string> =>
      (await ctx(['stats', 's.jsonl', ...flags], { files: { 's.jsonl': log.text() } })).stdout;
    expect(await shown(talk())).not.toMatch(/ calls with usage| without /);
    const others = talk()
      .assistant('a3', '', { usage: null })
      .compaction('c1', 'Weather.', 'u2', { usage: usage(5, 5, 0, 0.1) });
    const line = '3 calls with usage: 2 of 3 answers; 1 other, such as compactions\n';
    expect(await shown(others)).toContain(line);
    expect(await shown(others, ['--by', 'model'])).toContain(line);
    const aborted = talk().assistant('a3', '', { model: 'gpt-5', stopReason: 'aborted' });
    expect(await shown(aborted)).toMatch(/^ {2}without 1 call to other models, of no tokens$/m);
  });

  it.each([60, 80, 100])('fits into %d columns of a terminal, whatever the name of the model is', async (columns) => {
    const model = 'claude-sonnet-4-5-of-a-very-long-name';
    const text = talk()
      .assistant('a3', 'Snow.', { usage: usage(1e6, 1e5, 5e7, 12.5), model })
      .text();
    for (const flags of [[], ['--full']]) {
      const { stdout } = await ctx(['stats', 's.jsonl', ...flags], { files: { 's.jsonl': text }, columns });
      expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
    }
  });

  it('adds up what providers recorded, from wherever Pi takes it', async () => {
    const text = talk()
      .entry('w1', 'usage', {
        kind: 'cache_warm',
        provider: 'anthropic',
        model: 'claude-opus-4-5',
        usage: usage(1, 2, 3, 0.01),
      })
      .tool('t1', 'agent', { task: 'look' }, 'done')
      .compaction('k1', 'what happened', 'u2', { usage: usage(1000, 100, 0, 2) })
      .text();
    const withTool = text.replace(
      '"toolName":"agent"',
      `"toolName":"agent","usage":${JSON.stringify(usage(5, 6, 7, 0.1))}`,
    );
    const data = await stats(['s.jsonl'], { files: { 's.jsonl': withTool } });
    expect(data.usageRecorded).toMatchObject({ input: 1306, output: 138, cacheRead: 60, total: 1504, calls: 6 });
    expect(data.usageRecorded.cost).toBeCloseTo(2.86);
    expect(data.usageRecordedByModel.map(({ model, total }) => [model, total])).toEqual([
      ['Tools/summaries', 1118],
      ['anthropic/claude-sonnet-4-5', 130],
      ['anthropic/claude-opus-4-5', 256],
    ]);
    expect(data.usageRecordedBySource.map(({ source, total }) => [source, total])).toEqual([
      ['requests', 380],
      ['cache warming', 6],
      ['tools', 18],
      ['compactions', 1100],
    ]);
    expect(data.tools).toMatchObject([{ name: 'agent', calls: 1, usageRecorded: { total: 18 } }]);
  });

  it('counts entries of all branches, and what is in the context', async () => {
    const text = talk().from('u1').assistant('b1', 'x'.repeat(4000)).from('a2').user('u3', 'Thanks').text();
    const data = await stats(['s.jsonl'], { files: { 's.jsonl': text } });
    const assistant = data.ledger.find(({ category }) => category === 'assistant');
    expect(assistant).toMatchObject({ category: 'assistant', tokensEstimated: 1004, contextTokensEstimated: 4 });
    expect(assistant?.contextTokens).not.toBe(4);
    expect(data.largest[0]).toMatchObject({ entryId: 'b1', tokensEstimated: 1000, role: 'assistant' });
    expect(data.messages).toEqual({ user: 3, assistant: 3, toolResults: 0, total: 6, toolCalls: 0 });
  });

  it('says how good its estimates are', async () => {
    const log = new Log('a');
    for (let at = 0; at < 10; at += 1)
      log
        .user(`u${at}`, 'x'.repeat(at === 0 ? 400 : 396))
        .assistant(`a${at}`, 'yyyy', { usage: usage(at * 150 + 150, 1, 0, 0) });
    // Each request has 100 estimated tokens more than the one before, with an answer of one token.
    const { calibration } = await stats(['s.jsonl'], { files: { 's.jsonl': log.text() } });
    expect(calibration).toMatchObject({ requests: 10, recordedPerEstimated: { median: 1.5, p10: 1.5 } });
    expect(calibration?.medianError).toBeCloseTo(1 / 3, 2);
  });

  it('counts tools: calls, errors, sizes, and results that repeat an earlier one', async () => {
    const log = new Log('a').user('u', 'go');
    for (let at = 1; at <= 20; at += 1) log.tool(`r${at}`, 'read', { path: `f${at}` }, 'x'.repeat(at * 4));
    log.tool('s1', 'read', { path: 'f20' }, 'x'.repeat(80)).tool('s2', 'read', { path: 'f20' }, 'changed');
    const text = log.tool('b', 'bash', { command: 'false' }, 'oops').text();
    const failed = text.replace(/("text":"oops"}],"isError":)false/, '$1true');
    const data = await stats(['s.jsonl'], { files: { 's.jsonl': failed } });
    expect(data.tools).toMatchObject([
      { name: 'read', calls: 22, errors: 0, results: 22, resultTokensEstimated: { p50: 10, p95: 20, max: 20 } },
      { name: 'bash', calls: 1, errors: 1, results: 1, resultTokensEstimated: { sum: 1 } },
    ]);
    const again = { tool: 'read', arguments: '{"path":"f20"}', repeats: 1, tokensEstimated: 20 };
    expect(data.repeats).toMatchObject({ results: 1, tokensEstimated: 20, calls: [again] });
  });

  it('takes no calls as no cost', async () => {
    const files = { 's.jsonl': new Log('a').user('u1', 'hi').text() };
    const data = await stats(['s.jsonl'], { files });
    expect([data.usageRecorded.cost, data.calibration]).toEqual([0, null]);
    expect((await ctx(['stats', 's.jsonl'], { files })).stdout).toContain(
      'no request has recorded tokens to compare these estimates with',
    );
  });

  it('says how many calls its cost leaves out, and that an empty context is estimated', async () => {
    const { cost: _, ...unpaid } = usage(100, 10, 20, 0);
    const log = talk().assistant('a3', 'Snow.', { usage: unpaid, model: 'no-such-model' });
    const { stdout } = await ctx(['stats', 's.jsonl'], { files: { 's.jsonl': log.text() } });
    expect(stdout).toContain('without 1 call of unknown price');
    const files = { 's.jsonl': log.text(), 't.jsonl': talk().text() };
    for (const by of ['session', 'day', 'project', 'model'])
      for (const names of [['s.jsonl'], ['s.jsonl', 't.jsonl']])
        expect((await ctx(['stats', ...names, '--by', by], { files })).stdout).toContain(
          '  without 1 call of unknown price\n',
        );
    expect((await ctx(['stats', 's.jsonl'], { files: { 's.jsonl': talk().text() } })).stdout).not.toContain(
      'unknown price',
    );
    const { stdout: none } = await ctx(['stats', 's.jsonl'], { files: { 's.jsonl': new Log('a').text() } });
    expect(none).toContain('context now: ~0 tokens\n');
  });

  it('works on an empty session, and where the path is not in the order of the file', async () => {
    const lines = talk().text().trimEnd().split('\n');
    const [header = '', ...entries] = lines;
    const moved = [header, entries[1], entries[0], entries[2], entries[3], ''].join('\n');
    const files = { 'empty.jsonl': new Log('a').text(), 'moved.jsonl': moved, 's.jsonl': talk().text() };
    expect((await stats(['empty.jsonl'], { files })).tokensEstimated).toBe(0);
    const [one, other] = [await stats(['moved.jsonl'], { files }), await stats(['s.jsonl'], { files })];
    expect(one.ledger).toEqual(other.ledger);
    expect(one.calibration).toEqual(other.calibration);
  });

  it('skips what cannot be replayed, and says so', async () => {
    const text = talk()
      .transform('x1', 'mine', [{ op: 'no_such_op', scope: 'cached' }])
      .text();
    const { exitCode, stderr, stdout } = await ctx(['stats', 's.jsonl', '--json'], { files: { 's.jsonl': text } });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('no_such_op')]);
    expect((JSON.parse(stdout) as StatsDocument).usageRecorded.calls).toBe(2);
  });

  it('refuses to leave out of data what it never leaves out', async () => {
    const files = { 's.jsonl': talk().text() };
    expect((await ctx(['stats', 's.jsonl', '--full', '--json'], { files })).exitCode).toBe(2);
    const { stdout } = await ctx(['stats', 's.jsonl', '--full'], { files });
    expect(stdout).toContain('entry type');
  });

  it('prints no text of a session raw', async () => {
    const nasty = '\u001b[31mred\u0007\u202e';
    const text = new Log(nasty, { cwd: nasty }).user('u', nasty).tool('t', nasty, { a: nasty }, nasty).text();
    for (const flags of [[], ['--full'], ['--by', 'tool'], ['--by', 'project'], ['--by', 'tool', '--format', 'csv']]) {
      const { stdout } = await ctx(['stats', 's.jsonl', ...flags], { files: { 's.jsonl': text } });
      // eslint-disable-next-line no-control-regex
      expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/);
      expect(stdout.length).toBeGreaterThan(10);
    }
  });
});

describe('ctx stats of several sessions', () => {
  const fork = talk('b', { parentSession: '/elsewhere/s.jsonl' })
    .user('u3', 'Why?')
    .assistant('a3', 'Clouds.', { usage: usage(300, 30, 0, 1) });
  const files = { 'all/s.jsonl': talk('a').text(), 'all/f.jsonl': fork.text() };

  it('counts what a fork shares once, with the session that it came from', async () => {
    const data = await stats(['all'], { files });
    expect(data.usageRecorded).toMatchObject({ input: 600, calls: 3, cost: 1.75 });
    expect(data.shared).toMatchObject({ entries: 4, usageRecorded: { input: 300, cost: 0.75 } });
    expect(data.entries).toBe(6);
    expect(data.sessions.map(({ file, entries }) => [file, entries])).toEqual([
      ['all/f.jsonl', 2],
      ['all/s.jsonl', 4],
    ]);
    expect(data.usageRecorded.calls + data.shared.usageRecorded.calls).toBe(5);
    const { stdout } = await ctx(['stats', 'all'], { files });
    expect(stdout).toContain('4 entries that forks share counted once');
  });

  it('counts once what forks of a missing session share, and copies', async () => {
    const twins = {
      'x.jsonl': files['all/f.jsonl'],
      'y.jsonl': talk('c', { parentSession: '/elsewhere/s.jsonl' }).user('u9', 'Else?').text(),
      'copy.jsonl': files['all/f.jsonl'],
    };
    const data = await stats(['x.jsonl', 'y.jsonl', 'copy.jsonl'], { files: twins });
    expect([data.entries, data.shared.entries]).toEqual([7, 10]);
  });

  it('counts sessions that have nothing to do with one another whole, even if their ids meet', async () => {
    const others = { 'p.jsonl': talk('p').text(), 'q.jsonl': talk('q').text() };
    expect((await stats(['p.jsonl', 'q.jsonl'], { files: others })).shared.entries).toBe(0);
    // Of the same family, but at another time.
    const later = fork.text().replaceAll('2026-03-02', '2026-03-09');
    const data = await stats(['all'], { files: { ...files, 'all/f.jsonl': later } });
    expect(data.shared.entries).toBe(0);
  });

  it('knows the forks of version 1, which have no ids', async () => {
    const strip = (text: string, header: Json): string =>
      text
        .trimEnd()
        .split('\n')
        .map((line, at) => {
          const {
            id,
            parentId: _parent,
            version: _version,
            parentSession: _session,
            ...rest
          } = JSON.parse(line) as Json;
          return JSON.stringify(at === 0 ? { id, ...rest, ...header } : rest);
        })
        .join('\n');
    const old = {
      'o.jsonl': strip(talk('a').text(), {}),
      'n.jsonl': strip(fork.text(), { branchedFrom: '/elsewhere/o.jsonl' }),
    };
    const data = await stats(['n.jsonl', 'o.jsonl'], { files: old });
    expect([data.entries, data.shared.entries]).toEqual([6, 4]);
  });

  it('takes no entry of version 1 without a time for that of another', async () => {
    const line = (text: string): string =>
      JSON.stringify({ type: 'message', message: { role: 'user', content: text } });
    const header = JSON.stringify({ type: 'session', id: 'one', cwd: '/' });
    const old = { 'o.jsonl': `${header}\n${line('a')}\n`, 'n.jsonl': `${header}\n${line('b')}\n` };
    expect((await stats(['n.jsonl', 'o.jsonl'], { files: old })).entries).toBe(2);
  });

  it('names files that it cannot count, and fails where that is all of them', async () => {
    const broken = { ...files, 'all/z.jsonl': 'no session\n' };
    const { exitCode, stderr, stdout } = await ctx(['stats', 'all', '--json'], { files: broken });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('all/z.jsonl')]);
    expect((JSON.parse(stdout) as StatsDocument).unreadable).toHaveLength(1);
    const none = await ctx(['stats', 'z'], { files: { 'z/1.jsonl': 'a', 'z/2.jsonl': 'b' } });
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('no session could be counted')]);
  });

  it('puts families together, parents first', async () => {
    const io = { files: memoryFiles(files) };
    const named = Object.keys(files).map((file) => ({ file, size: 1 }));
    const families = await groupFamilies(io, named.toReversed());
    expect(families.map((family) => family.map(({ file }) => file))).toEqual([['all/s.jsonl', 'all/f.jsonl']]);
    const apart = memoryFiles({ p: talk('p').text(), q: talk('q').text() });
    const two = ['q', 'p'].map((file) => ({ file, size: 1 }));
    expect(await groupFamilies({ files: apart }, two)).toHaveLength(2);
  });

  it('counts common entries of copies and forks of other agents once', async () => {
    const original = readFileSync('fixtures/agents/claude-code/session.jsonl', 'utf8');
    // `claude --resume FILE --fork-session` copies the lines, with another session id and no link.
    const forked = original.replaceAll(/"sessionId":"[^"]*"/g, '"sessionId":"0b1c2d3e-0000-4000-8000-000000000000"');
    const rollout = readFileSync('fixtures/agents/codex/rollout.jsonl', 'utf8');
    const alone = await stats(['c', 'r'], { files: { 'c/1.jsonl': original, 'r/1.jsonl': rollout } });
    const copied = { 'c/1.jsonl': original, 'c/2.jsonl': forked, 'r/1.jsonl': rollout, 'r/2.jsonl': rollout };
    const together = await stats(['c', 'r'], { files: copied });
    expect(forked).not.toBe(original);
    expect(together.entries).toBe(alone.entries);
    expect(together.usageRecorded).toEqual(alone.usageRecorded);
    expect(together.shared.entries).toBe(alone.entries);
  });

  it('counts the prompt and the tools of another agent among all entries, where a transform declares them', async () => {
    for (const name of ['codex/rollout.jsonl', 'claude-code/session.jsonl']) {
      const counted = await stats(['1.jsonl'], {
        files: { '1.jsonl': readFileSync(`fixtures/agents/${name}`, 'utf8') },
      });
      const declared = counted.ledger.filter(({ category }) => ['system', 'tool definitions'].includes(category));
      expect(declared).toHaveLength(2);
      for (const { tokensEstimated, contextTokensEstimated } of declared) {
        expect(contextTokensEstimated).toBeGreaterThan(0);
        expect(tokensEstimated).toBeGreaterThanOrEqual(contextTokensEstimated ?? Infinity);
      }
    }
  });

  it('counts entries that a fork of Claude Code copied with new ids once', async () => {
    const original = readFileSync('fixtures/agents/claude-code/session.jsonl', 'utf8');
    const forked = forkedWithNewIds(original, '0b1c2d3e-0000-4000-8000-000000000000');
    const alone = await stats(['1.jsonl'], { files: { '1.jsonl': original } });
    const together = await stats(['d'], { files: { 'd/1.jsonl': original, 'd/2.jsonl': forked } });
    expect(together.usageRecorded).toEqual(alone.usageRecorded);
    expect(together.shared.usageRecorded).toEqual(alone.usageRecorded);
    const withoutOrigin = await stats(['2.jsonl'], { files: { '2.jsonl': forked } });
    expect(withoutOrigin.usageRecorded).toMatchObject({ calls: 0, total: 0 });
    expect(withoutOrigin.shared.usageRecorded).toEqual(alone.usageRecorded);
  });
});

describe('ctx stats --by', () => {
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, seed) => [`d/${seed}.jsonl`, generateSession({ seed, entries: 60 })]),
  );

  it.each(['day', 'week', 'model', 'project', 'session'])('%s: the rows add up to the total', async (by) => {
    const { groups, usageRecorded } = await stats(['d', '--by', by], { files });
    const sum = (of: (row: NonNullable<typeof groups>['rows'][number]) => number): number =>
      groups!.rows.reduce((total, row) => total + of(row), 0);
    expect(sum((row) => row.usageRecorded.total)).toBe(usageRecorded.total);
    expect(sum((row) => row.usageRecorded.calls)).toBe(usageRecorded.calls);
    expect(usageRecorded.total).toBeGreaterThan(1000);
  });

  it('week: the rows are those of the days from Monday on', async () => {
    const rowsBy = async (by: string): Promise<readonly { key: string; calls: number }[]> => {
      const { groups } = await stats(['d', '--by', by], { files });
      return groups!.rows.map(({ key, usageRecorded }) => ({ key, calls: usageRecorded.calls }));
    };
    const [days, weeks] = [await rowsBy('day'), await rowsBy('week')];
    expect(weeks.length).toBeGreaterThan(0);
    for (const { key, calls } of weeks) {
      const monday = Date.parse(key);
      expect(new Date(monday).getUTCDay()).toBe(1);
      const own = days.filter((day) => Date.parse(day.key) >= monday && Date.parse(day.key) < monday + 7 * 86_400_000);
      expect(own.reduce((sum, day) => sum + day.calls, 0)).toBe(calls);
    }
  });

  it('is refused where the groupings have no common unit, or are no groupings', async () => {
    const refused = async (...by: readonly string[]): Promise<string> => {
      const { exitCode, stderr } = await ctx(['stats', 'd', ...by.flatMap((each) => ['--by', each])], { files });
      expect(exitCode).toBe(2);
      return stderr;
    };
    expect(await refused('model', 'tool')).toBe(
      'ctx: --by tool cannot be joined with others: a cost belongs to a request, not to a tool: use --by tool alone, or --by model\n',
    );
    expect(await refused('day,day')).toBe('ctx: --by names day twice: name each grouping once\n');
    expect(await refused('day,mood')).toContain('invalid value "mood" for GROUP: --by: choose from day, week, month');
  });

  it('tool: the rows are what results weigh', async () => {
    const { groups, tools } = await stats(['d', '--by', 'tool'], { files });
    expect(groups!.rows.map(({ key, tokensEstimated }) => [key, tokensEstimated])).toEqual(
      tools.map(({ name, resultTokensEstimated }) => [name, resultTokensEstimated.sum]),
    );
  });

  it('prints CSV: a title and a row for every group', async () => {
    const { stdout, exitCode } = await ctx(['stats', 'd', '--by', 'session', '--format', 'csv'], { files });
    const rows = stdout.trimEnd().split('\n');
    expect([exitCode, rows.length]).toEqual([0, 13]);
    expect(rows[0]).toBe(
      'session,sessions,callsRecorded,inputRecorded,outputRecorded,cacheReadRecorded,cacheWriteRecorded,totalRecorded,costRecorded,toolCalls,toolErrors,tokensEstimated,costListed',
    );
    const { sessions } = await stats(['d'], { files });
    expect(rows.slice(1).map((row) => Number(row.split(',').at(-2)))).toEqual(
      sessions.map(({ tokensEstimated }) => tokensEstimated),
    );
  });

  it('starts no formula in a spreadsheet', async () => {
    const text = new Log('a', { cwd: '=cmd|"x"' }).user('u1', 'hi').text();
    const { stdout } = await ctx(['stats', 's', '--by', 'project', '--format', 'csv'], { files: { s: text } });
    expect(stdout.split('\n')[1]).toMatch(/^"'=cmd\|""x""",/);
  });
});

describe('the listed prices of ctx stats', () => {
  const million = (cost: unknown, model = 'claude-sonnet-4-5'): Json => ({
    usage: { input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6, totalTokens: 4e6, cost },
    model,
  });
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

  it('are assumed for calls that record no cost, and marked', async () => {
    const s = new Log('a').assistant('a1', '', million(null)).text();
    const { usageRecorded } = await stats(['s'], { files: { s } });
    expect(usageRecorded.cost).toBe(null);
    expect(usageRecorded.costListed).toBeCloseTo(3 + 15 + 0.3 + 3.75);
    const { stdout } = await ctx(['stats', 's'], { files: { s } });
    expect(stdout).toMatch(/^ {2}anthropic\/claude-sonnet-4-5 .* ~\$22\.05$/m);
    expect(stdout).toContain('~ assumes the listed prices of models where no cost is recorded');
    const grouped = await ctx(['stats', 's', '--by', 'day'], { files: { s } });
    expect(grouped.stdout).toMatch(/~\$22\.05\n {2}~ assumes/);
    const csv = await ctx(['stats', 's', '--by', 'day', '--format', 'csv'], { files: { s } });
    expect(csv.stdout.trimEnd().split('\n')[1]).toMatch(/,22\.05$/);
  });

  it('never replace a recorded cost, be it nothing', async () => {
    const s = new Log('a')
      .assistant('a1', '', million(free))
      .assistant('a2', '', million({ input: 1 }))
      .text();
    const { usageRecorded } = await stats(['s'], { files: { s } });
    expect(usageRecorded).toMatchObject({ cost: 0, costListed: null });
    const { stdout } = await ctx(['stats', 's'], { files: { s } });
    expect(stdout).toContain('$0.00');
    expect(stdout).not.toContain('~$');
  });

  it('stand beside what other calls record', async () => {
    const s = new Log('a')
      .assistant('a1', '', million({ ...free, total: 2 }))
      .assistant('a2', '', million(null))
      .text();
    const { usageRecorded } = await stats(['s'], { files: { s } });
    expect(usageRecorded).toMatchObject({ cost: 2, costListed: expect.closeTo(22.05, 6) as number });
    expect((await ctx(['stats', 's'], { files: { s } })).stdout).toContain('~$24.05');
  });

  it('are unknown for a model that the list lacks', async () => {
    const s = new Log('a').assistant('a1', '', million(null, 'some-model')).text();
    const { usageRecorded } = await stats(['s'], { files: { s } });
    expect(usageRecorded).toMatchObject({ cost: null, costListed: null });
    expect((await ctx(['stats', 's'], { files: { s } })).stdout).toMatch(/some-model .* \?$/m);
  });
});

describe('the bars of ctx stats', () => {
  const files = { s: talk().text() };
  const shown = async (columns: number, ...args: readonly string[]): Promise<string> =>
    (await ctx(['stats', 's', ...args], { files, columns })).stdout;

  it('stand behind the number that they draw', async () => {
    expect(await shown(100, '--by', 'model')).toMatch(/claude-opus-4-5 +1 +200 +30 +0 +20 +\$0\.25 +█+$/m);
    expect(await shown(80)).toMatch(/^ +user +13 +5% +█\S* +13 +68%$/m);
    const several = { 's.jsonl': talk('a').text(), 'o.jsonl': talk('b').text() };
    const { stdout } = await ctx(['stats', 's.jsonl', 'o.jsonl'], { files: several });
    expect(stdout).toMatch(/^ +user +\d+ +69% +█+$/m);
  });

  it('lead to a total of all rows, with the sessions of each', async () => {
    const several = { 's.jsonl': talk('a').text(), 'o.jsonl': talk('b').text() };
    const ran = async (by: string): Promise<string> =>
      (await ctx(['stats', 's.jsonl', 'o.jsonl', '--by', by], { files: several, columns: 80 })).stdout;
    expect(await ran('model')).toMatch(/^ +model +sessions +calls .*\n.*\n.*laude-opus-4-5 +2 +2 .*\n +total +2 +4 /m);
    expect(await ran('model')).toMatch(/^ +total .* 60 +\$1\.50$/m);
    expect(await ran('session')).toMatch(/^ +calls .*\n.*\n.*\n +4 +600 .* total$/m);
    expect(await ran('tool')).toMatch(/^ +total /m);
    const one = await shown(80, '--by', 'day');
    expect(one).not.toContain('sessions');
    expect(one).toMatch(/^ +total +2 +300 /m);
  });

  it('name the sessions that are in the total and in no row, or in several rows', async () => {
    const empty = new Log('b').user('u1', 'No answer yet.').text();
    const two = talk('c')
      .assistant('a9', '', { usage: usage(1, 1, 1, 0.5), model: 'other' })
      .text();
    const world = { files: { 'd/a.jsonl': talk('a').text(), 'd/b.jsonl': empty, 'd/c.jsonl': two }, columns: 100 };
    const ran = async (by: string): Promise<string> => (await ctx(['stats', 'd', '--by', by], world)).stdout;
    const outside = '  the total includes 1 session without own calls\n';
    const subagents = await ran('subagent');
    expect(subagents).toMatch(/^ +main +2 .*\n +total +3 /m);
    expect(subagents).toContain(outside);
    expect(subagents).not.toContain('several rows');
    expect(await ran('model')).toContain(`  the total counts a session of several rows once\n${outside}`);
    expect(await ran('project')).not.toContain('the total');
    const { groups } = await stats(['d', '--by', 'subagent'], world);
    expect(groups?.sessionsOutside).toBe(1);
  });

  it('name models without their providers, and without bars, where there is little room', async () => {
    const long = talk('a').assistant('a9', '', { usage: usage(1e6, 1e5, 5e7, 12.5), model: 'claude-sonnet-4-5' });
    const several = { 's.jsonl': long.text(), 'o.jsonl': talk('b').text() };
    const ran = async (columns: number): Promise<string> =>
      (await ctx(['stats', 's.jsonl', 'o.jsonl', '--by', 'model'], { files: several, columns })).stdout;
    expect(await ran(80)).toMatch(/^ +claude-sonnet-4-5 +\d .*█.*\n +claude-opus-4-5 +\d /m);
    expect(await ran(76)).toMatch(/^ +claude-sonnet-4-5 +\d [^█]*\n +claude-opus-4-5 +\d /m);
    expect(await ran(120)).toMatch(/^ +\S+\/claude-sonnet-4-5 +\d /m);
  });

  it('leave out the number of sessions before a name is cut', async () => {
    const dated = talk('a').assistant('a9', '', {
      usage: usage(1e6, 1e5, 5e7, 12.5),
      model: 'claude-sonnet-4-5-20250929',
    });
    const several = { 's.jsonl': dated.text(), 'o.jsonl': talk('b').text() };
    const { stdout } = await ctx(['stats', 's.jsonl', 'o.jsonl', '--by', 'model'], { files: several, columns: 76 });
    expect(stdout).toMatch(/^ +model +calls .*\n +claude-sonnet-4-5-20250929 +\d /m);
  });

  it('leave room for the end of a path, cut at its start', async () => {
    const name = `${'folder/'.repeat(12)}a.jsonl`;
    const { stdout } = await ctx(['stats', name, '--by', 'session'], {
      files: { [name]: talk().text() },
      columns: 80,
    });
    expect(stdout).toMatch(/…\S*folder\/a\.jsonl$/m);
  });

  it('leave the usage of one session in 80 columns, without providers where they do not fit', async () => {
    const wide = {
      s: new Log('a')
        .user('u1', 'hi')
        .assistant('a1', '', { usage: usage(10, 20, 30, 0.5), model: 'claude-sonnet-4-5', provider: 'p'.repeat(30) })
        .text(),
    };
    const { stdout } = await ctx(['stats', 's'], { files: wide, columns: 80 });
    expect(stdout).toMatch(/^ +model +calls +input +reads +writes +output +cost$/m);
    expect(stdout).toMatch(/^ +claude-sonnet-4-5 +1 /m);
  });

  it('leave lines no longer than the terminal, and shorten numbers before they vanish', async () => {
    for (const columns of [80, 90, 100, 120])
      for (const by of ['model', 'day', 'tool'])
        for (const each of (await shown(columns, '--by', by)).split('\n'))
          expect(each.length).toBeLessThanOrEqual(columns);
    const big = new Log('a')
      .user('u1', 'hi')
      .assistant('a1', '', { usage: usage(1_234_567, 10, 2_345_678, 0.5), model: 'a-model-with-a-long-name' });
    const world = { files: { s: big.text() } };
    expect((await ctx(['stats', 's', '--by', 'model'], { ...world, columns: 80 })).stdout).toMatch(
      /1\.2M +2\.3M +0 +10 .*█{4}/,
    );
    expect((await ctx(['stats', 's', '--by', 'model'], { ...world, columns: 120 })).stdout).toContain('1,234,567');
  });
});

describe('ctx stats --tokenizer', () => {
  const text = talk().user('u3', 'antidisestablishmentarianism '.repeat(20)).text();

  it('counts with it, and names it', async () => {
    const data = await stats(['s', '--tokenizer', 'o200k'], { files: { s: text } });
    expect(data.tokenizer).toEqual(['o200k']);
    const user = data.ledger.find(({ category }) => category === 'user');
    expect(user?.tokensEstimated).toBeGreaterThan(120);
    expect(user?.tokensEstimated).toBeLessThan(140);
    expect((await ctx(['stats', 's', '--tokenizer', 'o200k'], { files: { s: text } })).stdout).toContain(
      '(o200k, scaled to',
    );
  });

  it('measures Claude on the requests of the session', async () => {
    const log = new Log('a');
    let size = 0;
    for (let at = 0; at < 6; at += 1) {
      log.user(`u${at}`, 'word '.repeat(100));
      size += 101;
      log.assistant(`a${at}`, '', { content: [], usage: usage(3000 + Math.round(size * 1.4), 1, 0, 0) });
    }
    const data = await stats(['s', '--tokenizer', 'claude'], { files: { s: log.text() } });
    expect(data.tokenizer[0]).toMatch(/^claude \(o200k × 1\.(39|4)\d*\)$/);
    expect(data.sessions[0]?.preambleKnown).toBe(false);
  });

  it('does not guess what Claude would count', async () => {
    const files = { s: new Log('a').user('u1', 'hi').text() };
    const { exitCode, stderr } = await ctx(['stats', 's', '--tokenizer', 'claude'], { files });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('use --tokenizer o200k')]);
    expect((await ctx(['stats', 's', '--tokenizer', 'words'], { files })).exitCode).toBe(2);
  });
});

/** The session as the SDK of Claude Code forks it: each record has another uuid, and names that of the original. */
function forkedWithNewIds(text: string, sessionId: string): string {
  const renamed = (uuid: unknown): unknown => (typeof uuid === 'string' ? `f${uuid.slice(1)}` : uuid);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => {
      const record = JSON.parse(line) as Record<string, unknown>;
      if (record['uuid'] === undefined) return '';
      const forkedFrom = { sessionId: record['sessionId'], messageUuid: record['uuid'] };
      const links = { uuid: renamed(record['uuid']), parentUuid: renamed(record['parentUuid']) };
      return `${JSON.stringify({ ...record, ...links, sessionId, forkedFrom })}\n`;
    })
    .join('');
}
