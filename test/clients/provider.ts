import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textIn } from 'node:stream/consumers';
import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { findOpenaiRefusal, findRefusal, toSigned } from './strict-api.js';

/** A part of a scripted answer. */
export type Part =
  | { readonly says: string }
  | { readonly thinks: string }
  | { readonly calls: string; readonly with: JsonObject | string };

/** A scripted answer of the provider. */
export interface Answer {
  readonly parts?: readonly Part[];
  /** An answer that fails has a status. It is given once, like one that fills the window. */
  readonly status?: number;
  /** What happens before the answer is sent for the first time. */
  readonly meanwhile?: () => Promise<unknown>;
  /** The tokens that it reports for its prompt, in place of the usual ones. */
  readonly promptTokens?: number;
  /** Its stream begins and never ends. */
  readonly isEndless?: boolean;
  /** Why the answer ended; by default as its parts say. */
  readonly stop?: string;
}

/** A request that a client sent. */
export interface SentRequest {
  /** Each request reports a number of prompt tokens of its own, which finds it in a session. */
  readonly promptTokens: number;
  readonly body: JsonObject;
  /** The session that sent it, as the client tells the provider. */
  readonly sessionId: string;
  readonly isFailed: boolean;
  /** Why a strict provider refused it; null if it did not. */
  readonly refusal: string | null;
}

export const says = (words: string, ...before: readonly Part[]): Answer => ({ parts: [...before, { says: words }] });
export const calls = (name: string, input: JsonObject | string): Answer => ({ parts: [{ calls: name, with: input }] });
export const fails = (status: number): Answer => ({ status });

/**
 * A provider on loopback with the protocols of Anthropic and of OpenAI. It answers by a script, and keeps what it was
 * sent. The newest text of the user with the words of a script decides which one is asked, and the number of answers
 * since then which of its answers is next, so that it does not matter how often, and in which order, clients ask.
 */
export class Provider {
  readonly requests: SentRequest[] = [];
  /** What went wrong while it answered. */
  readonly failures: unknown[] = [];
  /** Whether it refuses what the API refuses. */
  isStrict = false;
  /** The thinking that it has signed. */
  private readonly signed = new Set<string>();
  private readonly scripts = new Map<string, Answer[]>();
  private readonly begun = new Set<Answer>();
  private readonly open = new Set<ServerResponse>();
  private readonly waiting = new Set<{ readonly count: number; readonly done: () => void }>();
  private readonly server = createServer((request, response) => {
    this.handle(request, response).catch((error: unknown) => {
      this.failures.push(error);
      response.destroy();
    });
  });

