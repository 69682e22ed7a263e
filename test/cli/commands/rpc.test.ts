import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { rpcMethods } from '#cli/commands/rpc/methods.js';
import { LONGEST_REQUEST } from '#cli/commands/rpc/request-lines.js';
import { schemas } from '#cli/schemas.js';
import { HEADER, lines, TALK } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type World } from '../../support/memory-io.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const TALK_LINES = lines(HEADER, ...TALK);
const files = { 's.jsonl': weather, 'talk.jsonl': TALK_LINES, 'all/a.jsonl': weather, 'all/b.jsonl': TALK_LINES };

interface Answer {
  readonly id: unknown;
  readonly result?: Readonly<Record<string, unknown>> & { readonly items?: readonly unknown[] };
  readonly error?: { readonly code: number; readonly message: string; readonly hint: string | null };
}

/** The answers to lines; what is no text is written as JSON. */
async function asked(requests: readonly unknown[], world: World = {}, argv: readonly string[] = []): Promise<Answer[]> {
  const input = requests.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');
  const { exitCode, stdout, stderr } = await ctx(['rpc', ...argv], {
    ...world,
    files: { ...files, ...world.files, '-': input },
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const answers = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Answer]));
  for (const answer of answers) schemas['rpc-answer'].parse(answer);
  return answers;
}

async function resultOf(method: string, params: unknown): Promise<Answer['result']> {
  const request = { jsonrpc: '2.0', id: 1, method, params };
  schemas['rpc-request'].parse(request);
  const [answer] = await asked([request]);
  return answer?.result;
}

async function printed(...argv: readonly string[]): Promise<unknown> {
  const { stdout } = await ctx([...argv, '--json'], { files, isTerminal: true });
  if (stdout.startsWith('{\n')) return JSON.parse(stdout);
  const items = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
  return { items, isCut: false };
}

describe('ctx rpc answers what the command prints', () => {
  it.each([
    ['get_context', { file: 's.jsonl' }, ['show', 's.jsonl']],
    ['get_context', { file: 's.jsonl', revision: '@{request:2}' }, ['show', 's.jsonl', '@{request:2}']],
    ['get_context', { file: 's.jsonl', ephemeral: true }, ['show', 's.jsonl', '--ephemeral']],
    ['list_sessions', { folder: 'all', max: 1 }, ['ls', 'all', '-n', '1']],
    ['list_entries', { file: 's.jsonl', max: 3 }, ['log', 's.jsonl', '-n', '3']],
    ['list_entries', { file: 's.jsonl', range: 'HEAD~4..HEAD~2' }, ['log', 's.jsonl', 'HEAD~4..HEAD~2']],
    ['read_message', { file: 's.jsonl', revision: 'HEAD~2' }, ['cat', 's.jsonl', 'HEAD~2']],
    ['search', { file: 's.jsonl', pattern: 'isoDate' }, ['grep', 'isoDate', 's.jsonl']],
    ['search', { file: 's.jsonl', pattern: 's.jsonl', fixed: true }, ['grep', '-F', '-e', 's.jsonl', 's.jsonl']],
    [
      'search',
      { file: 's.jsonl', pattern: 'ISO', ignoreCase: true, where: 'all', max: 4, context: 1 },
      ['grep', 'ISO', 's.jsonl', '-i', '--where', 'all', '-n', '4', '-C', '1'],
    ],
    ['diff_context', { file: 's.jsonl' }, ['diff', 's.jsonl']],
    ['diff_context', { file: 's.jsonl', from: 'HEAD~6' }, ['diff', 's.jsonl', 'HEAD~6']],
    ['diff_context', { file: 's.jsonl', from: 'HEAD~6', to: 'HEAD~1' }, ['diff', 's.jsonl', 'HEAD~6', 'HEAD~1']],
    ['diff_context', { file: 's.jsonl', otherFile: 'talk.jsonl' }, ['diff', 's.jsonl@HEAD', 'talk.jsonl@HEAD']],
    ['explain_cache', { file: 's.jsonl', retention: '1h' }, ['cache', 's.jsonl', '--retention', '1h']],
    ['check_loss', { file: 's.jsonl' }, ['loss', 's.jsonl']],
    ['status', { file: 's.jsonl', limit: 100_000 }, ['status', 's.jsonl', '--limit', '100k']],
    ['find_entries', { words: 'time zone', in: 'all', max: 1 }, ['find', 'time', 'zone', '--in', 'all', '-n', '1']],
    ['get_stats', { sessions: ['all'], by: ['model', 'day'] }, ['stats', 'all', '--by', 'model,day']],
    ['get_stats', { sessions: ['s.jsonl'], withSubagents: true }, ['stats', 's.jsonl', '--with-subagents']],
    ['get_overhead', { sessions: ['s.jsonl', 'talk.jsonl'] }, ['overhead', 's.jsonl', 'talk.jsonl']],
  ])('%s %j', async (method, params, argv) => {
    expect(await resultOf(method, params)).toEqual(await printed(...argv));
  });

  it('in Markdown, as a page', async () => {
    const { stdout } = await ctx(['show', 's.jsonl', '--format', 'markdown'], { files });
    expect(await resultOf('get_context', { file: 's.jsonl', format: 'markdown' })).toEqual({ markdown: stdout });
  });

  it('only the parts and the members that are asked for', async () => {
    const { tools, meta, ...rest } = (await resultOf('get_context', { file: 's.jsonl', parts: ['tools'] })) ?? {};
    expect([Object.keys(rest), Array.isArray(tools), typeof meta]).toEqual([
      ['schema', 'schemaVersion', 'session', 'at'],
      true,
      'object',
    ]);
    expect(await resultOf('list_entries', { file: 's.jsonl', max: 1, fields: ['entryId'] })).toEqual({
      items: [{ entryId: 'e0f4d7b6' }],
      isCut: false,
    });
  });

  it('no more than fits', async () => {
    expect(await asked([{ id: 1, method: 'get_context', params: { file: 's.jsonl', maxTokens: 50 } }])).toMatchObject([
      { id: 1, error: { code: -32004, hint: 'choose parts or fields, or set maxTokens' } },
    ]);
    const [entries] = await asked([{ id: 1, method: 'list_entries', params: { file: 's.jsonl' } }], {}, [
      '--max-tokens',
      '500',
    ]);
    expect(entries?.result).toMatchObject({ isCut: true });
    const { items = [] } = (entries?.result ?? {}) as { readonly items?: readonly { readonly entryId: string }[] };
    expect(items.at(-1)?.entryId).toBe('e0f4d7b6');
    expect(items.length).toBeGreaterThan(3);
    expect(JSON.stringify(entries).length).toBeLessThan(2200);
  });
});

