export type Json = Readonly<Record<string, unknown>>;

/** Numbers between 0 and 1, as a property test draws them. */
export type Draw = () => number;

const START = Date.UTC(2026, 2, 2, 9);
const MINUTE = 60_000;
const READ = { name: 'read', description: 'Read a file', parameters: { type: 'object' } };
const BASH = { name: 'bash', description: 'Run a command', parameters: { type: 'object' } };
export const EDIT = { name: 'edit', description: 'Edit a file', parameters: { type: 'object' } };
export const TOOLS = [READ, BASH];
const SONNET = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-sonnet-4-5' };
export const HAIKU = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-haiku-4-5' };

/** What the next request is to be billed for. */
export interface Billing {
  /** Tokens that the provider reads; all of the request before where nothing is said. */
  readonly read?: number;
  /** How much the prompt grows by. */
  readonly growth?: number;
}

/** A session in which every request reads from the cache what the one before it has sent, unless it is told otherwise. */
export class PlantedSession {
  readonly lines: string[] = [];
  /** Ids of messages that a request has sent. */
  readonly sent: string[] = [];
  /** Ids of messages that no request has sent yet. */
  private waiting: string[] = [];
  parent: string | null = null;
  prompt = 5000;
  model: Json = SONNET;
  /** Whether the cause has been planted. */
  isPlanted = false;
  /** Nothing has changed the system prompt yet. */
  isWhole = true;
  private minutes = 0;
  private count = 0;

  constructor(
    readonly draw: Draw,
    /** Whether the provider reports its tokens. */
    readonly isRecorded: boolean,
  ) {
    this.lines.push(
      JSON.stringify({ type: 'session', version: 3, id: 'planted', timestamp: iso(START), cwd: '/home/ada' }),
    );
    this.system({ sections: { preamble: 'You help.', rules: 'Be brief.', cwd: '/home/ada' }, toolsAdded: TOOLS });
  }

  entry(type: string, fields: Json): string {
    this.count += 1;
    this.minutes += 0.1;
    const id = `e${String(this.count).padStart(7, '0')}`;
    this.lines.push(JSON.stringify({ type, id, parentId: this.parent, timestamp: iso(this.now()), ...fields }));
    this.parent = id;
    return id;
  }

  message(message: Json): string {
    return this.entry('message', { message: { ...message, timestamp: this.now() } });
  }

  system(fields: Json): string {
    return this.message({ role: 'system', content: '', ...fields });
  }

  user(content: unknown = this.words()): string {
    const id = this.message({ role: 'user', content });
    this.waiting.push(id);
    return id;
  }

  wait(minutes: number): void {
    this.minutes += minutes;
  }

  /** A request is sent and answered. */
  assistant({ read, growth = 200 + Math.floor(this.draw() * 4000) }: Billing = {}, fields: Json = {}): string {
    this.sent.push(...this.waiting);
    this.waiting = [];
    const isFirst = this.sent.length <= 1;
    const cacheRead = isFirst ? 0 : (read ?? this.prompt);
    this.prompt = Math.max(2000, this.prompt + growth);
    const usage = this.isRecorded ? usageOf(cacheRead, Math.max(0, this.prompt - cacheRead)) : usageOf(0, 0);
    const id = this.message({
      role: 'assistant',
      content: [{ type: 'text', text: this.words() }],
      ...this.model,
      usage,
      stopReason: 'stop',
      ...fields,
    });
    this.waiting.push(id);
    return id;
  }

  /** An answer that calls a tool, and the result. */
  tool(billing: Billing = {}): string {
    const call = `call_${this.count}`;
    const content = [
      { type: 'thinking', thinking: this.words(), thinkingSignature: 's' },
      { type: 'toolCall', id: call, name: 'read', arguments: { path: this.words() } },
    ];
    const id = this.assistant(billing, { content, stopReason: 'toolUse' });
    this.result(call);
    return id;
  }

  result(call: string): string {
    const id = this.message({
      role: 'toolResult',
      toolCallId: call,
      toolName: 'read',
      content: [{ type: 'text', text: this.words() }],
      isError: false,
    });
    this.waiting.push(id);
    return id;
  }

  /** A request after another, with no break in between. */
  turn(billing: Billing = {}): void {
    this.user();
    if (this.draw() < 0.4) {
      this.tool(billing);
      this.assistant();
    } else this.assistant(billing);
  }

  /** What is in a session and breaks nothing. */
  noise(): void {
    const kind = Math.floor(this.draw() * 9);
    if (kind === 0) this.entry('label', { targetId: this.parent, label: 'here' });
    if (kind === 1) this.entry('custom', { customType: 'state', data: { n: 1 } });
    if (kind === 2) this.entry('session_info', { name: 'a name' });
    // Behind what was planted it would be a second cause.
    if (kind === 3 && !this.isPlanted)
      this.entry('thinking_level_change', { thinkingLevel: this.draw() < 0.5 ? 'low' : 'high' });
    if (kind === 4) {
      const fields = { content: [], stopReason: 'error', errorMessage: 'overloaded', usage: usageOf(0, 0) };
      this.entry('context_edit', {
        targetId: this.message({ role: 'assistant', ...this.model, ...fields }),
        replacement: null,
      });
    }
    if (kind === 5)
      this.entry('context_edit', { targetId: this.user(), replacement: { content: 'edited before it was sent' } });
    if (kind === 6)
      this.waiting.push(this.entry('custom_message', { customType: 'note', content: this.words(), display: false }));
    if (kind === 7 && this.isWhole) this.system({ sections: { rules: 'Be brief.' } });
    if (kind === 8)
      this.message({
        role: 'assistant',
        ...this.model,
        content: [{ type: 'text', text: 'half' }],
        stopReason: 'aborted',
        usage: usageOf(0, 0),
      });
  }

  words(): string {
    this.count += 1;
    return `${'lorem ipsum '.repeat(1 + Math.floor(this.draw() * 30))}${this.count}`;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.draw() * items.length)] as Item;
  }

  now(): number {
    return START + Math.floor(this.minutes * MINUTE);
  }

  text(): string {
    return `${this.lines.join('\n')}\n`;
  }
}

function usageOf(cacheRead: number, cacheWrite: number): Json {
  const cost = { input: 0, output: 0, cacheRead: cacheRead * 3e-7, cacheWrite: cacheWrite * 3.75e-6, total: 0 };
  return { input: 0, output: 10, cacheRead, cacheWrite, totalTokens: cacheRead + cacheWrite + 10, cost };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