  static async start(): Promise<Provider> {
    const provider = new Provider();
    await new Promise<void>((done) => {
      provider.server.listen(0, '127.0.0.1', done);
    });
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers a prompt with these words by these answers, one after the other. Later ones are short texts. */
  script(words: string, ...answers: readonly Answer[]): void {
    this.scripts.set(words, [...answers]);
  }

  /** Takes thinking that a recorded session has for its own. Encrypted reasoning has no text, and itself as the signature. */
  sign(thinking: string, signature: string): void {
    this.signed.add(toSigned(thinking, signature));
  }

  /** Waits until a number of requests has come. */
  async hasReceived(count: number): Promise<void> {
    if (this.requests.length >= count) return;
    await new Promise<void>((done) => {
      this.waiting.add({ count, done });
    });
  }

  async close(): Promise<void> {
    for (const response of this.open) response.destroy();
    await new Promise((done) => {
      this.server.close(done);
      this.server.closeAllConnections();
    });
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textIn(request);
    const url = request.url ?? '';
    if (url.includes('count_tokens')) {
      sendJson(response, 200, { input_tokens: 100 });
      return;
    }
    if (request.method !== 'POST' || !/\/(messages|responses)/.test(url)) {
      sendJson(response, 200, { data: [], models: [] });
      return;
    }
    const isOpenai = url.includes('/responses');
    const value = JSON.parse(body) as JsonObject;
    const refusal = this.isStrict
      ? isOpenai
        ? findOpenaiRefusal(value, this.signed)
        : findRefusal(value, this.signed)
      : null;
    const answer: Answer = refusal
      ? { status: refusal.status }
      : this.answerTo(isOpenai ? openaiTurns(value) : anthropicTurns(value));
    const number = this.requests.length + 1;
    for (const [at, part] of (answer.parts ?? []).entries())
      if ('thinks' in part) this.signed.add(toSigned(part.thinks, signatureOf(`${number}_${at}`)));
    const promptTokens = (answer.promptTokens ?? 20_000) + number;
    const isFailed = answer.status !== undefined;
    const sessionId = findSessionId(value);
    this.requests.push({ promptTokens, body: value, sessionId, isFailed, refusal: refusal?.message ?? null });
    for (const each of this.waiting) if (this.requests.length >= each.count) each.done();
    this.open.add(response);
    response.on('close', () => this.open.delete(response));
    if (!this.begun.has(answer)) {
      this.begun.add(answer);
      await answer.meanwhile?.();
    }
    const numbered = { ...answer, number, promptTokens };
    if (answer.status !== undefined) sendError(response, answer.status, refusal?.message);
    else if (isOpenai) sendOpenai(response, value, numbered);
    else sendAnthropic(response, value, numbered);
  }

  private answerTo(turns: readonly Turn[]): Answer {
    const keys = [...this.scripts.keys()];
    let at = turns.length;
    let key: string | undefined;
    while (at > 0 && key === undefined) {
      at -= 1;
      const { isAnswer, words } = turns[at]!;
      if (!isAnswer) key = keys.find((each) => words.includes(each));
    }
    const answers = key === undefined ? [] : this.scripts.get(key)!;
    const place = turns.slice(at).filter(({ isAnswer }) => isAnswer).length;
    const answer = answers[place] ?? says(`Answer to request ${this.requests.length + 1}.`);
    if (answer.status !== undefined || answer.promptTokens !== undefined) answers.splice(place, 1);
    return answer;
  }
}

/** Claude Code tells its session in an id of the user, Codex in the key of the cache. */
function findSessionId({ metadata, prompt_cache_key: key }: JsonObject): string {
  const user = asString(asObject(metadata)['user_id']) ?? '';
  return asString(key) ?? /session_(?:id":")?([0-9a-f-]{36})/.exec(user)?.[1] ?? '';
}

/** What the provider has to send. */
interface Numbered extends Answer {
  readonly number: number;
  readonly promptTokens: number;
}

interface Turn {
  readonly isAnswer: boolean;
  readonly words: string;
}

/** The id of the answer to a request. */
export function answerId(number: number): string {
  return `msg_scripted${number}`;
}

const OUTPUT_TOKENS = 7;

function anthropicTurns({ messages }: JsonObject): readonly Turn[] {
  return listObjects(messages).map(({ role, content }) => ({
    isAnswer: role === 'assistant',
    words: typeof content === 'string' ? content : listObjects(content).map(wordsOf).join('\n'),
  }));
}

function wordsOf({ text }: JsonObject): string {
  return asString(text) ?? '';
}

/** The items of one answer follow each other. */
function openaiTurns({ input }: JsonObject): readonly Turn[] {
  const items = listObjects(input);
  const isAnswer = ({ type, role }: JsonObject): boolean => role === 'assistant' || ANSWERS.has(String(type));
  return items
    .filter((item, at) => !isAnswer(item) || at === 0 || !isAnswer(items[at - 1]!))
    .map((item) => ({ isAnswer: isAnswer(item), words: listObjects(item['content']).map(wordsOf).join('\n') }));
}

const ANSWERS: ReadonlySet<string> = new Set(['reasoning', 'function_call', 'custom_tool_call', 'local_shell_call']);

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function sendError(response: ServerResponse, status: number, message = `scripted failure ${status}`): void {
  const type = ERRORS[status] ?? 'api_error';
  const error = { type, code: type, message };
  response.setHeader('retry-after', '0');
  sendJson(response, status, { type: 'error', error });
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function sendEvents(response: ServerResponse, events: readonly JsonObject[], isEndless = false): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
  if (!isEndless) response.end();
}

function sendAnthropic(response: ServerResponse, body: JsonObject, answer: Numbered): void {
  const { parts = [], number, promptTokens, isEndless } = answer;
  const isCall = parts.some((part) => 'calls' in part);
  const stop = { stop_reason: answer.stop ?? (isCall ? 'tool_use' : 'end_turn'), stop_sequence: null };
  const usage = {
    input_tokens: promptTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: OUTPUT_TOKENS,
  };
  const message = { id: answerId(number), type: 'message', role: 'assistant', model: body['model'], usage };
  const blocks = parts.map((part, at) => anthropicBlock(part, `${number}_${at}`));
  if (body['stream'] !== true) {
    sendJson(response, 200, { ...message, content: blocks, ...stop });
    return;
  }
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
  ];
  const end = [{ type: 'message_delta', delta: stop, usage }, { type: 'message_stop' }];
  sendEvents(response, isEndless ? events : [...events, ...end], isEndless);
}