describe('ctx rpc', () => {
  it('does not take the session of its start as the latest one, since the agent goes on to others', async () => {
    const record = JSON.stringify({
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      sessionId: 's',
      cwd: '/home/ada/weather',
      version: '2.1.332',
      message: { role: 'user', content: 'Hi' },
      timestamp: '2026-01-06T00:00:00.000Z',
    });
    const folder = '/home/ada/.claude/projects/-home-ada-weather';
    const [first, second] = ['0b1c2d3e-0000-4000-8000-000000000001', '0b1c2d3e-0000-4000-8000-000000000002'];
    const sessions = Object.fromEntries([first, second].map((id) => [`${folder}/${id}.jsonl`, `${record}\n`]));
    const world = { files: sessions, env: { CLAUDE_CODE_SESSION_ID: first } };
    const [answer] = await asked([{ id: 1, method: 'status', params: {} }], world);
    expect(answer?.result).toMatchObject({ session: { file: `${folder}/${second}.jsonl` } });
    const { stdout } = await ctx(['status', '--json'], world);
    expect(JSON.parse(stdout)).toMatchObject({ session: { file: `${folder}/${first}.jsonl` } });
  });

  const STATUS = { id: 'last', method: 'status', params: { file: 's.jsonl' } };
  it.each([
    ['what is no JSON', '{', -32700, 'not JSON'],
    ['a list', [STATUS], -32600, 'not a request'],
    ['a number', '7', -32600, 'not a request'],
    ['an id that cannot be answered exactly', '{"id":9007199254740995,"method":"status"}', -32600, 'not a request: id'],
    ['a request without a method', { id: 1 }, -32600, 'method must be string'],
    ['a request without an id', { method: 'status' }, -32600, 'id is missing'],
    ['an unknown method', { id: 1, method: 'serch' }, -32601, 'no method "serch"'],
    ['a parameter of another type', { id: 1, method: 'status', params: { file: 1 } }, -32602, 'file must be string'],
    ['a list of parameters', { id: 1, method: 'status', params: [1] }, -32600, 'params must be object'],
    ['an unknown parameter', { id: 1, method: 'status', params: { output: 'x' } }, -32602, 'unknown key "output"'],
    [
      'an unknown revision',
      { id: 1, method: 'get_context', params: { file: 's.jsonl', revision: 'zz' } },
      -32602,
      'zz',
    ],
    ['a bad pattern', { id: 1, method: 'search', params: { file: 's.jsonl', pattern: '(' } }, -32602, 'expression'],
    ['a missing file', { id: 1, method: 'status', params: { file: 'none.jsonl' } }, -32003, 'no such file'],
    ['its own input', { id: 1, method: 'status', params: { file: '-' } }, -32602, 'standard input holds the requests'],
    ['a line that is too long', 'x'.repeat(LONGEST_REQUEST + 1), -32600, 'longer than'],
    ['deep nesting', '['.repeat(100_000), -32700, 'not JSON'],
    [
      'a deep request',
      `{"id":1,"method":"status","params":${'{"a":'.repeat(9e4)}1${'}'.repeat(9e4)}}`,
      -32602,
      'unknown key',
    ],
  ])('answers an error for %s, and goes on', async (_, request, code, message) => {
    const [bad, good, ...more] = await asked([request, STATUS]);
    expect(bad?.error?.code).toBe(code);
    expect(bad?.error?.message).toContain(message);
    expect([good?.id, good?.result?.['schema'], more]).toEqual(['last', 'ctx/status', []]);
  });

  it('answers no notification and no blank line', async () => {
    expect(await asked(['', { jsonrpc: '2.0', method: 'status' }, ' '])).toEqual([]);
  });

  it('reads the defaults of a configuration, unless it is told not to', async () => {
    const world = { files: { '/home/ada/weather/ctx.config.json': JSON.stringify({ limit: 50_000 }) } };
    const request = [{ id: 1, method: 'status', params: { file: 's.jsonl', fields: ['limit'] } }];
    const [[configured], [plain]] = [await asked(request, world), await asked(request, world, ['--no-config'])];
    expect([configured?.result, plain?.result]).toEqual([{ limit: 50_000 }, { limit: 200_000 }]);
  });

  it('replaces secrets with --redact', async () => {
    const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    const leaky = { files: { 'leak.jsonl': TALK_LINES.replace('question u1', `use ${key}`) } };
    const request = [{ id: 1, method: 'get_context', params: { file: 'leak.jsonl' } }];
    expect(JSON.stringify(await asked(request, leaky))).toContain(key);
    expect(JSON.stringify(await asked(request, leaky, ['--redact']))).not.toContain(key);
  });

  it('tells of what fails without the secrets in names with --redact', async () => {
    const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    const world = { files: { [`shared/${key}/talk.jsonl`]: TALK_LINES } };
    const requests = [
      { id: 1, method: 'list_sessions', params: { folder: 'shared' } },
      { id: 2, method: 'status', params: { file: 'shared/[REDACTED:github-token:1]/none.jsonl' } },
    ];
    const [listed, failed] = await asked(requests, world, ['--redact']);
    expect(JSON.stringify(listed)).toContain('shared/[REDACTED:github-token:1]/talk.jsonl');
    expect(failed?.error).toMatchObject({
      code: -32003,
      where: 'shared/[REDACTED:github-token:1]/none.jsonl',
    });
  });

  it('has only methods of commands that change no session', () => {
    expect(new Set(rpcMethods.map(({ command }) => command))).toEqual(
      new Set(['show', 'ls', 'log', 'cat', 'grep', 'diff', 'cache', 'loss', 'status', 'find', 'stats', 'overhead']),
    );
  });
});

it('does not repeat an id that is longer than an id may be', async () => {
  const [answer] = await asked([{ id: 'x'.repeat(1001), method: 'status' }]);
  expect(answer).toMatchObject({ id: null, error: { code: -32600 } });
});

it.each(['rpc', 'mcp'])('ctx %s has one form of output, so it refuses flags for others', async (name) => {
  for (const flags of [['--json'], ['--format', 'markdown'], ['--fields', 'result']])
    expect((await ctx([name, ...flags], { files: { '-': '' } })).exitCode, flags[0]).toBe(2);
});

it.each([
  ['get_context', { session: 's.jsonl' }, 'did you mean "file"?'],
  ['get_context', { fil: 's.jsonl' }, 'did you mean "file"?'],
  ['list_sessions', { colour: 1 }, expect.stringMatching(/^the parameters are folder, /) as string],
  ['get_context', { file: 7 }, null],
  ['search', { file: 's.jsonl', pattern: '(' }, 'repair the expression, or use fixed to search for the literal text'],
])('ctx rpc suggests parameters, and no flags: %s %j', async (method, params, hint) => {
  const [answer] = await asked([{ jsonrpc: '2.0', id: 1, method, params }]);
  expect(answer?.error).toMatchObject({ code: -32602, hint });
});
