import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { readSpending } from '#cli/commands/statusline/spending.js';
import { ClaudeCodeLog } from '../../../support/claude-code.js';
import { ctx, memoryFiles } from '../../../support/memory-io.js';

const FILE = '/home/ada/.claude/projects/-app/0b1c2d3e-0000-4000-8000-00000000abcd.jsonl';
const log = new ClaudeCodeLog();
log.user('Count the boats.');
const [first] = log.lines;
const START = Date.parse((JSON.parse(first!) as { timestamp: string }).timestamp);
log.answer('msg_1', { type: 'text', text: 'I look.' });
log.answer('msg_2', { type: 'text', text: 'Two.' });

const CLIENT = {
  transcript_path: FILE,
  context_window: { context_window_size: 200_000, total_input_tokens: 124_000, current_usage: { input_tokens: 1 } },
};

async function print(input: unknown, args: readonly string[] = [], text = log.text, now = START): Promise<string> {
  const { stdout, exitCode } = await ctx(['statusline', ...args], {
    files: { [FILE]: text, '-': typeof input === 'string' ? input : JSON.stringify(input) },
    now,
    modified: { [FILE]: START },
  });
  expect(exitCode).toBe(0);
  return stdout;
}

describe('ctx statusline', () => {
  it('prints the context, the cache and the cost of today', async () => {
    expect(await print(CLIENT, ['--compact-at', '167k'])).toMatch(
      /^context 62% of 200k, compacts in 43k · cached 96% · ~\$0\.00\d\d today\n$/,
    );
  });

  it('leaves out what is unknown', async () => {
    expect(await print({})).toBe('');
    expect(await print({ transcript_path: '/new.jsonl' })).toBe('');
    expect(await print({ context_window: CLIENT.context_window })).toBe('context 62% of 200k\n');
    const unused = { context_window_size: 200_000, total_input_tokens: 0, current_usage: null };
    expect(await print({ context_window: unused })).toBe('');
    expect(await print(CLIENT)).not.toContain('compacts');
  });

  it('knows the size at which this session compacted by itself', async () => {
    const compacted = new ClaudeCodeLog();
    compacted.user('Count the boats.');
    compacted.answer('msg_1', { type: 'text', text: 'Two.' });
    compacted.boundary({ trigger: 'auto', preTokens: 150_000 });
    expect(await print(CLIENT, [], compacted.text)).toContain('compacts in 26k');
  });

  it('names the last miss, from the client or the session', async () => {
    const missed = { last_miss_at: START / 1000 - 720, last_miss_cause: { causes: ['tools_changed', '\u001b[31m'] } };
    const line = await print({ ...CLIENT, prompt_cache: missed });
    expect(line).toContain('miss 12m ago (tools changed, ␛[31m)');
    const cold = new ClaudeCodeLog();
    cold.user('Count the boats.');
    const usage = { input_tokens: 3, cache_creation_input_tokens: 5000, cache_read_input_tokens: 0, output_tokens: 9 };
    cold.answer('msg_1', { type: 'text', text: 'I look.' }, cold.leaf, { usage });
    cold.answer('msg_2', { type: 'text', text: 'Two.' }, cold.leaf, { usage });
    expect(await print(CLIENT, [], cold.text, START + 3_600_000)).toMatch(/miss \d+m ago \(5\.0k tokens\)/);
  });

  it('prints a short line for bad input', async () => {
    expect(await print('x')).toBe('ctx: the standard input is not a JSON object\n');
    expect(await print('[]')).toBe('ctx: the standard input is not a JSON object\n');
  });

  it('reads sessions also where the listing of their folder took long', async () => {
    const files = memoryFiles({ [FILE]: log.text }, { [FILE]: START });
    let now = START;
    const walk: typeof files.walk = (...of) => {
      now += 10_000;
      return files.walk(...of);
    };
    const world = { files: { ...files, walk }, now: () => now, index: null, timezone: null };
    expect(await readSpending(world, FILE, '2026-09-01')).toMatchObject({ cost: expect.closeTo(0.00198, 5) });
  });

  it('states the least cost where a session cannot be read', async () => {
    const files = memoryFiles({ [FILE]: log.text });
    const open: typeof files.open = (file) =>
      file === FILE ? files.open(file) : Promise.reject(new CtxError('input', 'no permission to read this file'));
    const found = [FILE, '/gone.jsonl'].map((file) => ({ file, size: 1, modified: START }));
    const walk = () => ({ files: found, unreadable: [], isFolder: true });
    const world = { files: { ...files, walk, open }, now: () => START, index: null, timezone: null };
    expect(await readSpending(world, FILE, '2026-09-01')).toMatchObject({ isWhole: false });
  });

  it('states the least cost where the price of a model is unknown', async () => {
    const other = new ClaudeCodeLog();
    other.lines.push(...log.lines);
    other.answer('msg_3', { type: 'text', text: 'Three.' }, other.leaf, { model: 'unheard-of-1' });
    expect(await print(CLIENT, [], other.text)).toMatch(/ · at least ~\$0\.00\d\d today\n$/);
  });

  it('counts yesterday no more', async () => {
    expect(await print(CLIENT, [], log.text, START + 2 * 86_400_000)).toMatch(/\$0\.00 today/);
  });
});
