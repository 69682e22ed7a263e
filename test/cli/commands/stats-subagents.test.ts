import { describe, expect, it } from 'vitest';
import type { StatsDocument } from '#analysis/stats/document.js';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { ctx, type World } from '../../support/memory-io.js';

type Json = Readonly<Record<string, unknown>>;

async function stats(argv: readonly string[], world: World): Promise<StatsDocument> {
  const { stdout, exitCode } = await ctx(['stats', ...argv, '--json'], world);
  expect(exitCode).toBe(0);
  return schemas.stats.parse(JSON.parse(stdout));
}

function dollarsOf({ cost, costListed }: { readonly cost: number | null; readonly costListed: number | null }): number {
  return (cost ?? 0) + (costListed ?? 0);
}

function answered(output: number, more: Json = {}): ClaudeCodeLog {
  const log = new ClaudeCodeLog(String(output));
  log.user('Find the leak', more);
  const usage = { input_tokens: 1000, output_tokens: output };
  log.answer(`msg_${output}`, textBlock('Found.'), undefined, { model: 'claude-opus-5', usage });
  return log;
}

/** $5 and $25 for a million tokens. */
function priceOf(output: number): number {
  return (1000 * 5 + output * 25) / 1e6;
}

describe('the sums that a client records', () => {
  const totals = (cost: number, models: Json): Json => ({ type: 'cost-state', totalCostUSD: cost, modelUsage: models });
  const counts = (inputTokens: number, outputTokens: number, costUSD: number): Json => ({
    inputTokens,
    outputTokens,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    webSearchRequests: 0,
    costUSD,
  });
  const own = counts(1000, 300, 0.0126);
  const titles = counts(70_000, 2500, 0.0825);

  it('are the cost of the session, on every screen, and name the calls that are not in the file', async () => {
    const log = answered(300);
    log.other(totals(0.05, { 'claude-opus-5': counts(1000, 300, 0.05) }));
    log.other(totals(0.0951, { 'claude-opus-5[1m]': own, 'claude-haiku-4-5-20251001': titles }));
    const world = { files: { 'p/s.jsonl': log.text } };
    const data = await stats(['p/s.jsonl'], world);
    expect(data.usageRecorded).toMatchObject({ input: 71_000, output: 2800, costListed: null });
    expect(data.usageRecorded.cost).toBeCloseTo(0.0951, 10);
    expect(data.sessions[0]?.client).toMatchObject({ cost: 0.0951, notInFile: { input: 70_000, output: 2500 } });
    const listed = JSON.parse((await ctx(['ls', 'p', '--json'], world)).stdout) as { cost: number };
    expect(listed.cost).toBeCloseTo(0.0951, 10);
    const { stdout } = await ctx(['stats', 'p/s.jsonl'], world);
    expect(stdout).toMatch(/^the client recorded \$0\.10, of it \$0\.0826 in calls that are not in this file$/m);
  });

  it('leave calls after their record at listed prices', async () => {
    const log = answered(300);
    log.other(totals(0.0126, { 'claude-opus-5': own }));
    log.user('And now?');
    const usage = { input_tokens: 1000, output_tokens: 800 };
    log.answer('msg_2', textBlock('Done.'), undefined, { model: 'claude-opus-5', usage });
    const { usageRecorded } = await stats(['s.jsonl'], { files: { 's.jsonl': log.text } });
    expect(usageRecorded.cost).toBeCloseTo(0.0126, 10);
    expect(usageRecorded.costListed).toBeCloseTo(priceOf(800), 10);
  });

  it('are not believed where the file has more calls of a model', async () => {
    const log = answered(300);
    log.other(totals(0.001, { 'claude-opus-5': counts(10, 20, 0.001) }));
    const { usageRecorded } = await stats(['s.jsonl'], { files: { 's.jsonl': log.text } });
    expect(usageRecorded).toMatchObject({ input: 1000, output: 300, cost: null });
    expect(usageRecorded.costListed).toBeCloseTo(priceOf(300), 10);
  });

  it('include subagents, which are counted once in a folder', async () => {
    const log = answered(300);
    log.other(totals(0.0126 + priceOf(500), { 'claude-opus-5': counts(2000, 800, 0.0126 + priceOf(500)) }));
    const child = answered(500, { isSidechain: true, agentId: 'a1' })
      .text.replaceAll('"isSidechain":false', '"isSidechain":true,"agentId":"a1"')
      .replaceAll('2026-09-01T00', '2026-09-01T01');
    const files = { 'p/s.jsonl': log.text, 'p/s/subagents/workflows/wf_1/agent-a1.jsonl': child };
    const alone = await stats(['p/s.jsonl'], { files });
    expect(dollarsOf(alone.usageRecorded)).toBeCloseTo(0.0126, 10);
    expect(alone.subagents).toMatchObject({ sessions: 1, isCounted: false, usageRecorded: { output: 500 } });
    for (const argv of [['p/s.jsonl', '--with-subagents'], ['p']]) {
      const together = await stats(argv, { files });
      expect(dollarsOf(together.usageRecorded)).toBeCloseTo(0.0126 + priceOf(500), 10);
      expect(together.usageRecorded).toMatchObject({ calls: 2, output: 800 });
    }
    const { stdout } = await ctx(['stats', 'p/s.jsonl'], { files });
    expect(stdout).toMatch(/^subagents: 1 session, 1,?500 tokens, ~\$0\.0175, not counted \(--with-subagents\)$/m);
  });
});

