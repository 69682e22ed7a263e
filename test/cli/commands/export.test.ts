import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { assistant, entry, type Entry, HEADER, lines, user } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran } from '../../support/memory-io.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const files = { 's.jsonl': weather };

async function exported(...argv: readonly string[]): Promise<Ran> {
  return ctx(['export', 's.jsonl', ...argv], { files });
}

interface Payload {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly [key: string]: unknown;
}

/** The payload of a session of these entries. */
async function payload(format: string, entries: readonly Entry[], ...argv: readonly string[]): Promise<Payload> {
  const world = { files: { 's.jsonl': lines(HEADER, ...entries) } };
  const { exitCode, stdout, stderr } = await ctx(['export', 's.jsonl', '--format', format, ...argv], world);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return JSON.parse(stdout) as Payload;
}

function answer(id: string, parentId: string, message: Entry): Entry {
  const by = { provider: 'anthropic', api: 'anthropic-messages', model: 'claude-sonnet-4-5' };
  return entry('message', id, parentId, { message: { role: 'assistant', stopReason: 'stop', ...by, ...message } });
}

it('leads from a page to ctx report', async () => {
  const { exitCode, stderr } = await ctx(['export', 's.jsonl', '--format', 'html']);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/: write the page: ctx report SESSION\n$/)]);
});

describe('ctx export --list', () => {
  it('says what there is and what it cannot tell', async () => {
    const { stdout } = await exported('--list');
    expect(stdout).toContain('anthropic  of one request');
    expect(stdout).toContain('max_tokens, which is required, is 32000');
  });

  it('is data too', async () => {
    const { stdout } = await exported('--list', '--json');
    expect(schemas['export-formats'].safeParse(JSON.parse(stdout))).toMatchObject({ success: true });
  });
});

