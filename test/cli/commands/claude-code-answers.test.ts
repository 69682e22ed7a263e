import { describe, expect, it } from 'vitest';
import { call, ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { ctx } from '../../support/memory-io.js';

const FILE = '/home/ada/.claude/projects/-work-app/0b1c.jsonl';
const MODEL = 'claude-sonnet-4-6';

function use(read: number, written: number): Readonly<Record<string, unknown>> {
  const usage = { input_tokens: 4, cache_read_input_tokens: read, cache_creation_input_tokens: written };
  return { model: MODEL, usage: { ...usage, output_tokens: 21 } };
}

/** Two requests, with answers of the client between them and after them. */
function session(): ClaudeCodeLog {
  const log = new ClaudeCodeLog();
  log.user('Which port does the server use?');
  log.answer('msg_1', textBlock('Port 8080.'), log.leaf, use(0, 41_000));
  log.user('<local-command-stdout>See you</local-command-stdout>');
  log.answer('syn_1', textBlock('No response requested.'), log.leaf, { model: '<synthetic>' });
  log.user('And the client?');
  log.answer('msg_2', textBlock('Port 9090.'), log.leaf, use(41_000, 120));
  log.user('continue');
  log.answer('syn_2', textBlock('Nothing to do.'), log.leaf, { model: '<synthetic>' });
  return log;
}

async function run(...argv: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await ctx(argv, { files: { [FILE]: session().text } });
  expect([argv[0], exitCode, stderr]).toEqual([argv[0], 0, expect.not.stringContaining('error')]);
  return stdout;
}

async function json<Value>(...argv: string[]): Promise<Value> {
  return JSON.parse(await run(...argv, '--json')) as Value;
}

describe('answers that Claude Code wrote itself', () => {
  it('are no requests, and switch no model', async () => {
    const text = await run('cache', FILE);
    expect(text).toMatch(/^2 requests, no breaks|^2 requests, 0 breaks/);
    expect(text).not.toContain('synthetic');
  });

  it('set neither model nor window', async () => {
    const shown = await json<{ meta: { model: unknown; contextWindow: unknown } }>('show', FILE);
    expect(shown.meta.model).toEqual({ provider: 'anthropic', modelId: MODEL });
    expect(await run('status', FILE)).toContain(`(${MODEL}`);
    expect(await run('status', FILE, '--history')).toContain(MODEL);
    expect(await run('prune', FILE, '--dry-run')).toContain('nothing to prune');
  });

  it('are not addressed by exports', async () => {
    expect(JSON.parse(await run('export', FILE, '--format', 'anthropic'))).toMatchObject({ model: MODEL });
    expect(await run('export', FILE, '--format', 'markdown')).not.toContain('synthetic');
  });

  it('are history that is shown, without a usage', async () => {
    const log = await run('log', FILE, '--format', '{preview}\t{recorded}');
    expect(log).toContain('No response requested.\t\n');
    const stats = await json<{ messages: { assistant: number }; usageRecorded: { calls: number } }>('stats', FILE);
    expect([stats.messages.assistant, stats.usageRecorded.calls]).toEqual([2, 2]);
    expect(await run('show', FILE)).toContain('before request 3');
    const context = await json<{ messages: { cached: unknown[] } }>('show', FILE, '@{request:2}');
    expect(context.messages.cached).toHaveLength(5);
  });

  it('do not hide that thinking without a signature blocks the session', async () => {
    const log = new ClaudeCodeLog();
    log.user('Look');
    log.answer('msg_1', { type: 'thinking', thinking: 'I look.', signature: '' }, log.leaf, use(0, 100));
    log.answer('msg_1', call('t1'), log.leaf, use(0, 100));
    log.result('t1', 'done');
    const check = async (): Promise<string> => (await ctx(['check', FILE], { files: { [FILE]: log.text } })).stdout;
    const before = await check();
    expect(before).toContain('lost-signature');
    log.answer('syn_1', textBlock('API Error: 400'), log.leaf, { model: '<synthetic>' });
    expect(await check()).toContain('lost-signature');
  });

  it('stay none in an imported session', async () => {
    const world = { files: { [FILE]: session().text } };
    const { files, exitCode } = await ctx(['import', FILE, '--output', '/s.jsonl'], world);
    expect(exitCode).toBe(0);
    const cache = await ctx(['cache', '/s.jsonl'], { files });
    expect(cache.stdout).toMatch(/^2 requests/);
    expect((await ctx(['stats', '/s.jsonl'], { files })).stdout).toContain('2 answers');
  });
});
