import type { JsonObject } from '#base/json.js';
import type { Random } from '../../support/random.js';

const TOOLS = ['read', 'bash', 'grep'];
const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** What Pi appends to a session: turns, and what its user does between them. */
export class PiWrites {
  private count = 0;

  constructor(private readonly random: Random) {}

  /** Lines below a leaf. `path`: the ids of entries with messages above it, the last one last, none of them a result or a call. */
  lines(leaf: string | null, path: readonly string[]): string {
    const { random } = this;
    return this.below(leaf, random.chance(0.75) || path.length === 0 ? this.turn() : [this.other(path)]);
  }

  /** The line of a name that the session is given. */
  name(leaf: string | null): string {
    return this.below(leaf, [this.nameEntry()]);
  }

  private below(leaf: string | null, entries: readonly JsonObject[]): string {
    let parentId = leaf;
    return entries
      .map(({ type, ...rest }) => {
        const id = this.id();
        const line = JSON.stringify({ type, id, parentId, timestamp: this.time(), ...rest });
        parentId = id;
        return `${line}\n`;
      })
      .join('');
  }

  private turn(): readonly JsonObject[] {
    const { random } = this;
    const entries: JsonObject[] = [this.message({ role: 'user', content: this.text('Question') })];
    if (random.chance(0.1)) entries.unshift(this.prompt());
    for (let requests = random.int(0, 3); requests > 0; requests -= 1) entries.push(...this.calls());
    return [...entries, this.answer([{ type: 'text', text: this.text('Answer') }], 'stop')];
  }

  /** An answer that calls tools, and what they say. */
  private calls(): readonly JsonObject[] {
    const { random } = this;
    const calls = Array.from({ length: random.int(1, 2) }, () => ({
      type: 'toolCall',
      id: `call_${this.id()}`,
      name: random.pick(TOOLS),
      arguments: { path: random.pick(['a.ts', 'b.ts']) },
    }));
    const results = calls.map(({ id, name }) =>
      this.message({
        role: 'toolResult',
        toolCallId: id,
        toolName: name,
        content: [{ type: 'text', text: this.text('Output', random.pick([5, 40, 200])) }],
        isError: random.chance(0.1),
      }),
    );
    const thinking = random.chance(0.3)
      ? [{ type: 'thinking', thinking: this.text('Hm'), thinkingSignature: `signed-${this.id()}` }]
      : [];
    return [this.answer([...thinking, ...calls], 'toolUse'), ...results];
  }

  private answer(content: readonly unknown[], stopReason: string): JsonObject {
    const input = this.random.int(100, 5000);
    const usage = { input, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: input + 20, cost: COST };
    const [api, provider, model] = ['anthropic-messages', 'anthropic', 'claude-sonnet-4-5'];
    return this.message({ role: 'assistant', content, api, provider, model, usage, stopReason });
  }

  private prompt(): JsonObject {
    const sections = { rules: this.text('Rules'), cwd: '/home/ada' };
    const toolsAdded = TOOLS.map((name) => ({ name, description: this.text(name), parameters: { type: 'object' } }));
    return this.message({ role: 'system', content: '', sections, toolsAdded });
  }

  private other(path: readonly string[]): JsonObject {
    const { random } = this;
    const targetId = random.pick(path);
    switch (random.int(0, 5)) {
      case 0:
        return {
          type: 'context_edit',
          targetId,
          replacement: random.chance(0.5) ? null : { content: this.text('Edited') },
        };
      case 1:
        return { type: 'label', targetId, label: `label ${this.count}` };
      case 2:
        return {
          type: 'compaction',
          summary: this.text('Summary', 40),
          firstKeptEntryId: targetId,
          tokensBefore: 1000,
        };
      case 3:
        return { type: 'custom_message', customType: 'note', content: this.text('Note'), display: true };
      case 4:
        return { type: 'thinking_level_change', thinkingLevel: random.pick(['low', 'high']) };
      default:
        return this.nameEntry();
    }
  }

  private nameEntry(): JsonObject {
    return { type: 'session_info', name: this.text('Name', 2) };
  }

  private message(message: JsonObject): JsonObject {
    return { type: 'message', message: { ...message, timestamp: this.milliseconds() } };
  }

  private text(first: string, words = 8): string {
    return `${first} ${Array.from({ length: words }, () => this.random.pick(['date', 'zone', '日本', 'parse', '\n'])).join(' ')}`;
  }

  private id(): string {
    this.count += 1;
    return (0x10000000 + this.count).toString(16);
  }

  private time(): string {
    return new Date(this.milliseconds()).toISOString();
  }

  private milliseconds(): number {
    return Date.UTC(2026, 0, 5, 9) + this.count * 1000;
  }
}
