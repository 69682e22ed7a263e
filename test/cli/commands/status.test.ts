import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StatusDocument } from '#change/prune/gate/status-document.js';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { entry, lines as fileOf, HEADER, TALK, user } from '../../support/entries.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const PRESSURE = readFileSync(path.join(projectFolder, 'fixtures/pressure.jsonl'), 'utf8');
/** Those that hold a session, and one that can be replayed. */
const readable = fixtures.filter((file) => !/rules|empty|missing-header|late-header|byte-order-mark/.test(file));
const CONFIG = '/home/ada/weather/ctx.config.json';

function status(flags: readonly string[], text: string | Uint8Array = PRESSURE, world: World = {}): Promise<Ran> {
  return ctx(['status', 's.jsonl', ...flags], { ...world, files: { 's.jsonl': text, ...world.files } });
}

async function documentOf(
  flags: readonly string[] = [],
  text: string | Uint8Array = PRESSURE,
  world: World = {},
): Promise<StatusDocument> {
  const { stdout, stderr, exitCode } = await status(['--json', '--limit', '100k', ...flags], text, world);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return schemas.status.parse(JSON.parse(stdout));
}

describe('ctx status', () => {
  it.each([
    ['a2', 'watch', 'green'],
    ['a3', 'prune', 'yellow'],
    ['a4', 'compact', 'red'],
    ['a6', 'compact', 'compact'],
  ])('reports mode and zone: at %s it is %s, %s', async (at, mode, zone) => {
    const document = await documentOf(['--at', at]);
    expect(document).toMatchObject({ mode, zone, at: { entryId: at } });
    const advice = {
      watch: 'nothing to do; above 50k: ctx prune; above 70k: ctx compact',
      prune: 'run ctx prune; above 70k: ctx compact',
      compact: 'run ctx compact',
    };
    const ranges = { green: 'below 50%', yellow: '50% to 70%', red: '70% to 85%', compact: 'above 85%' };
    const since = zone === 'green' ? '' : `, since turn ${at.slice(1)}`;
    const { stdout } = await status(['--limit', '100k', '--at', at]);
    const range = ranges[zone as 'green'];
    expect(stdout).toContain(
      `\nZone     ${zone}: ${range} of the window${since}\nAdvice   ${advice[mode as 'watch']}\n`,
    );
  });

  it('names the strategies of the zone', async () => {
    expect(await documentOf(['--at', 'a3'])).toMatchObject({
      strategies: ['turns', 'dedupe', 'errors', 'thinking', 'images', 'distill'],
    });
    expect((await documentOf(['--at', 'a2'])).strategies).toEqual([]);
    const world = {
      files: { [CONFIG]: JSON.stringify({ prune: { zones: { yellow: [['images', { afterTurns: 3 }]] } } }) },
    };
    expect((await documentOf(['--at', 'a3'], PRESSURE, world)).strategies).toEqual(['images']);
  });

  it('reports the packet that stands in the context, and its size', async () => {
    const { packet } = await documentOf();
    expect(packet.entryId).toBe('p1');
    expect(packet.tokensEstimated).toBeGreaterThan(20);
    expect((await status(['--limit', '100k'])).stdout).toContain(
      `Summary  p1 of messages that a prune dropped, ~${packet.tokens.toLocaleString('en')} tokens\n`,
    );
    expect((await documentOf(['--at', 'a8'])).packet).toEqual({ tokens: 0, tokensEstimated: 0, entryId: null });
    expect((await status(['--limit', '100k', '--at', 'a8'])).stdout).not.toContain('a prune dropped');
  });

  it('finds a packet that stock Pi shows as well', async () => {
    const content = '[Context packet: what was said before, in short]\n\nGoal: UTC.';
    const packet = entry('custom_message', 'c1', 'a2', { customType: 'ctx.packet', content, display: false });
    const document = await documentOf([], fileOf(HEADER, ...TALK, packet, user('u3', 'c1')));
    expect(document.packet).toMatchObject({ entryId: 'c1' });
  });

  it('reports the summaries that the context holds', async () => {
    expect((await documentOf()).summaries).toEqual([]);
    expect((await documentOf(['--at', 'k1'])).summaries).toMatchObject([{ kind: 'compaction', entryId: 'k1' }]);
    const branch = entry('branch_summary', 'b1', 'a2', { fromId: 'u1', summary: 'it was tried' });
    const text = fileOf(HEADER, ...TALK, branch);
    expect((await documentOf([], text)).summaries).toMatchObject([{ kind: 'branch', entryId: 'b1', line: 6 }]);
    expect((await status(['--limit', '100k'], text)).stdout).toMatch(/^Summary {2}b1 of a branch, ~\d+ tokens$/m);
  });

  it('says what was recorded and what is estimated', async () => {
    expect((await documentOf(['--at', 'a8'])).tokens).toMatchObject({ total: 76_100, recorded: 76_100, estimated: 0 });
    const { tokens } = await documentOf();
    expect(tokens.recorded).toBe(31_800);
    expect(tokens.total).toBe(tokens.recorded + tokens.estimated);
    expect(tokens.estimated).toBeGreaterThan(0);
    expect((await documentOf(['--at', 'p1'])).tokens).toMatchObject({ recorded: 76_100, method: 'changed' });
    const text = (await status(['--limit', '100k', '--at', 'p1'])).stdout;
    expect(text).toMatch(
      /^Context {2}~42,\d+ of 100,000 tokens \(43%\) .*\n {9}76,100 recorded; ~33,\d+ removed since$/m,
    );
  });

  it('says when the next zones begin', async () => {
    expect((await documentOf(['--at', 'a3'])).next).toEqual([
      { zone: 'red', begins: 70_000, away: 13_600 },
      { zone: 'compact', begins: 85_000, away: 28_600 },
    ]);
    expect((await documentOf(['--at', 'a6'])).next).toEqual([]);
  });

  it('says when Pi compacts, by its own settings', async () => {
    expect((await documentOf(['--at', 'a5'])).pi).toEqual({
      enabled: true,
      reserve: 16_384,
      threshold: 83_616,
      tokens: 81_000,
      away: 2616,
      reason: null,
      answerCutOff: false,
      outputReserve: null,
    });
    expect((await documentOf(['--at', 'a6'])).pi).toMatchObject({ reason: 'threshold', away: -5084 });
    const settings = (compaction: unknown): World => ({
      files: { '/home/ada/.pi/agent/settings.json': JSON.stringify({ compaction }) },
    });
    const other = await documentOf(['--at', 'a5'], PRESSURE, settings({ reserveTokens: 40_000 }));
    expect(other.pi).toMatchObject({ threshold: 60_000, reason: 'threshold' });
    const off = await status(['--limit', '100k', '--at', 'a6'], PRESSURE, settings({ enabled: false }));
    expect(off.stdout).toContain('Pi       does not compact by itself: its settings turn that off');
    const small = await status(['--limit', '10k']);
    expect(small.stdout).toContain('Pi       compacts before every prompt: it keeps 16,384 tokens free');
    expect((await status(['--limit', '100k', '--at', 'a5'])).stdout).toContain(
      'Pi       will compact in 2,616 tokens, above 83,616 tokens\n',
    );
    expect((await status(['--limit', '100k', '--at', 'a6'])).stdout).toContain(
      'Pi       will compact before the next prompt: the context is above 83,616 tokens\n',
    );
    const fresh = await status(['--limit', '100k', '--at', 'k1']);
    expect(fresh.stdout).toContain('Pi       will compact above 83,616 tokens; it counts them with the next answer');
  });

  it('says what the gate waits for', async () => {
    expect((await documentOf(['--at', 'a2'])).gate).toEqual({ latch: 'green', waitsFor: null, cooldownTurns: 0 });
    expect((await documentOf(['--at', 'a5'])).gate).toMatchObject({
      latch: 'red',
      waitsFor: { request: 'compact', entryId: 'a4', turn: 4, tokens: { total: 74_300 } },
    });
    expect((await documentOf(['--at', 'k1'])).gate).toMatchObject({ latch: 'green', waitsFor: null });
  });

  it('says that the gate cools down', async () => {
    const cooling = (cooldownTurns: number): World => ({
      files: { [CONFIG]: JSON.stringify({ prune: { cooldownTurns } }) },
    });
    const gateAfter = async (cooldownTurns: number): Promise<unknown> =>
      (await documentOf(['--at', 'a7'], PRESSURE, cooling(cooldownTurns))).gate;
    expect(await gateAfter(3)).toMatchObject({ latch: 'yellow', waitsFor: { entryId: 'a7' } });
    expect(await gateAfter(4)).toEqual({ latch: 'green', waitsFor: null, cooldownTurns: 0 });
    expect(await gateAfter(6)).toEqual({ latch: 'green', waitsFor: null, cooldownTurns: 2 });
  });

  it('is fine with a session that holds nothing', async () => {
    const document = await documentOf([], fileOf(HEADER));
    expect(document).toMatchObject({ mode: 'watch', zone: 'green', at: { entryId: null }, tokens: { total: 0 } });
  });

  it('leads with what is used, and draws it', async () => {
    const { stdout } = await status(['--limit', '100k', '--at', 'a8']);
    const [, first] = stdout.split('\n');
    expect(first).toBe(`Context  76,100 of 100,000 tokens (76%)  ${'█'.repeat(23)}${'░'.repeat(7)}`);
  });

  it('assumes the context window of the model, and says so', async () => {
    const { stdout } = await status([]);
    expect(stdout).toMatch(/^Context {2}~31,808 of 200,000 tokens \(16%\) /m);
    expect(stdout).toContain('Window   200k (claude-sonnet-4-5, assumed); --limit sets another\n');
    const data = schemas.status.parse(JSON.parse((await status(['--json'])).stdout));
    expect(data).toMatchObject({ limit: 200_000, limitSource: 'assumed', model: 'claude-sonnet-4-5', zone: 'green' });
    expect(await documentOf()).toMatchObject({ limit: 100_000, limitSource: 'supplied' });
    const configured = await status(['--json'], PRESSURE, { files: { [CONFIG]: '{"limit":50000}' } });
    expect(JSON.parse(configured.stdout)).toMatchObject({ limit: 50_000, limitSource: 'configured' });
  });

  it('shows what is known where the context window is not, and how to supply it', async () => {
    const unknown = PRESSURE.replaceAll('claude-sonnet-4-5', 'm1');
    const { stdout, stderr, exitCode } = await status([], unknown);
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(stdout.split('\n').slice(1)).toEqual([
      'Context  ~31,807 tokens',
      '         31,800 recorded; ~7 added since (error 25.6%)',
      'Holds    not recorded  31,710  100%  prompt, memory files, tools and other text…',
      '         user              80   <1%',
      '         answers           17   <1%',
      'Window   unknown for the model "m1"; supply it with --limit, as in --limit 200k',
      'Pi       will compact when fewer than 16,384 tokens are free',
      'Cache    expires in 5 minutes (5 minutes, assumed)',
      'Summary  p1 of messages that a prune dropped, ~62 tokens',
      'Resume   pi --session s.jsonl',
      'Next     ctx show s.jsonl',
      '',
    ]);
    const data = schemas.status.parse(JSON.parse((await status(['--json'], unknown)).stdout));
    expect(data).toMatchObject({ limit: null, limitSource: 'unknown', zone: null, mode: null, gate: null, next: [] });
    expect(data.pi).toMatchObject({ threshold: null, away: null });
  });

  it('names the commands that make the context smaller, at the leaf only', async () => {
    const weather = readFileSync(`${projectFolder}/fixtures/weather.jsonl`, 'utf8');
    const tried = async (...flags: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await status(flags, weather);
      return stdout.split('\n').flatMap((text) => /^(?:Try {6}| {9})(ctx .*)$/.exec(text)?.[1] ?? []);
    };
    expect(await tried('--limit', '100k')).toEqual([]);
    expect(await tried('--limit', '3k')).toEqual(['ctx prune s.jsonl --limit 3000 --dry-run']);
    expect(await tried('--limit', '2k')).toEqual([
      'ctx compact s.jsonl --keep-recent 200 --dry-run',
      'ctx prune s.jsonl --limit 2000 --dry-run',
    ]);
    expect(await tried('--limit', '2k', '--policy', 'shorten')).toContain(
      'ctx prune s.jsonl --limit 2000 --policy shorten --dry-run',
    );
    expect(await tried('--limit', '2k', '--at', 'af810455')).toEqual([]);
    const file = `/${'very-'.repeat(20)}long.jsonl`;
    const { stdout } = await ctx(['status', file, '--limit', '2k'], { files: { [file]: weather }, columns: 40 });
    expect(stdout, 'a command is never wrapped').toContain(`\n         ctx prune ${file} --limit 2000 --dry-run\n`);
  });

  it('names no compaction that is refused', async () => {
    const tried = async (text: string, limit: string): Promise<readonly string[]> => {
      const world = { files: { 's.jsonl': text } };
      const { stdout } = await ctx(['status', 's.jsonl', '--limit', limit], world);
      const commands = [...stdout.matchAll(/^(?:Try)? {6,9}ctx (.*)$/gm)].map((found) => found[1] ?? '');
      for (const command of commands) expect(await ctx(command.split(' '), world)).toMatchObject({ exitCode: 0 });
      return commands;
    };
    const fixture = (name: string): string => readFileSync(`${projectFolder}/fixtures/${name}.jsonl`, 'utf8');
    expect(await tried(fixture('weather'), '2k')).toContain('compact s.jsonl --keep-recent 200 --dry-run');
    expect(await tried(fixture('compacted-twice'), '200')).toEqual([]);
    expect(await tried(fixture('pressure'), '40k')).toEqual(['compact s.jsonl --keep-recent 1 --dry-run']);
    const long = new Log('long').user('u1', 'x'.repeat(90_000)).assistant('a1', 'Done.').user('u2', 'x'.repeat(90_000));
    expect(await tried(long.text(), '50k')).toContain('compact s.jsonl --dry-run');
  });

  it('is what ctx alone prints of the newest session of the folder, with the next three commands', async () => {
    const weather = readFileSync(`${projectFolder}/fixtures/weather.jsonl`, 'utf8');
    const file = '/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-01-14T20-31-07-240Z_019bbe34.jsonl';
    const world = { files: { [file]: weather }, cwd: '/home/ada/weather', home: '/home/ada' };
    const { stdout, exitCode } = await ctx([], world);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`${(await ctx(['status'], world)).stdout}         ctx --help  lists all commands\n`);
    expect(stdout).toMatch(/\nSession {2}Pi, 2026-01-14T20-31-07-240Z_019bbe34\.jsonl in\s+~\/\.pi\/agent\//);
    expect(stdout).toMatch(
      /\nNext {5}ctx show --part tools\n {9}ctx stats latest\n {9}ctx explore latest\n {9}ctx --help {2}lists all commands\n$/,
    );
  });

  it('is replaced by the newest sessions of other folders where ctx alone finds none, and by the help without any', async () => {
    const weather = readFileSync(`${projectFolder}/fixtures/weather.jsonl`, 'utf8');
    const files = Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [
        `/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-01-14T20-31-0${at}-240Z_019bbe3${at}.jsonl`,
        weather,
      ]),
    );
    const world = { files, cwd: '/home/ada/elsewhere', home: '/home/ada' };
    const { stdout, exitCode } = await ctx([], world);
    expect(exitCode).toBe(0);
    const listed = (await ctx(['ls', '--agent', 'all', '-n', '5'], world)).stdout;
    expect(listed.match(/^019bbe3/gm)).toHaveLength(5);
    expect(stdout).toContain(`all folders:\n\n${listed}\nNext  ctx status SESSION `);
    expect(stdout.trimEnd().split('\n').slice(-3).join('\n')).toMatch(
      /ctx status .+\n {6}ctx find .+\n {6}ctx --help /,
    );
    const configured = { ...files, '/home/ada/elsewhere/ctx.config.json': '{"defaults":{"ls":{"format":"json"}}}' };
    for (const row of (await ctx([], { ...world, files: configured })).stdout.trim().split('\n')) JSON.parse(row);
    expect((await ctx([], { ...world, files: {} })).stdout).toContain('Usage: ctx COMMAND');
  });

  it('leaves out the turn of a zone that no turn ended in', async () => {
    const { stdout } = await status(['--limit', '40k']);
    expect(stdout).toMatch(/^Zone {5}red: 70% to 85% of the window, since turn \d+$/m);
    const grown = fileOf(HEADER, ...TALK, user('u9', 'a2', 'x'.repeat(40_000)));
    expect((await status(['--limit', '10k'], grown)).stdout).toMatch(/^Zone {5}compact: above 85% of the window$/m);
  });

  it('uses no words of the implementation', async () => {
    for (const at of ['a2', 'a3', 'a5', 'a6', 'a7', 'k1'])
      expect((await status(['--limit', '100k', '--at', at])).stdout).not.toMatch(
        /\b(?:mode|packet|latch|gate|policy)/i,
      );
  });

  it.each(readable)('keeps to its schema: %s', async (file) => {
    const { stdout, exitCode } = await status(['--json', '--limit', '1k'], readFileSync(file));
    expect(exitCode).toBe(0);
    expect(schemas.status.safeParse(JSON.parse(stdout))).toMatchObject({ success: true });
  });
});
