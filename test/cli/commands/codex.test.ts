import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const ROLLOUT = readFileSync(path.join(projectFolder, 'fixtures/agents/codex/rollout.jsonl'), 'utf8');
/** A window so small that the last request of 1,000 tokens is above the threshold of a zone. */
const WINDOW = 1200;

/** A rollout with a prompt and without tools: an answer for each number of prompt tokens and cached ones. */
function rolloutOf(counts: readonly (readonly [prompt: number, cached: number])[]): string {
  const line = (type: string, payload: object): string =>
    JSON.stringify({ timestamp: '2026-03-02T09:00:00.000Z', type, payload });
  const message = (role: string, type: string, text: string): string =>
    line('response_item', { type: 'message', role, content: [{ type, text }] });
  return [
    line('session_meta', { id: 's1', cwd: '/work', base_instructions: { text: 'Be kind.' } }),
    line('turn_context', { model: 'gpt-5', cwd: '/work' }),
    ...counts.flatMap(([prompt, cached], at) => {
      const usage = { input_tokens: prompt + at, cached_input_tokens: cached, output_tokens: 5 };
      return [
        message('user', 'input_text', `Question ${at}`),
        message('assistant', 'output_text', `Answer ${at}`),
        line('event_msg', { type: 'token_count', info: { total_token_usage: usage, last_token_usage: usage } }),
      ];
    }),
    '',
  ].join('\n');
}

