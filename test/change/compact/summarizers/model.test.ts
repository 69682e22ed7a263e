import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import model from '#change/compact/summarizers/model.js';
import { taskOf, worldWith } from '../../../support/summary-world.js';

interface Request {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}
type Reply = (response: ServerResponse) => void;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that gives one reply after another. */
async function serve(...replies: readonly Reply[]): Promise<{ url: string; requests: Request[] }> {
  const requests: Request[] = [];
  const waiting = [...replies];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) as Request['body'] });
      (waiting.shift() ?? status(599))(response);
    });
  });
  await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

function status(code: number, message = 'busy'): Reply {
  return (response) => {
    response.writeHead(code, { 'content-type': 'application/json', 'retry-after-ms': '5' });
    response.end(JSON.stringify({ type: 'error', error: { type: 'some_error', message } }));
  };
}

function stream(events: readonly unknown[], end: 'whole' | 'cut' = 'whole'): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) {
      const name = (event as { type?: string }).type;
      response.write(
        `${name ? `event: ${name}\n` : ''}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
      );
    }
    if (end === 'whole') response.end();
    else setTimeout(() => response.destroy(), 50);
  };
}

type Ending = 'done' | 'length' | 'tool' | 'empty' | 'cut';

function anthropic(ending: Ending, text = '## Goal\nFix it.'): Reply {
  const usage = { input_tokens: 100, cache_read_input_tokens: 40, cache_creation_input_tokens: 10, output_tokens: 1 };
  const block =
    ending === 'tool' ? { type: 'tool_use', id: 't1', name: 'bash', input: {} } : { type: 'text', text: '' };
  const delta = ending === 'tool' ? { type: 'input_json_delta', partial_json: '{}' } : { type: 'text_delta', text };
  const reason = { done: 'end_turn', length: 'max_tokens', tool: 'tool_use', empty: 'end_turn', cut: '' }[ending];
  const begun = [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'c',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
    },
    ...(ending === 'empty'
      ? []
      : [
          { type: 'content_block_start', index: 0, content_block: block },
          { type: 'content_block_delta', index: 0, delta },
        ]),
  ];
  if (ending === 'cut') return stream(begun, 'cut');
  return stream([
    ...begun,
    ...(ending === 'empty' ? [] : [{ type: 'content_block_stop', index: 0 }]),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 25 } },
    { type: 'message_stop' },
  ]);
}

function openai(ending: Ending, text = '## Goal\nFix it.'): Reply {
  const chunk = (delta: unknown, finish: string | null = null): unknown => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const tool = { tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'bash', arguments: '{}' } }] };
  const reason = { done: 'stop', length: 'length', tool: 'tool_calls', empty: 'stop', cut: null }[ending];
  const said = ending === 'empty' ? [] : [chunk(ending === 'tool' ? tool : { content: text })];
  if (ending === 'cut') return stream([chunk({ role: 'assistant' }), ...said], 'cut');
  const usage = {
    prompt_tokens: 150,
    completion_tokens: 25,
    total_tokens: 175,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 5 },
  };
  return stream([chunk({ role: 'assistant' }), ...said, chunk({}, reason), { id: 'c', choices: [], usage }, '[DONE]']);
}

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

describe.each([
  [
    'anthropic',
    anthropic,
    '/v1/messages',
    { input: 100, output: 25, cacheRead: 40, cacheWrite: 10, totalTokens: 175, cost: FREE },
  ],
  [
    'openai',
    openai,
    '/v1/chat/completions',
    { input: 110, output: 25, cacheRead: 40, cacheWrite: 0, reasoning: 5, totalTokens: 175, cost: FREE },
  ],
] as const)('a model that speaks %s', (api, protocol, path, usage) => {
  const env = { ANTHROPIC_API_KEY: 'sk-a', OPENAI_API_KEY: 'sk-o' };
  const ask = (url: string, more: Partial<Parameters<typeof taskOf>[0]> = {}, world = worldWith({ env })) =>
    model.summarize(taskOf(more), world, { model: 'a-model', api, 'base-url': url });

  it('is asked as Pi asks, and its answer is streamed', async () => {
    const { url, requests } = await serve(protocol('done'));
    const said: string[] = [];
    const summary = await ask(url, { instructions: 'tests' }, worldWith({ env, progress: (text) => said.push(text) }));
    expect(summary).toEqual({ text: '## Goal\nFix it.', usage });
    expect(Object.keys(summary.usage ?? {})).toEqual(Object.keys(usage));
    const [request] = requests;
    expect(request?.path).toBe(path);
    expect(request?.body).toMatchObject({ model: 'a-model', stream: true });
    expect(request?.body['tools']).toBeUndefined();
    const body = JSON.stringify(request?.body);
    expect(body).toContain('[User]: Fix the parser.');
    expect(body).toContain('You are a context summarization assistant.');
    expect(body).toContain('Additional focus: tests');
    expect(request?.headers[api === 'anthropic' ? 'x-api-key' : 'authorization']).toMatch(/sk-[ao]$/);
    expect(said).toEqual(['a-model: 15 characters …']);
  });

  it('is asked again after 429 and 500', async () => {
    const { url, requests } = await serve(status(429), status(500), protocol('done'));
    expect((await ask(url)).text).toBe('## Goal\nFix it.');
    expect(requests).toHaveLength(3);
  });

  it('is not asked for ever, and not again after 401', async () => {
    const busy = await serve(status(429), status(429), status(429), status(429), protocol('done'));
    await expect(ask(busy.url)).rejects.toMatchObject({
      kind: 'input',
      message: expect.stringMatching(/HTTP 429.*busy/),
    });
    expect(busy.requests).toHaveLength(4);
    const closed = await serve(status(401, 'bad key'), protocol('done'));
    await expect(ask(closed.url)).rejects.toThrow(/HTTP 401.*bad key/);
    expect(closed.requests).toHaveLength(1);
  });

  it.each([
    ['length', /the length limit truncated/],
    ['tool', /called a tool/],
    ['empty', /empty|before the model was done/],
    ['cut', /ended|terminated|no summary/],
  ] as const)('gives no summary with the ending %s', async (ending, said) => {
    const { url } = await serve(protocol(ending));
    await expect(ask(url)).rejects.toMatchObject({ kind: 'input', message: expect.stringMatching(said) });
  });

  it('is asked twice for a split turn; what both took is added up', async () => {
    const { url, requests } = await serve(protocol('done', 'HISTORY'), protocol('done', 'PREFIX'));
    const summary = await ask(url, { turnPrefix: taskOf().messages });
    expect(summary.text).toBe('HISTORY\n\n---\n\n**Turn Context (split turn):**\n\nPREFIX');
    expect(summary.usage).toMatchObject({ output: 50, totalTokens: 350 });
    expect(requests).toHaveLength(2);
  });

  it('is left alone when the user interrupts', async () => {
    const { url } = await serve(() => {});
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    await expect(ask(url, {}, worldWith({ env, signal: stop.signal }))).rejects.toMatchObject({ kind: 'input' });
  });
});

describe('access to a model', () => {
  it.each([
    [{}, { model: undefined }, /needs a model/],
    [{}, { model: 'claude-x' }, /API key is not set/],
    [{ ANTHROPIC_API_KEY: 'k' }, { model: 'gpt-x' }, /API key is not set/],
    [{ OPENAI_API_KEY: 'k' }, { model: 'gpt-x', 'key-from': 'OTHER' }, /API key is not set/],
  ])('with %j and %j is refused before anything is sent', async (env, given, said) => {
    const fetch = (): Promise<Response> => Promise.reject(new Error('asked'));
    await expect(model.summarize(taskOf(), worldWith({ env, fetch }), given)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(said),
    });
  });

  it('needs no key at a server that was named', async () => {
    const { url, requests } = await serve(openai('done'));
    await model.summarize(taskOf(), worldWith(), { model: 'local', 'base-url': url });
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  it('goes where the environment says', async () => {
    const { url, requests } = await serve(anthropic('done'));
    const env = { ANTHROPIC_BASE_URL: url.replace('/v1', ''), ANTHROPIC_AUTH_TOKEN: 'tok' };
    await model.summarize(taskOf(), worldWith({ env }), { model: 'claude-x' });
    expect(requests[0]).toMatchObject({ path: '/v1/messages', headers: { authorization: 'Bearer tok' } });
  });
});
