import { hash } from 'node:crypto';
import { formatJson } from '#base/json-text.js';
import { asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { type AssistantMessage, messageOf, toBlock, type ToolResultMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { Repeat } from './document.js';
import { addUsage, NO_USAGE, type UsageSums } from './usage-sums.js';

/** The calls and results of one tool. */
export interface ToolUsage {
  readonly name: string;
  calls: number;
  errors: number;
  /** Estimated tokens of each result. */
  readonly resultTokens: number[];
  /** The reported usage of its results. */
  usage: UsageSums;
}

/** The usage of a tool in a collection, to be added to; it is empty for a new one. */
export function findToolUsage(tools: Map<string, ToolUsage>, name: string): ToolUsage {
  const tool = tools.get(name) ?? { name, calls: 0, errors: 0, resultTokens: [], usage: NO_USAGE };
  tools.set(name, tool);
  return tool;
}

interface Call {
  readonly tool: string;
  readonly arguments: string;
}

/** UTF-16 code units of the arguments of a repeated call. */
const LONGEST_ARGUMENTS = 240;

/** The calls of each tool with their results, and the results that repeat an earlier one. */
export class ToolTally {
  private readonly tools = new Map<string, ToolUsage>();
  /** Calls without their result so far, by id. */
  private readonly waiting = new Map<unknown, Call>();
  /**
   * The first results, by a call and the tokens of its result. If their contents differ, the first line of each
   * content.
   */
  private readonly seen = new Map<string, Head | Map<string, number>>();
  private readonly repeated = new Map<string, Repeat>();

  constructor(private readonly session: Pick<Session, 'entry'>) {}

  /** Takes the calls of an answer. Returns their number. */
  takeCalls(message: AssistantMessage): number {
    let calls = 0;
    for (const block of listObjects(message.content).map(toBlock)) {
      if (block.type !== 'toolCall') continue;
      const tool = readName(block.name);
      findToolUsage(this.tools, tool).calls += 1;
      this.waiting.set(block.id, { tool, arguments: formatJson(block.arguments ?? null) ?? '' });
      calls += 1;
    }
    return calls;
  }

  /** Takes the result of a call. `tokens`: its size. */
  takeResult(head: Head, message: ToolResultMessage, tokens: number): void {
    const tool = findToolUsage(this.tools, readName(message.toolName));
    tool.resultTokens.push(tokens);
    if (message.isError === true) tool.errors += 1;
    if (isObject(message.usage)) tool.usage = addUsage(tool.usage, message.usage);
    const call = this.waiting.get(message.toolCallId);
    this.waiting.delete(message.toolCallId);
    if (call && tokens > 0) this.compare(call, head, { message, tokens });
  }

  /** The tools in the order of their first call. */
  uses(): readonly ToolUsage[] {
    return [...this.tools.values()];
  }

  repeats(): readonly Repeat[] {
    return [...this.repeated.values()];
  }

  /** Contents are compared only if a call repeats an earlier one. Equal ones have equal tokens. */
  private compare(call: Call, head: Head, { message, tokens }: { message: JsonObject; tokens: number }): void {
    const asked = shortenKey(`${tokens}\0${call.tool}\0${call.arguments}`);
    const earlier = this.seen.get(asked);
    if (earlier === undefined) {
      this.seen.set(asked, head);
      return;
    }
    const lines = earlier instanceof Map ? earlier : new Map([[this.contentAt(earlier), earlier.line]]);
    this.seen.set(asked, lines);
    const content = buildContentKey(message, head);
    const first = lines.get(content);
    if (first === undefined) lines.set(content, head.line);
    else this.addRepeat(`${asked}\0${content}`, call, { line: first, tokens });
  }

  /** Counts one more result that equals the one in a line. */
  private addRepeat(key: string, call: Call, { line, tokens }: { line: number; tokens: number }): void {
    const repeat = this.repeated.get(key);
    this.repeated.set(key, {
      tool: call.tool,
      arguments: call.arguments.slice(0, LONGEST_ARGUMENTS),
      repeats: (repeat?.repeats ?? 0) + 1,
      line,
      tokensEstimated: (repeat?.tokensEstimated ?? 0) + tokens,
    });
  }

  private contentAt(head: Head): string {
    return buildContentKey(messageOf(this.session.entry(head)) ?? {}, head);
  }
}

function buildContentKey({ content }: JsonObject, { line }: Head): string {
  return shortenKey(formatJson(content) ?? String(line));
}

/** A text, or its hash, which has 44 characters: longer than any text that is its own key. */
function shortenKey(text: string): string {
  return text.length < 44 ? text : hash('sha256', text, 'base64');
}

function readName(name: JsonObject[string]): string {
  return asString(name) ?? '?';
}