/** A rollout whose window is recorded; the list of models has another one. */
function rollout(tokens: number): string {
  const line = (type: string, payload: object): string =>
    JSON.stringify({ timestamp: '2026-03-02T09:00:00.000Z', type, payload });
  const usage = { input_tokens: tokens, cached_input_tokens: 0, output_tokens: 5, total_tokens: tokens + 5 };
  const info = { total_token_usage: usage, last_token_usage: usage, model_context_window: WINDOW };
  return [
    line('session_meta', { id: 's1', cwd: '/work', cli_version: '0.104.0' }),
    line('turn_context', { model: 'gpt-5', cwd: '/work' }),
    line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List it' }] }),
    line('response_item', { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' }),
    line('event_msg', { type: 'token_count', info }),
    line('response_item', { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be quick' }] }),
    line('response_item', { type: 'function_call_output', call_id: 'c1', output: 'a.txt' }),
    line('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a.txt' }] }),
    line('event_msg', { type: 'token_count', info: { ...info, total_token_usage: { ...usage, input_tokens: 1 } } }),
    '',
  ].join('\n');
}

const files = { 'r.jsonl': rollout(1000) };

describe('ctx loss', () => {
  it('says that an encrypted summary hides what it contains', async () => {
    const { stdout, stderr } = await ctx(['loss', 'r.jsonl'], { files: { 'r.jsonl': ROLLOUT } });
    expect(stdout).not.toMatch(/missing|transform/i);
    expect(stdout).toMatch(/^unknown: the summary is encrypted.*\ncompaction 0a4671b3 on line 36/);
    expect(stdout).toMatch(/^ctx revert r\.jsonl 0a4671b3 --dry-run  shows/m);
    expect(stdout).toMatch(/in part +unknown$/m);
    expect(stdout).toContain('Unknown, since the summary is encrypted');
    expect(stderr).toBe(
      'ctx: warning: encrypted-summary: the summary is encrypted: whether it has the facts is unknown, and JSON has them as missing\n',
    );
    const plain = ROLLOUT.replaceAll('"encrypted_content"', '"text"').replaceAll(
      '"type":"compaction"',
      '"type":"other"',
    );
    expect((await ctx(['loss', 'r.jsonl'], { files: { 'r.jsonl': plain } })).stderr).not.toContain('encrypted-summary');
  });
});

describe('a compaction of Codex', () => {
  it('may be a transform, which ctx log says', async () => {
    const { stderr } = await ctx(['log', 'r.jsonl', '--type', 'compaction'], { files: { 'r.jsonl': ROLLOUT } });
    expect(stderr).toContain('use --type transform, which also has compactions');
  });
});

describe('the context window that Codex records', () => {
  it('is that of ctx status, and of the zone of ctx prune', async () => {
    const status = await ctx(['status', 'r.jsonl', '--json'], { files });
    expect(JSON.parse(status.stdout)).toMatchObject({ limit: WINDOW, limitSource: 'recorded', zone: 'red' });
    const prune = await ctx(['prune', 'r.jsonl', '--dry-run'], { files });
    expect(prune.stdout + prune.stderr).not.toContain('green');
  });

  it('is the budget of ctx simulate and ctx engine run', async () => {
    const { stdout } = await ctx(['simulate', 'r.jsonl', '--full', '--json'], { files });
    expect(stdout).toMatch(/"budget":\s?1200,/);
    expect(stdout).toMatch(/"budgetModel":\s?null/);
    expect((await ctx(['engine', 'run', 'r.jsonl'], { files })).stdout).toContain('of 1,200 tokens');
  });
});

describe('ctx simulate', () => {
  it('accepts a message between a call and its result, which OpenAI accepts', async () => {
    const { stdout } = await ctx(['simulate', 'r.jsonl', '--engine', 'none'], { files });
    expect(stdout).toContain('2 requests');
    expect(stdout).not.toContain('reject');
  });
});

describe('a message of the history that a compaction records', () => {
  const atCompaction = { files: { 'a.jsonl': ROLLOUT }, env: { HOME: '/home/ada' } };

  it('is shown with the name of the compaction, in JSON too', async () => {
    const { stdout } = await ctx(['show', 'a.jsonl', '--part', 'messages'], atCompaction);
    expect(stdout).toContain('[from compaction]');
    expect(stdout).not.toContain('[from transform]');
    const json = await ctx(['show', 'a.jsonl', '--json'], atCompaction);
    expect(json.stdout).toContain('"transformerName":"compaction"');
  });

  it('has this name in the report', async () => {
    const { files: after } = await ctx(['report', 'a.jsonl', '--output', 'r.html'], atCompaction);
    expect(String(after['r.html'])).toContain('"origin":"transform","transformer":"compaction"');
  });
});

describe('ctx stats', () => {
  it('counts the same calls in an import, where answers without recorded tokens have zeros', async () => {
    const { files: after } = await ctx(['import', 'a.jsonl', '--output', 'b.jsonl'], { files: { 'a.jsonl': ROLLOUT } });
    const calls = async (file: string): Promise<unknown> => {
      const { stdout } = await ctx(['stats', file, '--json'], { files: after });
      return (JSON.parse(stdout) as { usageRecorded: { calls: number } }).usageRecorded.calls;
    };
    expect(String(after['b.jsonl'])).toContain('"totalTokens":0');
    expect(await calls('b.jsonl')).toBe(await calls('a.jsonl'));
  });
});

describe('a message of Codex between a call and its result', () => {
  it('comes after the result in an import, which says so', async () => {
    const { stdout, files: after } = await ctx(['import', 'r.jsonl', '--output', 'new.jsonl'], { files });
    expect(stdout).toContain('1 result moved to its call, before a message between: Pi would answer');
    const { stdout: json } = await ctx(['import', 'r.jsonl', '--dry-run', '--json'], { files });
    expect(JSON.parse(json)).toMatchObject({ movedResults: 1 });
    const check = await ctx(['check', 'new.jsonl'], { files: after });
    expect(check.stdout).not.toContain('result-out-of-order');
    const shown = await ctx(['show', 'new.jsonl', '--part', 'messages', '--json'], { files: after });
    const { cached } = (JSON.parse(shown.stdout) as { messages: { cached: { role: string }[] } }).messages;
    expect(cached.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult', 'user', 'assistant']);
  });

  it.each(['openai-responses', 'openai-chat', 'anthropic'])('comes after it in a request: %s', async (format) => {
    const { stdout, stderr } = await ctx(['export', 'r.jsonl', '--format', format], { files });
    expect(stdout).not.toContain('No result provided');
    expect(stdout.indexOf('Be quick')).toBeGreaterThan(stdout.lastIndexOf('c1"'));
    expect(stderr).toContain('moved-results: 1 result placed directly after the call');
  });
});

describe('a request of a session that records less than was sent', () => {
  it('has no thinking, prompt or tools that are not recorded, and says so', async () => {
    for (const format of ['openai-responses', 'openai-chat', 'anthropic']) {
      const { stdout, stderr } = await ctx(['export', 'r.jsonl', '--format', format], { files });
      expect(Object.keys(JSON.parse(stdout) as object)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/thinking|reasoning|tools|system/)]),
      );
      expect(stderr).toContain('Codex did not record the system prompt, the tools, and the thinking level');
    }
  });

  it('is complete with a baseline, but for the thinking level', async () => {
    const given = { ...files, 'b.json': '{"parts":[{"name":"p","text":"Be kind."}],"tools":[{"name":"shell"}]}' };
    const { stderr } = await ctx(['export', 'r.jsonl', '--format', 'openai-chat', '--baseline', 'b.json'], {
      files: given,
    });
    expect(stderr).toContain('Codex did not record the thinking level, so');
  });

  it('has the recorded level of thinking, and names thinking that only the Responses API reads', async () => {
    const thought = ROLLOUT.includes('"encrypted_content"');
    expect(thought).toBe(true);
    const given = { files: { 'r.jsonl': ROLLOUT } };
    const chat = await ctx(['export', 'r.jsonl', '--format', 'openai-chat', '--at', '@{request:2}'], given);
    expect(chat.stderr).toContain('encrypted-thinking: ');
    const own = await ctx(['export', 'r.jsonl', '--format', 'openai-responses', '--at', '@{request:2}'], given);
    expect(own.stderr).not.toContain('encrypted-thinking');
    expect(own.stdout).toContain('"reasoning":{"effort"');
  });
});

