import { createHash } from 'node:crypto';
import { asString, isObject, type JsonObject, jsonText, objectsIn } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Head } from '#session/table/head.js';
import type { Repeat } from './document.js';
import { NO_USAGE, plusUsage, type UsageSums } from './usage-sums.js';

/** The calls and results of one tool. */
export interface ToolUsage {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  /** Estimated tokens of each result. */
  readonly resultTokens: readonly number[];
  /** The reported usage of its results. */
  readonly usage: UsageSums;
}

interface Use {
  calls: number;
  errors: number;
  readonly resultTokens: number[];
  usage: UsageSums;
}

interface Call {
  readonly tool: string;
  readonly arguments: string;
}

const LONGEST_ARGUMENTS = 240;

/** Counts calls and results of tools. */
export class ToolTally {
  private readonly tools = new Map<string, Use>();
  /** Calls without their result so far, by id. */
  private readonly waiting = new Map<unknown, Call>();
  private readonly seen = new Map<string, number>();
  private readonly repeated = new Map<string, Repeat>();

  takeCalls(message: LlmMessage): number {
    const calls = objectsIn(message['content']).filter(({ type }) => type === 'toolCall');
    for (const call of calls) {
      const tool = nameIn(call['name']);
      this.toolOf(tool).calls += 1;
      this.waiting.set(call['id'], { tool, arguments: jsonText(call['arguments'] ?? null) ?? '' });
    }
    return calls.length;
  }

  takeResult({ line }: Head, message: LlmMessage, tokens: number): void {
    const name = nameIn(message['toolName']);
    const tool = this.toolOf(name);
    tool.resultTokens.push(tokens);
    if (message['isError'] === true) tool.errors += 1;
    if (isObject(message['usage'])) tool.usage = plusUsage(tool.usage, message['usage']);
    const call = this.waiting.get(message['toolCallId']);
    this.waiting.delete(message['toolCallId']);
    if (call && tokens > 0) this.compare(call, message, { line, tokens });
  }

  /** The tools in the order of their first call. */
  uses(): readonly ToolUsage[] {
    return [...this.tools].map(([name, use]) => ({ name, ...use }));
  }

  repeats(): readonly Repeat[] {
    return [...this.repeated.values()];
  }

  private compare(call: Call, message: LlmMessage, { line, tokens }: { line: number; tokens: number }): void {
    const hash = createHash('sha256').update(`${call.tool}\0${call.arguments}\0`);
    const key = hash.update(jsonText(message['content']) ?? String(line)).digest('base64');
    const first = this.seen.get(key);
    if (first === undefined) {
      this.seen.set(key, line);
      return;
    }
    const known = this.repeated.get(key);
    this.repeated.set(key, {
      tool: call.tool,
      arguments: call.arguments.slice(0, LONGEST_ARGUMENTS),
      repeats: (known?.repeats ?? 0) + 1,
      line: first,
      tokensEstimated: (known?.tokensEstimated ?? 0) + tokens,
    });
  }

  private toolOf(name: string): Use {
    const known = this.tools.get(name);
    if (known) return known;
    const tool: Use = { calls: 0, errors: 0, resultTokens: [], usage: NO_USAGE };
    this.tools.set(name, tool);
    return tool;
  }
}

function nameIn(name: JsonObject[string]): string {
  return asString(name) ?? '?';
}