describe('ctx export of a request', () => {
  it('as JSON is what ctx show --json prints', async () => {
    const at = ['--at', '@{request:3}'];
    const shown = await ctx(['show', 's.jsonl', '--json', ...at], { files });
    expect((await exported('--json', ...at)).stdout).toBe(shown.stdout);
  });

  it('is without tools that nothing implements, as the request is', async () => {
    const session = readFileSync(path.join(projectFolder, 'fixtures/ops/tools_replace.jsonl'), 'utf8');
    const world = { files: { 's.jsonl': session, 'names.json': '["grep"]' } };
    const toolsOf = async (format: string, ...more: readonly string[]): Promise<unknown> => {
      const { stdout } = await ctx(['export', 's.jsonl', '--format', format, ...more], world);
      return (JSON.parse(stdout) as Payload)['tools'] ?? [];
    };
    expect(await toolsOf('json')).toHaveLength(1);
    for (const format of ['anthropic', 'openai-chat', 'openai-responses']) {
      expect(await toolsOf(format)).toEqual([]);
      expect(await toolsOf(format, '--implementations', 'names.json')).toHaveLength(1);
    }
  });

  it('is one line with its keys in order', async () => {
    const { stdout } = await exported('--format', 'anthropic');
    expect(stdout.split('\n')).toHaveLength(2);
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(Object.keys(JSON.parse(stdout) as object).toSorted());
  });

  it('marks what Anthropic is to cache', async () => {
    const { system, tools, messages } = JSON.parse((await exported('--format', 'anthropic')).stdout) as Payload;
    const CACHED = { cache_control: { type: 'ephemeral' } };
    expect(system).toMatchObject([CACHED]);
    expect((tools as readonly object[]).map((tool) => 'cache_control' in tool)).toEqual([false, false, true]);
    expect(messages.at(-1)).toMatchObject({ role: 'user', content: [CACHED] });
    expect(messages.slice(0, -1).filter((message) => JSON.stringify(message).includes('cache_control'))).toEqual([]);
  });

  it('says on stderr that it is a translation', async () => {
    const { exitCode, stderr } = await exported('--format', 'openai-chat');
    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      'ctx: warning: translation: anthropic/claude-sonnet-4-5 is asked by anthropic-messages, so this was never sent; --model names a model of this API\n',
    );
  });

  it.each(['anthropic', 'openai-responses', 'openai-chat'])(
    'takes names that every object knows, as %s',
    async (format) => {
      const names = { provider: 'constructor', api: 'openai-completions', model: 'toString' };
      const entries = [
        user('u1', null),
        answer('a1', 'u1', { content: [{ type: 'text', text: 'Hi.' }], ...names }),
        entry('model_change', 'm1', 'a1', { provider: 'valueOf', modelId: 'claude-sonnet-4-5' }),
        entry('thinking_level_change', 'l1', 'm1', { thinkingLevel: 'constructor' }),
      ];
      expect((await payload(format, entries, '--at', 'u1')).model).toBe('toString');
      expect((await payload(format, entries, '--model', 'claude-sonnet-4-5')).model).toBe('claude-sonnet-4-5');
    },
  );

  it('says nothing where it is none', async () => {
    expect((await exported('--format', 'anthropic')).stderr).toBe('');
  });

  it('asks another model where that is named, and keeps thoughts from it', async () => {
    const entries = [
      user('u1', null),
      answer('a1', 'u1', {
        content: [
          { type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' },
          { type: 'text', text: 'yes' },
        ],
      }),
      user('u2', 'a1'),
    ];
    const own = await payload('anthropic', entries);
    expect(own.messages[1]?.content).toMatchObject([{ type: 'thinking', signature: 'c2ln' }, { type: 'text' }]);
    const other = await payload('anthropic', entries, '--model', 'claude-opus-4-6');
    expect(other).toMatchObject({ model: 'claude-opus-4-6' });
    expect(other.messages[1]?.content).toEqual([{ type: 'text', text: 'yes' }]);
  });

  it.each([
    ['claude-sonnet-4-20250514', 'enabled'],
    ['claude-opus-4-5', 'enabled'],
    ['claude-opus-4-6', 'adaptive'],
    // A model that the list lacks thinks by a budget.
    ['claude-opus-4-10', 'enabled'],
    ['claude-opus-5', 'adaptive'],
  ])('tells %s how to think: %s', async (model, type) => {
    const entries = [entry('thinking_level_change', 'l1', null, { thinkingLevel: 'high' }), user('u1', 'l1')];
    expect(await payload('anthropic', entries, '--model', model)).toMatchObject({ thinking: { type } });
  });

  it('uses the model that answered', async () => {
    const entries = [
      entry('model_change', 'm1', null, { provider: 'openai', modelId: 'gpt-5.1' }),
      user('u1', 'm1'),
      answer('a1', 'u1', { content: [{ type: 'text', text: 'yes' }] }),
    ];
    expect(await payload('anthropic', entries, '--at', 'u1')).toMatchObject({ model: 'claude-sonnet-4-5' });
  });

  it('leaves out answers that failed, and makes up results that are missing', async () => {
    const call = { type: 'toolCall', id: 'c1', name: 'read', arguments: {} };
    const entries = [
      user('u1', null),
      answer('a1', 'u1', { content: [call], stopReason: 'toolUse' }),
      user('u2', 'a1', 'never mind'),
      answer('a2', 'u2', { content: [{ type: 'text', text: 'half' }], stopReason: 'aborted' }),
      user('u3', 'a2', 'again'),
    ];
    const { messages } = await payload('anthropic', entries);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user', 'user']);
    expect(messages[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'c1', content: 'No result provided', is_error: true },
    ]);
  });

  it('takes options of the session before those of the command line', async () => {
    const set = {
      op: 'options_set',
      scope: 'cached',
      invalidateCacheReason: 'x',
      maxTokens: 77,
      temperature: 0.5,
    };
    const entries = [
      user('u1', null),
      answer('a1', 'u1', { content: [] }),
      entry('context_transform', 't1', 'a1', { schemaVersion: 1, transformerName: 't', patch: [set] }),
    ];
    expect(await payload('anthropic', entries, '--max-tokens', '5')).toMatchObject({
      max_tokens: 77,
      temperature: 0.5,
    });
    expect(await payload('anthropic', entries.slice(0, 2), '--max-tokens', '5')).toMatchObject({ max_tokens: 5 });
  });

  it.each([
    ['1024', undefined],
    ['1025', 1024],
    ['2049', 1025],
    ['50000', 16_384],
  ])('asks for no thinking that a limit of %s has no room for, and says so', async (limit, budget) => {
    const entries = [entry('thinking_level_change', 'l1', null, { thinkingLevel: 'high' }), user('u1', 'l1')];
    const world = { files: { 's.jsonl': lines(HEADER, ...entries) } };
    const flags = ['--format', 'anthropic', '--model', 'claude-sonnet-4-5', '--max-tokens', limit];
    const { stdout, stderr } = await ctx(['export', 's.jsonl', ...flags], world);
    const { max_tokens, thinking } = JSON.parse(stdout) as { max_tokens: number; thinking?: { budget_tokens: number } };
    expect({ max_tokens, budget: thinking?.budget_tokens }).toEqual({ max_tokens: Number(limit), budget });
    expect(stderr.includes('warning: no-thinking:')).toBe(budget === undefined);
  });

  it.each([
    ['claude-3-5-haiku-20241022', 8192],
    ['claude-3-opus-20240229', 4096],
    ['claude-opus-4-6', 32_000],
    ['a-model-that-no-list-has', 32_000],
  ])('lets %s answer with up to %i tokens', async (model, limit) => {
    expect(await payload('anthropic', [user('u1', null)], '--model', model)).toMatchObject({ max_tokens: limit });
  });

  it.each([
    ['anthropic', 'claude-3-5-haiku-20241022', 8192],
    ['openai-responses', 'gpt-4-turbo', 4096],
    ['openai-chat', 'gpt-4-turbo', 4096],
  ])('as %s says that a limit is higher than that of %s', async (format, model, most) => {
    const stderrOf = async (limit: number): Promise<string> =>
      (await exported('--format', format, '--model', model, '--max-tokens', String(limit))).stderr;
    expect(await stderrOf(most)).not.toContain('output-limit');
    const said = `output-limit: the request allows an answer of ${most + 1} tokens, and ${model} at most ${most}\n`;
    expect(await stderrOf(most + 1)).toContain(said);
  });

  it('sends messages with the role developer as Codex did, and as system where only OpenAI knows that role', async () => {
    const name = 'rollout-2026-11-24T03-38-01-01a20ba1-c690-7760-a0ca-2f9830e5231b.jsonl';
    const text = readFileSync(path.join(projectFolder, 'fixtures/agents/codex/continued', name), 'utf8');
    const rolesOf = async (format: string, ...argv: readonly string[]): Promise<readonly unknown[]> => {
      const flags = ['--format', format, '--at', '@{request:1}', ...argv];
      const { stdout } = await ctx(['export', 's.jsonl', ...flags], { files: { 's.jsonl': text } });
      const { input, messages } = JSON.parse(stdout) as { input?: readonly Entry[]; messages?: readonly Entry[] };
      return (input ?? messages ?? []).map(({ role }) => role);
    };
    expect(await rolesOf('openai-responses', '--model', 'gpt-5.2-codex')).toEqual([
      'developer',
      'developer',
      'user',
      'user',
    ]);
    expect(await rolesOf('openai-chat', '--model', 'gpt-5.2-codex')).toEqual([
      'developer',
      'developer',
      'user',
      'user',
    ]);
    expect(await rolesOf('openai-chat', '--model', 'gpt-4.1')).toEqual(['system', 'system', 'user', 'user']);
    expect(await rolesOf('anthropic')).toEqual(['user', 'user', 'user']);
  });

  it.each(['anthropic', 'openai-responses', 'openai-chat'])(
    'as %s warns that the provider rejects it',
    async (format) => {
      const result = (id: string | undefined): Entry => ({
        role: 'toolResult',
        toolName: 'read',
        toolCallId: id,
        content: [],
      });
      const stderrOf = async (...ids: readonly (string | undefined)[]): Promise<string> => {
        const call = { type: 'toolCall', id: 'c1', name: 'read', arguments: {} };
        const results = ids.map((id, at) =>
          entry('message', `r${at}`, at === 0 ? 'a1' : 'r0', { message: result(id) }),
        );
        const talk = [user('u1', null), answer('a1', 'u1', { content: [call], stopReason: 'toolUse' }), ...results];
        const world = { files: { 's.jsonl': lines(HEADER, ...talk) } };
        const { stderr, exitCode } = await ctx(['export', 's.jsonl', '--format', format], world);
        expect(exitCode).toBe(0);
        return stderr
          .split('\n')
          .filter((text) => text.includes('rejected'))
          .join('\n');
      };
      expect(await stderrOf('c1')).toBe('');
      expect(await stderrOf()).toBe('');
      expect(await stderrOf(undefined)).toBe(
        'ctx: warning: rejected: the provider rejects the request: the result has no call id (rule result-without-call)',
      );
      expect(await stderrOf(undefined, undefined)).toMatch(/, and 1 error more: see ctx check$/);
    },
  );

  it('tells of thinking that is no item of the Responses API', async () => {
    const by = { provider: 'openai', api: 'openai-responses', model: 'gpt-5.1' };
    const thinking = { type: 'thinking', thinking: 'hm', thinkingSignature: 'no JSON' };
    const text = lines(HEADER, user('u1', null), answer('a1', 'u1', { ...by, content: [thinking] }));
    const { stderr } = await ctx(['export', 's.jsonl', '--format', 'openai-responses'], { files: { 's.jsonl': text } });
    expect(stderr).toContain('unreadable-thinking');
  });

  it('needs the name of a model', async () => {
    const world = { files: { 's.jsonl': lines(HEADER, user('u1', null), assistant('a1', 'u1')) } };
    const { exitCode, stderr } = await ctx(['export', 's.jsonl', '--format', 'anthropic'], world);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--model NAME');
  });

  it('prints nothing that a terminal obeys', async () => {
    const { stdout } = await ctx(['export', 's.jsonl', '--format', 'openai-chat', '--model', 'x'], {
      files: { 's.jsonl': lines(HEADER, user('u1', null, '\u001b[31m\u009b\u202e')) },
    });
    expect(stdout).toContain(String.raw`\u001b[31m\u009b\u202e`);
  });
});

