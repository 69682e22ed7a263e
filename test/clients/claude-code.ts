import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { asObject, asString, asText, type JsonObject, listObjects } from '#base/json.js';
import { Pty } from '../support/pty.js';
import { type Client, NO_NETWORK, World } from './client.js';
import { blocksOf, callText, type Piece, textPieces, type Unrecorded, withId } from './compare.js';
import { answerId, Provider } from './provider.js';

const KEY = 'sk-ant-scripted';

/** A real Claude Code in an empty home, with a scripted provider. */
export class ClaudeCode {
  readonly world = new World();
  readonly config = path.join(this.world.home, '.claude');

  private constructor(
    private readonly program: string,
    readonly version: string,
    readonly provider: Provider,
  ) {}

  static async start(program: string, version: string): Promise<ClaudeCode> {
    return new ClaudeCode(program, version, await Provider.start());
  }

  /** Settings of the user, such as hooks. */
  settings(settings: JsonObject): void {
    this.world.write(path.join(this.config, 'settings.json'), JSON.stringify(settings));
  }

  /** Starts the client, which reads prompts until it is ended. */
  open(...args: readonly string[]): Conversation {
    return this.openWith({}, ...args);
  }

  openWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Conversation {
    const own = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    const model = args.includes('--model') ? [] : ['--model', 'claude-sonnet-4-5'];
    return new Conversation(this.launch([...own, ...model, ...args], env));
  }

  /** Runs a command line to its end. */
  async run(...args: readonly string[]): Promise<Client> {
    const client = this.launch(args, {});
    await client.end();
    return client;
  }

  private launch(args: readonly string[], env: Readonly<Record<string, string>>): Client {
    return this.world.start(this.program, args, { ...this.environment(), ...env });
  }

  /** Starts the client in a terminal. It asks none of its first questions, and trusts the folder in which it works. */
  openTerminal(args: readonly string[], size: { readonly columns: number; readonly rows: number }): Pty {
    const state = {
      hasCompletedOnboarding: true,
      bypassPermissionsModeAccepted: true,
      customApiKeyResponses: { approved: [KEY], rejected: [] },
      projects: { [this.world.folder]: { hasTrustDialogAccepted: true } },
    };
    this.world.write(path.join(this.config, '.claude.json'), JSON.stringify(state));
    const env = { ...NO_NETWORK, HOME: this.world.home, ...this.environment() };
    return new Pty([this.program, '--model', 'claude-sonnet-4-5', ...args], { ...size, cwd: this.world.folder, env });
  }

  private environment(): Readonly<Record<string, string>> {
    return {
      CLAUDE_CONFIG_DIR: this.config,
      ANTHROPIC_BASE_URL: this.provider.url,
      ANTHROPIC_API_KEY: KEY,
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
    };
  }

  /** The sessions, and what lies beside them. */
  files(): Readonly<Record<string, Uint8Array>> {
    const folder = path.join(this.config, 'projects');
    return existsSync(folder) ? this.world.files(folder, /\.jsonl?$/) : {};
  }

  /** The lines of all sessions. */
  lines(): readonly JsonObject[] {
    const texts = Object.entries(this.files()).filter(([name]) => name.endsWith('.jsonl'));
    return texts.flatMap(([, bytes]) =>
      Buffer.from(bytes)
        .toString()
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as JsonObject),
    );
  }

  /** Waits until the client has recorded that words of the user wait. */
  hasQueued(words: string): Promise<void> {
    return this.hasLine(({ type, operation, content }) => {
      return type === 'queue-operation' && operation === 'enqueue' && JSON.stringify(content).includes(words);
    });
  }

  /** Waits until the client has recorded a call of a command. */
  hasCalled(command: string): Promise<void> {
    return this.hasLine((line) => line['type'] === 'assistant' && JSON.stringify(line).includes(command));
  }

  /** The id of the record with an answer. */
  answer(words: string): string {
    const line = this.lines().find((each) => each['type'] === 'assistant' && JSON.stringify(each).includes(words));
    return asString(line?.['uuid']) ?? '';
  }

  /** Whether a session records the answer to a request, which is not so for requests for a summary. */
  records(number: number): boolean {
    const id = answerId(number);
    return this.lines().some(({ type, message }) => type === 'assistant' && asObject(message)['id'] === id);
  }

  private async hasLine(isWanted: (line: JsonObject) => boolean): Promise<void> {
    while (!this.lines().some((line) => isWanted(line))) await delay(20);
  }

  async end(): Promise<void> {
    await this.world.end(this.provider.requests);
    await this.provider.close();
  }
}

