import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { asObject, asString, asText, type JsonObject, listObjects } from '#base/json.js';
import { type Client, World } from './client.js';
import { callText, fullName, type Piece, shownPieces, textPieces, withId } from './compare.js';
import { Provider } from './provider.js';

/** A real Codex in an empty home, with a scripted provider. */
export class Codex {
  readonly world = new World();
  readonly config = path.join(this.world.home, '.codex');

  private constructor(
    private readonly program: string,
    readonly provider: Provider,
  ) {}

  /** `settings`: lines of its configuration. */
  static async start(program: string): Promise<Codex> {
    const codex = new Codex(program, await Provider.start());
    codex.settings('');
    return codex;
  }

  /** Writes the configuration. `lines`: more of it. */
  settings(lines: string): void {
    const text = `model = "gpt-5.2-codex"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
${lines}
[model_providers.scripted]
name = "scripted"
base_url = "${this.provider.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
stream_max_retries = 1
request_max_retries = 1
`;
    this.world.write(path.join(this.config, 'config.toml'), text);
  }

  /** Runs a command line to its end. */
  async run(...args: readonly string[]): Promise<Client> {
    const client = this.launch(args);
    await client.end();
    return client;
  }

  launch(args: readonly string[]): Client {
    return this.world.start(this.program, args, { CODEX_HOME: this.config, SCRIPTED_KEY: 'none' });
  }

  /** Asks one thing, and ends. Returns the thread. */
  async exec(prompt: string, ...args: readonly string[]): Promise<string> {
    const client = this.launch(['exec', '--skip-git-repo-check', '--json', ...args, prompt]);
    await client.end();
    const started = client.events.find(({ type }) => type === 'thread.started');
    return asString(started?.['thread_id']) ?? '';
  }

  /** Starts the server with which programs talk. */
  async serve(): Promise<Server> {
    const server = new Server(this.launch(['app-server']));
    await server.call('initialize', {
      clientInfo: { name: 'judge', title: 'judge', version: '1' },
      capabilities: { experimentalApi: true },
    });
    return server;
  }

  /** Writes a rollout with these items, or the `compacted` lines between them, and returns its thread. */
  writeRollout(number: number, items: readonly JsonObject[]): string {
    const id = `019ca000-0000-7000-8000-00000000000${number}`;
    const timestamp = '2026-02-28T10:00:00.000Z';
    const meta = { id, timestamp, cwd: this.world.folder, originator: 'codex_exec', cli_version: '0.98.0' };
    const header = { ...meta, source: 'exec', model_provider: 'scripted', base_instructions: { text: 'Be kind.' } };
    const lines = [
      { type: 'session_meta', payload: header },
      ...items.map((item) =>
        'compacted' in item
          ? { type: 'compacted', payload: item['compacted'] }
          : { type: 'response_item', payload: item },
      ),
    ];
    const text = lines.map((line) => `${JSON.stringify({ timestamp, ...line })}\n`).join('');
    this.world.write(path.join(this.config, `sessions/2026/02/28/rollout-2026-02-28T10-00-00-${id}.jsonl`), text);
    return id;
  }

  /** The rollouts. */
  files(): Readonly<Record<string, Uint8Array>> {
    const folder = path.join(this.config, 'sessions');
    return existsSync(folder) ? this.world.files(folder, /\.jsonl$/) : {};
  }

  /** Whether a rollout records the answer to a request, which is not so for requests for a summary. */
  records(number: number): boolean {
    return this.text().includes(`_${number}_0"`);
  }

  /** Waits until a rollout contains some text. */
  async hasRecorded(text: string): Promise<void> {
    while (!this.text().includes(text)) await delay(20);
  }

  async end(): Promise<void> {
    await this.world.end(this.provider.requests);
    await this.provider.close();
  }

  private text(): string {
    return Object.values(this.files())
      .map((bytes) => Buffer.from(bytes).toString())
      .join('\n');
  }
}

/** A running server of Codex. */
export class Server {
  private calls = 0;

  constructor(readonly client: Client) {}

  async call(method: string, params: JsonObject): Promise<JsonObject> {
    this.calls += 1;
    const number = this.calls;
    const from = this.client.events.length;
    this.client.send({ jsonrpc: '2.0', id: number, method, params });
    const answer = await this.client.next(({ id, method: other }) => id === number && other === undefined, from);
    if (answer['error'] !== undefined)
      throw new Error(`${method} failed: ${asText(asObject(answer['error'])['message'])}`);
    return asObject(answer['result']);
  }

  /** Starts a thread, forks it, or goes on with it, and returns its id. */
  async thread(method: 'thread/start' | 'thread/fork' | 'thread/resume', params: JsonObject): Promise<string> {
    return asString(asObject((await this.call(method, params))['thread'])['id']) ?? '';
  }