function anthropicBlock(part: Part, id: string): JsonObject {
  if ('says' in part) return { type: 'text', text: part.says };
  if ('thinks' in part) return { type: 'thinking', thinking: part.thinks, signature: signatureOf(id) };
  return { type: 'tool_use', id: `toolu_${id}`, name: part.calls, input: asObject(part.with) };
}

/** A signature is of no use to the client, and sent back as it is. */
function signatureOf(id: string): string {
  return Buffer.from(`signature of ${id}`).toString('base64');
}

function blockEvents(block: JsonObject, index: number): readonly JsonObject[] {
  const delta = (value: JsonObject): JsonObject => ({ type: 'content_block_delta', index, delta: value });
  const [start, deltas] = ((): readonly [JsonObject, readonly JsonObject[]] => {
    switch (block['type']) {
      case 'text':
        return [{ ...block, text: '' }, [delta({ type: 'text_delta', text: block['text'] })]];
      case 'thinking':
        return [
          { ...block, thinking: '', signature: '' },
          [
            delta({ type: 'thinking_delta', thinking: block['thinking'] }),
            delta({ type: 'signature_delta', signature: block['signature'] }),
          ],
        ];
      default:
        return [
          { ...block, input: {} },
          [delta({ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) })],
        ];
    }
  })();
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas,
    { type: 'content_block_stop', index },
  ];
}

function sendOpenai(response: ServerResponse, { model }: JsonObject, answer: Numbered): void {
  const { parts = [], number, promptTokens, isEndless } = answer;
  const output = parts.map((part, at) => openaiItem(part, `${number}_${at}`));
  const usage = {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: OUTPUT_TOKENS,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: promptTokens + OUTPUT_TOKENS,
  };
  const whole = { id: `resp_${number}`, status: 'completed', model, output, usage };
  const events = [
    { type: 'response.created', response: { ...whole, output: [] } },
    ...output.map((item, at) => ({ type: 'response.output_item.done', output_index: at, item })),
  ];
  const end = { type: 'response.completed', response: whole };
  sendEvents(response, isEndless ? events : [...events, end], isEndless);
}

function openaiItem(part: Part, id: string): JsonObject {
  const status = 'completed';
  if ('says' in part) {
    const content = [{ type: 'output_text', text: part.says, annotations: [] }];
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status, content };
  }
  if ('thinks' in part) {
    const summary = [{ type: 'summary_text', text: part.thinks }];
    return { type: 'reasoning', id: `rs_${id}`, summary, encrypted_content: 'c2VjcmV0' };
  }
  const [, namespace, name = part.calls] = /^(.*)\.(.*)$/.exec(part.calls) ?? [];
  const call = { call_id: `call_${id}`, name, ...(namespace === undefined ? {} : { namespace }) };
  return typeof part.with === 'string'
    ? { type: 'custom_tool_call', id: `ctc_${id}`, status, ...call, input: part.with }
    : { type: 'function_call', id: `fc_${id}`, status, ...call, arguments: JSON.stringify(part.with) };
}