describe('a request with an encrypted summary', () => {
  it.each(['openai-responses', 'openai-chat', 'anthropic'])(
    'has a note instead, which is named: %s',
    async (format) => {
      const given = { files: { 'r.jsonl': ROLLOUT } };
      const { stdout, stderr } = await ctx(['export', 'r.jsonl', '--format', format], given);
      expect(stdout).toContain('[encrypted compaction, 24 characters]');
      expect(stderr).toContain('encrypted-summary: a summary is encrypted in the file');
      const before = await ctx(['export', 'r.jsonl', '--format', format, '--at', '@{request:2}'], given);
      expect(before.stderr).not.toContain('encrypted-summary');
    },
  );
});

describe('a session of Codex', () => {
  it('has no version of the format of Pi', async () => {
    const given = { files: { '/s/r.jsonl': ROLLOUT } };
    expect((await ctx(['ls', '/s', '--json'], given)).stdout).toContain('"version":null');
    const shown = await ctx(['show', '/s/r.jsonl', '--json'], given);
    expect(JSON.parse(shown.stdout)).toMatchObject({ session: { version: null, agent: { version: '0.104.0' } } });
  });
});

describe('a cache miss without a cause', () => {
  it('is one of the same messages, since the tools of Codex are not all recorded, unless a baseline has them', async () => {
    const missed = rolloutOf([0, 3000, 0].map((cached) => [4000, cached] as const));
    const run = async (...more: string[]): Promise<string> => {
      const baseline = '{"parts":[{"name":"p","text":"Be kind."}],"tools":[{"name":"shell"}]}';
      const given = { files: { 'r.jsonl': missed, 'b.json': baseline } };
      return (await ctx(['cache', 'r.jsonl', ...more], given)).stdout;
    };
    expect(await run()).toMatch(/unexplained .*\s+same messages, 0\s+read/);
    expect(await run('--baseline', 'b.json')).toMatch(/provider miss .*\s+same prefix, 0\s+read/);
  });
});

describe('ctx import', () => {
  it('keeps the recorded window, which commands on the import use', async () => {
    const { stdout } = await ctx(['import', 'r.jsonl', '--dry-run'], { files });
    expect(stdout).toContain('context window: 1,200 tokens, also for the import\n');
    const written = await ctx(['import', 'r.jsonl', '--output', 'new.jsonl'], { files });
    const limitOf = async (file: string, ...flags: readonly string[]): Promise<unknown> => {
      const shown = await ctx(['status', file, '--json', ...flags], { files: written.files });
      const { limit, limitSource } = JSON.parse(shown.stdout) as {
        readonly limit: number;
        readonly limitSource: string;
      };
      return [limit, limitSource];
    };
    expect([await limitOf('new.jsonl'), await limitOf('r.jsonl')]).toEqual([
      [WINDOW, 'recorded'],
      [WINDOW, 'recorded'],
    ]);
    expect(await limitOf('new.jsonl', '--limit', '5k')).toEqual([5000, 'supplied']);
    const { stdout: json } = await ctx(['import', 'r.jsonl', '--dry-run', '--json'], { files });
    expect(JSON.parse(json)).toMatchObject({ contextWindow: WINDOW });
  });
});

describe('a damaged line of another agent', () => {
  const damaged = { files: { 'r.jsonl': rollout(1000).replace('{"timestamp"', '{"timestamp') } };

  it.each([
    ['import', '1 damaged line left out: see ctx check'],
    ['redact', '1 damaged line left out: see ctx check'],
  ])('is named by ctx %s, which exits with 1', async (command, words) => {
    const { stdout, exitCode } = await ctx([command, 'r.jsonl', '--output', 'new.jsonl'], damaged);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(words)]);
    const whole = await ctx([command, 'r.jsonl', '--output', 'new.jsonl'], { files });
    expect([whole.exitCode, whole.stdout]).toEqual([0, expect.not.stringContaining('damaged')]);
  });
});