/** A running client that is told prompts. */
export class Conversation {
  constructor(readonly client: Client) {}

  /** Says something, and waits until the client is done with it. */
  async say(content: string | readonly JsonObject[]): Promise<void> {
    const from = this.client.events.length;
    this.send(content);
    await this.client.next(({ type }) => type === 'result', from);
  }

  /** Says something while the client may be at work. */
  send(content: string | readonly JsonObject[]): void {
    this.client.send({ type: 'user', message: { role: 'user', content } });
  }

  interrupt(): void {
    this.client.send({ type: 'control_request', request_id: 'interrupt', request: { subtype: 'interrupt' } });
  }

  /** The id of the session, once the client has begun it. */
  get sessionId(): string {
    const ids = this.client.events.flatMap((event) => asString(event['session_id']) ?? []);
    return ids.at(-1) ?? '';
  }

  /** Says one thing, and lets the client end. Returns the session. */
  async only(...prompts: readonly (string | readonly JsonObject[])[]): Promise<string> {
    for (const prompt of prompts) await this.say(prompt);
    await this.client.end();
    return this.sessionId;
  }
}

/** The blocks of the messages in the body of a request. */
export function anthropicPieces({ messages }: JsonObject): readonly Piece[] {
  return listObjects(messages).flatMap(({ role, content }) =>
    blocksOf(content).flatMap((block) => sentBlock(role === 'assistant' ? 'model' : 'user', block)),
  );
}

function sentBlock(from: Piece['from'], block: JsonObject): readonly Piece[] {
  const { type, text, thinking, source, id, name, input, tool_use_id: call, content } = block;
  switch (type) {
    case 'text':
      return textPieces(from, String(text));
    case 'thinking':
      return [{ from, kind: 'thinking', text: String(thinking) }];
    case 'tool_use':
      return [{ from, kind: 'call', text: callText(id, name, input) }];
    case 'image': {
      const { media_type: mimeType, data } = source as JsonObject;
      return [{ from, kind: 'image', text: `${String(mimeType)} ${String(data)}` }];
    }
    case 'tool_result': {
      const pieces = content === '' ? [] : blocksOf(content).flatMap((each) => sentBlock('tool', each));
      return withId(`${String(call)} `, pieces, 'tool');
    }
    default:
      return [{ from, kind: 'text', text: JSON.stringify(block) }];
  }
}

/** What a version of Claude Code sends and does not record. */
export function unrecordedIn(envelope: JsonObject, version: string): Unrecorded {
  const session = asObject(envelope['session']);
  const parts = asObject(asObject(session['agent'])['parts']);
  // The messages of each request are recorded, but for those that a fork copies.
  if (version === '2.1.332') return { reminders: parts['messages'] === 'recorded' ? 'ordered' : 'words' };
  // 2.1.237 records few of the reminders of a subagent.
  if (version === '2.1.237' && asText(session['id']).startsWith('agent-')) return { reminders: 'some' };
  // Before 2.1.290, the date and the instructions of the project are in no record.
  const firstReminders = version === '2.1.237' ? 1 : 0;
  return { reminders: parts['messages'] === 'recorded' ? 'words' : 'data', firstReminders };
}