describe('ctx export --output', () => {
  it('writes a new file and says so', async () => {
    const ran = await exported('--format', 'anthropic', '-o', 'r.json');
    expect(ran.stdout).toMatch(/^r\.json: [\d,]+ bytes\n$/);
    expect(new TextDecoder().decode(ran.files['r.json'] as Uint8Array)).toBe(
      (await exported('--format', 'anthropic')).stdout,
    );
  });

  it('writes a transcript as it would print it', async () => {
    const ran = await exported('--format', 'markdown', '-o', 't.md');
    expect(new TextDecoder().decode(ran.files['t.md'] as Uint8Array)).toBe(
      (await exported('--format', 'markdown')).stdout,
    );
  });

  it('says it as data, too', async () => {
    const { stdout } = await exported('--json', '-o', 'r.json');
    expect(schemas.export.safeParse(JSON.parse(stdout))).toMatchObject({ success: true });
  });

  it('replaces nothing, unless it is told to', async () => {
    const world = { files: { ...files, 'r.json': 'mine' } };
    const argv = ['export', 's.jsonl', '--format', 'json', '-o', 'r.json'];
    const refused = await ctx(argv, world);
    expect(refused).toMatchObject({ exitCode: 4, files: { 'r.json': 'mine' } });
    expect((await ctx([...argv, '--force'], world)).exitCode).toBe(0);
    expect((await ctx(['export', 's.jsonl', '-o', 's.jsonl', '--force'], world)).exitCode).toBe(4);
  });
});

describe('ctx export refuses', () => {
  it.each([
    [['--format', 'text', '--model', 'x'], '--model and --format text cannot be used together'],
    [['--format', 'json', '--max-tokens', '5'], '--max-tokens and --format json cannot be used together'],
    [['--format', 'markdown', '--baseline', 'b.json'], '--baseline and --format markdown cannot be used together'],
    [['--format', 'text', '--lenient'], '--lenient and --format text cannot be used together: leave --lenient out'],
    [['--force'], '--force needs --output: add --output FILE'],
    [['other.jsonl'], 'text is a format of one session'],
    [['--format', 'parquet'], 'parquet needs --output'],
  ])('%j', async (argv, what) => {
    const { exitCode, stderr } = await exported(...argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(what);
  });
});