  /** Says something, and waits until the turn is over. Returns the id of the turn. */
  async say(threadId: string, ...input: readonly (string | JsonObject)[]): Promise<string> {
    const from = this.client.events.length;
    const id = await this.begin(threadId, ...input);
    await this.over(from);
    return id;
  }

  /** Says something, without waiting for the end of the turn. */
  async begin(threadId: string, ...input: readonly (string | JsonObject)[]): Promise<string> {
    const items = input.map((each) => (typeof each === 'string' ? { type: 'text', text: each } : each));
    const { turn } = await this.call('turn/start', { threadId, input: items });
    return asString(asObject(turn)['id']) ?? '';
  }

  async over(from: number): Promise<void> {
    await this.client.next(({ method }) => method === 'turn/completed', from);
  }

  /** Replaces the history by a summary. */
  async compact(threadId: string): Promise<void> {
    const from = this.client.events.length;
    await this.call('thread/compact/start', { threadId });
    await this.over(from);
  }

  async end(): Promise<void> {
    await this.client.end();
  }
}

/** The blocks of the items in the body of a request, after its instructions. */
export function openaiPieces({ instructions, input }: JsonObject): readonly Piece[] {
  const first = asString(instructions) ?? '';
  const base: readonly Piece[] = first === '' ? [] : [{ from: 'developer', kind: 'text', text: first }];
  return [...base, ...listObjects(input).flatMap(itemPieces)];
}

/**
 * What ctx shows of a request. Codex cuts the sections on tools that it does not send out of the instructions that come
 * from the model's own: ctx says that they are approximate, and they have to have every line that was sent. A session that
 * was converted records none: they are those of the model.
 */
export function shownRequest(envelope: JsonObject, [first]: readonly Piece[]): readonly Piece[] {
  const prompt = asString(asObject(envelope['system'])['compiled']) ?? '';
  const { system } = asObject(asObject(asObject(envelope['session'])['agent'])['parts']);
  const isCut = system === 'approximate' && first !== undefined && hasLines(prompt, first.text);
  const isOfModel = system === 'missing' && first?.from === 'developer';
  return [isCut || isOfModel ? first : { from: 'developer', kind: 'text', text: prompt }, ...shownPieces(envelope)];
}

/** Whether a text has the lines of another one, in their order. */
function hasLines(text: string, other: string): boolean {
  const lines = text.split('\n');
  let from = 0;
  return other.split('\n').every((line) => {
    from = lines.indexOf(line, from) + 1;
    return from > 0;
  });
}

function itemPieces(item: JsonObject): readonly Piece[] {
  const { type, role, content, call_id: call, name, namespace, output, summary, input } = item;
  switch (type) {
    case 'message':
      return listObjects(content).flatMap((block) => messagePieces(ROLES[String(role)] ?? 'user', block));
    case 'reasoning':
      return listObjects(summary).map(({ text }) => ({ from: 'model', kind: 'thinking', text: String(text) }));
    case 'function_call':
    case 'custom_tool_call': {
      const given: unknown = type === 'function_call' ? readArguments(String(item['arguments'])) : { input };
      return [{ from: 'model', kind: 'call', text: callText(call, fullName(name, namespace), given) }];
    }
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
      // Only the provider can read it.
      return [
        {
          from: 'user',
          kind: 'text',
          text: `[encrypted compaction, ${String(item['encrypted_content']).length} characters]`,
        },
      ];
    case 'web_search_call':
      // It runs at the provider.
      return [
        {
          from: 'model',
          kind: 'text',
          text: `[web_search_call ${JSON.stringify(item['action'] ?? item['status'] ?? null)}]`,
        },
      ];
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const blocks = typeof output === 'string' ? [{ type: 'input_text', text: output }] : listObjects(output);
      return withId(
        `${String(call)} `,
        blocks.map((block) => blockPiece('tool', block)),
        'tool',
      );
    }
    default:
      return [{ from: 'user', kind: 'text', text: JSON.stringify(item) }];
  }
}

/** The arguments of a call. A model may write some that are not JSON. */
function readArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { input: text };
  }
}

const ROLES: Readonly<Record<string, Piece['from']>> = { assistant: 'model', developer: 'developer', user: 'user' };

/** The reminders of another client, in a session that was converted, are pieces of their own, as in what ctx shows. */
function messagePieces(from: Piece['from'], block: JsonObject): readonly Piece[] {
  const piece = blockPiece(from, block);
  return piece.kind === 'text' ? textPieces(from, piece.text) : [piece];
}

function blockPiece(from: Piece['from'], { type, text, image_url: url }: JsonObject): Piece {
  if (type !== 'input_image') return { from, kind: 'text', text: String(text) };
  const [, mimeType, data = ''] = /^data:([^;]+);base64,(.*)$/.exec(String(url)) ?? [];
  // An image that is not part of the file is a text with its address.
  if (mimeType === undefined) return { from, kind: 'text', text: `[image ${String(url)}]` };
  return { from, kind: 'image', text: `${mimeType} ${data}` };
}