describe('the subagents of other agents', () => {
  const MADE = Date.parse('2026-09-03T09:59:59.000Z').toString(16).padStart(12, '0');
  const rollout = (id: string, meta: Json, output: number): string =>
    [
      { type: 'session_meta', payload: { id, cwd: '/app', cli_version: '0.140.0', ...meta } },
      { type: 'turn_context', payload: { turn_id: `t-${id}`, model: 'gpt-5.4', cwd: '/app' } },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: id }] },
      },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] },
      },
      {
        type: 'event_msg',
        payload: {
          type: 'token_count',
          info: {
            total_token_usage: {
              input_tokens: 2000,
              cached_input_tokens: 0,
              output_tokens: output,
              total_tokens: 2000 + output,
            },
            last_token_usage: {
              input_tokens: 2000,
              cached_input_tokens: 0,
              output_tokens: output,
              total_tokens: 2000 + output,
            },
          },
        },
      },
    ]
      .map((line) => `${JSON.stringify({ timestamp: '2026-09-03T10:00:00.000Z', ...line })}\n`)
      .join('');
  const ids = ['a', 'b', 'c', 'd'].map(
    (letter) => `${MADE.slice(0, 8)}-${MADE.slice(8)}-7000-8000-${letter.repeat(12)}`,
  );
  const [main = '', child = '', grandchild = '', fork = ''] = ids;
  const nameOf = (id: string): string => `sessions/2026/09/03/rollout-2026-09-03T10-00-00-${id}.jsonl`;
  const files = {
    [nameOf(main)]: rollout(main, { source: 'cli', thread_source: 'user' }, 10),
    [nameOf(child)]: rollout(child, { source: { subagent: { thread_spawn: { parent_thread_id: main } } } }, 200),
    [nameOf(grandchild)]: rollout(grandchild, { source: 'exec', parent_thread_id: child }, 3000),
    [nameOf(fork)]: rollout(
      fork,
      { source: 'cli', thread_source: 'user', forked_from_id: main, parent_thread_id: main },
      1,
    ),
  };

  it('are found for Codex, also those of subagents, and no fork of the user', async () => {
    const alone = await stats([nameOf(main)], { files });
    expect(alone.usageRecorded.output).toBe(10);
    expect(alone.subagents).toMatchObject({ sessions: 2, usageRecorded: { calls: 2, output: 3200 } });
    const together = await stats([nameOf(main), '--with-subagents'], { files });
    expect(together.usageRecorded).toMatchObject({ calls: 3, output: 3210 });
    expect((await stats(['sessions'], { files })).usageRecorded).toMatchObject({ calls: 4, output: 3211 });
  });

  it('are marked in a listing, with the session that started them', async () => {
    const { stdout } = await ctx(['ls', 'sessions', '--json'], { files });
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    const of = (id: string): Json => rows.find((row) => row['id'] === id) ?? {};
    expect(of(main)).toMatchObject({ subagents: 1 });
    expect(of(child)).toMatchObject({ isSubagent: true, subagents: 1 });
    expect(of(grandchild)).toMatchObject({ isSubagent: true });
    expect(of(fork)).not.toHaveProperty('isSubagent');
    const text = (await ctx(['ls', 'sessions'], { files })).stdout;
    expect(text).toContain('(subagent, 1 subagent) ');
  });

  it('are found in the results of tools of Pi, with those that they started', async () => {
    const run = (output: number, cost: number, messages: readonly Json[] = []): Json => ({
      agent: 'scout',
      model: 'claude-haiku-4-5',
      messages,
      usage: { input: 100, output, cacheRead: 0, cacheWrite: 0, cost, contextTokens: 9, turns: 1 },
    });
    const nested = { role: 'toolResult', toolName: 'subagent', content: [], details: { results: [run(5, 0.004)] } };
    const details = { mode: 'parallel', results: [run(20, 0.01), run(30, 0.02, [nested]), { agent: 'x', usage: {} }] };
    const own = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 11, cost: { total: 0.5 } };
    const text = new Log('s')
      .user('u1', 'Look around')
      .assistant('a1', 'Done.', { usage: own })
      .message('r1', {
        role: 'toolResult',
        toolCallId: 'c1',
        toolName: 'subagent',
        content: [],
        isError: false,
        details,
      })
      .text();
    const world = { files: { 's.jsonl': text } };
    const alone = await stats(['s.jsonl'], world);
    expect(alone.usageRecorded.cost).toBe(0.5);
    expect(alone.subagents).toMatchObject({ sessions: 0, isCounted: false, usageRecorded: { calls: 3, output: 55 } });
    expect(alone.subagents?.usageRecorded.cost).toBeCloseTo(0.034, 10);
    const together = await stats(['s.jsonl', '--with-subagents'], world);
    expect(together.usageRecorded.cost).toBeCloseTo(0.534, 10);
    expect(together.usageRecordedBySource.find(({ source }) => source === 'subagents')).toMatchObject({ calls: 3 });
  });
});
