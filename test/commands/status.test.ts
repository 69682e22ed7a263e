import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StatusDocument } from '../../src/prune/gate-document.js';
import { schemas } from '../../src/schemas.js';
import { entry, HEADER, lines as fileOf, TALK, user } from '../support/entries.js';
import { fixtures, projectFolder } from '../support/files.js';
import { ctx, type Ran, type World } from '../support/memory-io.js';

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
    expect((await status(['--limit', '100k', '--at', at])).stdout).toMatch(
      new RegExp(`^mode {7}${mode}: .*\\n(?:ctx prune|zone).*`, 'm'),
    );
  });

  it('names the strategies of the zone', async () => {
    expect(await documentOf(['--at', 'a3'])).toMatchObject({
      strategies: ['dedupe', 'errors', 'thinking', 'images', 'distill'],
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
    expect((await status(['--limit', '100k'])).stdout).toContain(`packet     p1, ~${packet.tokensEstimated} tokens\n`);
    expect((await documentOf(['--at', 'a8'])).packet).toEqual({ tokensEstimated: 0, entryId: null });
    expect((await status(['--limit', '100k', '--at', 'a8'])).stdout).toContain('packet     none\n');
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
    expect((await status(['--limit', '100k'], text)).stdout).toMatch(/^summaries {2}branch b1, ~\d+ tokens$/m);
  });

  it('says what was recorded and what is estimated', async () => {
    expect((await documentOf(['--at', 'a8'])).tokens).toMatchObject({ total: 76_100, recorded: 76_100, estimated: 0 });
    const { tokens } = await documentOf();
    expect(tokens.recorded).toBe(31_800);
    expect(tokens.total).toBe(tokens.recorded + tokens.estimated);
    expect(tokens.estimated).toBeGreaterThan(0);
    expect((await documentOf(['--at', 'p1'])).tokens).toMatchObject({ recorded: 76_100, method: 'changed' });
    const text = (await status(['--limit', '100k', '--at', 'p1'])).stdout;
    expect(text).toMatch(/^context {4}~76,\d+ of 100,000 tokens \(76%\): 76,100 recorded, then ~/m);
  });

  it('says when the next zones begin', async () => {
    expect((await documentOf(['--at', 'a3'])).next).toEqual([
      { zone: 'red', begins: 70_000, away: 13_600 },
      { zone: 'compact', begins: 85_000, away: 28_600 },
    ]);
    expect((await documentOf(['--at', 'a6'])).next).toEqual([]);
    expect((await status(['--limit', '100k', '--at', 'a6'])).stdout).toContain(
      'next       nothing: this is the worst zone',
    );
  });

  it('says when Pi compacts, by its own settings', async () => {
    expect((await documentOf(['--at', 'a5'])).pi).toEqual({
      enabled: true,
      reserve: 16_384,
      threshold: 83_616,
      tokens: 81_000,
      away: 2616,
      reason: null,
    });
    expect((await documentOf(['--at', 'a6'])).pi).toMatchObject({ reason: 'threshold', away: -5084 });
    const settings = (compaction: unknown): World => ({
      files: { '/home/ada/.pi/agent/settings.json': JSON.stringify({ compaction }) },
    });
    const other = await documentOf(['--at', 'a5'], PRESSURE, settings({ reserveTokens: 40_000 }));
    expect(other.pi).toMatchObject({ threshold: 60_000, reason: 'threshold' });
    const off = await status(['--limit', '100k', '--at', 'a6'], PRESSURE, settings({ enabled: false }));
    expect(off.stdout).toContain('Pi         does not compact by itself: its settings switch that off');
    const small = await status(['--limit', '10k']);
    expect(small.stdout).toContain('Pi         compacts before every prompt: 16,384 tokens are to stay free');
    const fresh = await status(['--limit', '100k', '--at', 'k1']);
    expect(fresh.stdout).toContain('Pi         compacts above 83,616 tokens, once an answer has counted them');
  });

  it('says what the gate waits for', async () => {
    expect((await documentOf(['--at', 'a2'])).gate).toEqual({ latch: 'green', waitsFor: null, cooldownTurns: 0 });
    expect((await documentOf(['--at', 'a5'])).gate).toMatchObject({
      latch: 'red',
      waitsFor: { request: 'compact', entryId: 'a4', turn: 4, tokens: { total: 74_300 } },
    });
    expect((await documentOf(['--at', 'k1'])).gate).toMatchObject({ latch: 'green', waitsFor: null });
    expect((await status(['--limit', '100k', '--at', 'a5'])).stdout).toContain(
      'gate       latched: asked for compaction in turn 4\n',
    );
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
    const { stdout } = await status(['--limit', '100k', '--at', 'a7'], PRESSURE, cooling(6));
    expect(stdout).toContain('gate       cooldown: nothing is asked for in the next 2 turns\n');
  });

  it('is fine with a session that holds nothing', async () => {
    const document = await documentOf([], fileOf(HEADER));
    expect(document).toMatchObject({ mode: 'watch', zone: 'green', at: { entryId: null }, tokens: { total: 0 } });
  });

  it('needs a limit, and says how to supply it', async () => {
    const { stderr, exitCode } = await status([]);
    expect(stderr).toBe(
      'ctx: the session does not say how much the model can take: s.jsonl: say it with --limit, as in --limit 200k, or with "limit" in the configuration\n',
    );
    expect(exitCode).toBe(2);
  });

  it.each(readable)('keeps to its schema: %s', async (file) => {
    const { stdout, exitCode } = await status(['--json', '--limit', '1k'], readFileSync(file));
    expect(exitCode).toBe(0);
    expect(schemas.status.safeParse(JSON.parse(stdout))).toMatchObject({ success: true });
  });
});
