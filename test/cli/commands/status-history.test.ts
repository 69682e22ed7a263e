import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GateRelief, GateSummary, GateTurn } from '#change/prune/gate/document.js';
import { schemas } from '#cli/schemas.js';
import { lines as fileOf, HEADER, user } from '../../support/entries.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const PRESSURE = readFileSync(path.join(projectFolder, 'fixtures/pressure.jsonl'), 'utf8');
/** Those that hold a session, and one that can be replayed. */
const readable = fixtures.filter((file) => !/rules|empty|missing-header|late-header|byte-order-mark/.test(file));
const CONFIG = '/home/ada/weather/ctx.config.json';

function gate(flags: readonly string[], text: string | Uint8Array = PRESSURE, world: World = {}): Promise<Ran> {
  return ctx(['status', '--history', 's.jsonl', ...flags], { ...world, files: { 's.jsonl': text, ...world.files } });
}

type Line = GateTurn | GateRelief | GateSummary;

async function linesOf(
  flags: readonly string[] = ['--limit', '100k'],
  text: string | Uint8Array = PRESSURE,
  world: World = {},
): Promise<readonly Line[]> {
  const { stdout, stderr, exitCode } = await gate(['--json', ...flags], text, world);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function turnsIn(lines: readonly Line[]): readonly GateTurn[] {
  return lines.filter((line) => line.schema === 'ctx/gate-turn');
}

/** What is asked for where. */
function requestsIn(lines: readonly Line[]): readonly unknown[] {
  return turnsIn(lines).flatMap(({ entryId, asks }) => (asks === null ? [] : [[entryId, asks]]));
}

const withPolicy = (prune: unknown): World => ({ files: { [CONFIG]: JSON.stringify({ prune }) } });

describe('ctx status --history', () => {
  it('asks on the way into each zone, and again after something was done', async () => {
    const lines = await linesOf();
    expect(turnsIn(lines).map(({ turn, zone, why }) => [turn, zone, why])).toEqual([
      [1, 'green', 'watch'],
      [2, 'green', 'watch'],
      [3, 'yellow', 'crossed'],
      [4, 'red', 'crossed'],
      [5, 'red', 'latched'],
      [6, 'compact', 'latched'],
      [7, 'yellow', 'crossed'],
      [8, 'red', 'crossed'],
      [9, 'green', 'watch'],
    ]);
    expect(requestsIn(lines)).toEqual([
      ['a3', 'prune'],
      ['a4', 'compact'],
      ['a7', 'prune'],
      ['a8', 'compact'],
    ]);
  });

  it('says how much later the session was compacted or pruned', async () => {
    const reliefs = (await linesOf()).filter((line) => line.schema === 'ctx/gate-relief');
    expect(reliefs).toMatchObject([
      { entryId: 'k1', by: 'compact', tokensBefore: 88_700, tokensEarlier: 14_400, turnEndsEarlier: 2 },
      { entryId: 'p1', by: 'prune', tokensBefore: 76_100, tokensEarlier: 0, turnEndsEarlier: 0 },
    ]);
    expect(reliefs[0]).toMatchObject({ asked: { request: 'compact', entryId: 'a4', turn: 4 } });
  });

  it('says that nothing was asked for where the policy begins later', async () => {
    const lines = await linesOf(['--limit', '1M']);
    expect(requestsIn(lines)).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ reliefs: 2, reliefsAskedFor: 0, asked: { prune: 0, compact: 0 } });
    expect(lines.find((line) => line.schema === 'ctx/gate-relief')).toMatchObject({ asked: null, tokensEarlier: null });
  });

  it('follows the policy of the configuration', async () => {
    const late = await linesOf(['--limit', '100k'], PRESSURE, withPolicy({ compactFrom: 'compact' }));
    expect(requestsIn(late)).toContainEqual(['a6', 'compact']);
    expect(requestsIn(late)).toContainEqual(['a4', 'prune']);
    const thresholds = { yellow: 0.4, red: 0.95, compact: 0.96 };
    const early = await linesOf(['--limit', '100k'], PRESSURE, withPolicy({ thresholds }));
    expect(requestsIn(early)[0]).toEqual(['a2', 'prune']);
    const empty = await linesOf(['--limit', '100k'], PRESSURE, withPolicy({ zones: { yellow: [] } }));
    expect(requestsIn(empty)).toEqual([
      ['a4', 'compact'],
      ['a8', 'compact'],
    ]);
  });

  it('prints the turn ends where something happens, and all of them where that is asked for', async () => {
    const few = (await gate(['--limit', '100k'])).stdout;
    expect(few).toContain('k1            88,700           compacted, 14,400 tokens and 2 turns late');
    expect(few).toContain('p1            76,100           pruned, as asked for');
    expect(few).not.toContain('  a5  ');
    const all = (await gate(['--limit', '100k', '--each'])).stdout;
    expect(all).toContain('   5  a5            81,000  red      waits: asked for compaction in turn 4');
    expect(all.split('\n').length - few.split('\n').length).toBe(3);
    expect(all).toContain('9 turn ends: would have asked for pruning twice, for compaction twice');
    expect(all).toContain('compacted once, 14,400 tokens after it would have asked');
  });

  it('does not call a compaction late for which nothing was asked', async () => {
    const { stdout } = await gate(['--limit', '150k']);
    expect(stdout).toContain('k1            88,700           compacted; only pruning was asked for\n');
    expect(stdout).toMatch(/^compacted once$/m);
  });

  it('names the tokens from which the policy asks for something', async () => {
    const asks = async (prune: unknown): Promise<string> =>
      (await gate(['--limit', '100k'], PRESSURE, withPolicy(prune))).stdout;
    expect(await asks({})).toMatch(/^asks for pruning from 50,000, for compaction from 70,000$/m);
    expect(await asks({ compactFrom: 'compact' })).toMatch(
      /^asks for pruning from 50,000, for compaction from 85,000$/m,
    );
    expect(await asks({ zones: { yellow: [] } })).toMatch(/^asks for compaction from 70,000$/m);
  });

  it('ends at a revision', async () => {
    const lines = await linesOf(['--limit', '100k', '--at', 'a4']);
    expect(turnsIn(lines).at(-1)).toMatchObject({ entryId: 'a4', asks: 'compact' });
    expect(lines.at(-1)).toMatchObject({ turnEnds: 4, reliefs: 0 });
  });

  it('reports nothing for a session without an answer', async () => {
    for (const text of [fileOf(HEADER), fileOf(HEADER, user('u1', null))]) {
      const { stdout, exitCode } = await gate(['--limit', '100k'], text);
      expect(stdout).toContain('0 turn ends: would have asked for nothing');
      expect(exitCode).toBe(0);
    }
  });

  it('looks after each answer where that is asked for', async () => {
    const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
    const ends = turnsIn(await linesOf(['--limit', '4k'], weather)).length;
    const answers = await linesOf(['--limit', '4k', '--answers'], weather);
    expect(turnsIn(answers).length).toBeGreaterThan(ends);
    expect(answers.at(-1)).toMatchObject({ every: 'answer', turnEnds: turnsIn(answers).length });
    expect((await gate(['--limit', '4k', '--answers'], weather)).stdout).toContain('answers: would have asked for');
  });

  it('assumes the context window of the model', async () => {
    const { stdout, exitCode } = await gate([]);
    expect(stdout).toMatch(/^200,000 tokens \(claude-sonnet-4-5, assumed\), s\.jsonl\nzones: yellow from 100,000, /);
    expect(exitCode).toBe(0);
    const { stdout: data } = await gate(['--json']);
    expect(JSON.parse(data.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      limit: 200_000,
      limitSource: 'assumed',
    });
  });

  it('needs the context window of an unknown model, and says how to supply it', async () => {
    const UNKNOWN = PRESSURE.replaceAll('claude-sonnet-4-5', 'm1');
    const { stderr, exitCode } = await gate([], UNKNOWN);
    expect(stderr).toBe(
      'ctx: the context window of the model "m1" is unknown: s.jsonl: supply it with --limit, as in --limit 200k, or with "limit" in the configuration\n',
    );
    expect(exitCode).toBe(2);
    expect((await gate(['--limit', '0'])).stderr).toBe('ctx: invalid value "0" for TOKENS: --limit: write 1 or more\n');
    expect((await gate([], UNKNOWN, { files: { 'b.json': '{"limit":100000}' } })).exitCode).toBe(2);
    expect(
      requestsIn(await linesOf(['--baseline', 'b.json'], PRESSURE, { files: { 'b.json': '{"limit":100000}' } })),
    ).toHaveLength(4);
  });

  it.each(readable)('keeps to its schemas: %s', async (file) => {
    const { stdout, exitCode } = await gate(['--json', '--limit', '100', '--answers'], readFileSync(file));
    expect(exitCode).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    for (const line of lines) {
      const name = line.schema.slice('ctx/'.length) as 'gate-turn' | 'gate-relief' | 'gate-summary';
      expect(schemas[name].safeParse(line)).toMatchObject({ success: true });
      if (line.schema === 'ctx/gate-turn') expect(line.tokens.recorded + line.tokens.estimated).toBe(line.tokens.total);
    }
    expect(lines.at(-1)?.schema).toBe('ctx/gate-summary');
  });
});
