import { hash } from 'node:crypto';
import { formatJson } from '#base/json-text.js';
import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { sliceStart } from '#base/text.js';
import type { Period } from '#base/time.js';
import type { PriceList } from '#context/models/prices.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { TokenMethod } from '#context/size/tokens.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import type { EntryKind, LargeEntry, MessageCounts, Repeat } from './document.js';
import { MAX_LARGEST } from './session-stats.js';
import { listSubagentRuns } from './subagent-runs.js';
import { addContents, buildEmptyBreakdown, type EntryContents, readEntryContents } from './token-breakdown.js';
import { addUsage, NO_USAGE, type UsageSums, UsageTally } from './usage-sums.js';

/** Counts the entries of a session, each given once. */
export class EntryTally {
  entries = 0;
  readonly usage: UsageTally;
  /** Of subagents, as results record it. */
  readonly runs: UsageTally;
  readonly ledger = buildEmptyBreakdown();
  readonly toolTally: ToolTally;
  private readonly counts = { user: 0, assistant: 0, toolResults: 0, total: 0, toolCalls: 0 };
  private readonly kindsByName = new Map<string, EntryKind>();
  private large: LargeEntry[] = [];
  /** The minimum number of tokens of the largest entries. */
  private least = 1;

  constructor(
    private readonly session: Pick<Session, 'file' | 'entry'>,
    private readonly method: TokenMethod,
    priceList: PriceList,
    period: Period | null = null,
    private readonly withSubagents = false,
  ) {
    this.usage = new UsageTally(priceList, period);
    this.runs = new UsageTally(priceList, period);
    this.toolTally = new ToolTally(session);
  }

  take(head: Head, entry: JsonObject): void {
    this.entries += 1;
    this.usage.take(head, entry);
    for (const run of listSubagentRuns(head, entry)) {
      this.runs.add(run, head.time);
      if (this.withSubagents) this.usage.add(run, head.time);
    }
    const contents = readEntryContents(entry);
    const tokens = contents ? addContents(this.ledger, contents, this.method) : 0;
    this.takeKind(head, tokens);
    if (head.type === 'message') this.takeMessage(head, asObject(entry['message']), tokens);
    if (contents && tokens >= this.least) this.takeLarge(head, contents, tokens);
  }

  get messages(): MessageCounts {
    return this.counts;
  }

  get kinds(): readonly EntryKind[] {
    return [...this.kindsByName.values()];
  }

  get largest(): readonly LargeEntry[] {
    return listLargest(this.large);
  }

  private takeKind(head: Head, tokens: number): void {
    const { type, role, length: bytes } = head;
    addEntryKind(this.kindsByName, { type: type ?? '?', role, entries: 1, bytes, tokensEstimated: tokens });
  }

  private takeMessage(head: Head, message: JsonObject, tokens: number): void {
    const { counts, toolTally } = this;
    counts.total += 1;
    switch (head.role) {
      case 'user':
        counts.user += 1;
        break;
      case 'assistant':
        if (answersRequest(head)) counts.assistant += 1;
        // The head confirms the type.
        counts.toolCalls += toolTally.takeCalls(message as LlmMessage);
        break;
      case 'toolResult':
        counts.toolResults += 1;
        toolTally.takeResult(head, message as LlmMessage, tokens);
        break;
      default:
    }
  }

  private takeLarge(head: Head, contents: EntryContents, tokens: number): void {
    this.large.push({
      file: this.session.file,
      entryId: formatId(head.id),
      line: head.line,
      type: head.type ?? '?',
      role: head.role,
      preview: previewOf(contents),
      tokensEstimated: tokens,
    });
    if (this.large.length < 2 * MAX_LARGEST) return;
    this.large = [...listLargest(this.large)];
    this.least = (this.large.at(-1)?.tokensEstimated ?? 0) + 1;
  }
}

/** Adds the entries of one type and role to those of its kind. */
export function addEntryKind(kinds: Map<string, EntryKind>, kind: EntryKind): void {
  const key = `${kind.type}/${kind.role}`;
  const known = kinds.get(key);
  kinds.set(key, {
    type: kind.type,
    role: kind.role,
    entries: (known?.entries ?? 0) + kind.entries,
    bytes: (known?.bytes ?? 0) + kind.bytes,
    tokensEstimated: (known?.tokensEstimated ?? 0) + kind.tokensEstimated,
  });
}

/** The largest first, and equal ones in their order. */
export function listLargest(entries: readonly LargeEntry[]): readonly LargeEntry[] {
  return entries.toSorted((a, b) => b.tokensEstimated - a.tokensEstimated).slice(0, MAX_LARGEST);
}

const PREVIEW_CHARACTERS = 160;

function previewOf({ message, parts, tools }: EntryContents): string {
  if (message === null)
    return [...parts, ...tools]
      .map(({ name }) => name)
      .join(', ')
      .slice(0, PREVIEW_CHARACTERS);
  const { content, toolName } = message;
  const name = asString(toolName);
  const texts = typeof content === 'string' ? [content] : listObjects(content).map(textOfBlock);
  const text = texts
    .map((each) => each.slice(0, PREVIEW_CHARACTERS))
    .join(' ')
    .trim();
  return sliceStart(`${name === null ? '' : `${name}: `}${text}`, PREVIEW_CHARACTERS);
}

function textOfBlock({ type, text, thinking, name, arguments: given }: JsonObject): string {
  if (type === 'text') return asString(text) ?? '';
  if (type === 'thinking') return asString(thinking) ?? '';
  if (type === 'toolCall')
    return `${asString(name) ?? '?'}(${(formatJson(given ?? null) ?? '').slice(0, PREVIEW_CHARACTERS)})`;
  return `[${asString(type) ?? '?'}]`;
}

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
  const known = tools.get(name) ?? { name, calls: 0, errors: 0, resultTokens: [], usage: NO_USAGE };
  tools.set(name, known);
  return known;
}

interface Call {
  readonly tool: string;
  readonly arguments: string;
}

const LONGEST_ARGUMENTS = 240;

class ToolTally {
  constructor(private readonly session: Pick<Session, 'entry'>) {}

  private readonly tools = new Map<string, ToolUsage>();
  /** Calls without their result so far, by id. */
  private readonly waiting = new Map<unknown, Call>();
  /** By a call and the tokens of its result: the first result, or the lines of the first ones with each content. */
  private readonly seen = new Map<string, Head | Map<string, number>>();
  private readonly repeated = new Map<string, Repeat>();

  takeCalls(message: LlmMessage): number {
    const calls = listObjects(message['content']).filter(({ type }) => type === 'toolCall');
    for (const call of calls) {
      const tool = nameIn(call['name']);
      findToolUsage(this.tools, tool).calls += 1;
      this.waiting.set(call['id'], { tool, arguments: formatJson(call['arguments'] ?? null) ?? '' });
    }
    return calls.length;
  }

  takeResult(head: Head, message: LlmMessage, tokens: number): void {
    const tool = findToolUsage(this.tools, nameIn(message['toolName']));
    tool.resultTokens.push(tokens);
    if (message['isError'] === true) tool.errors += 1;
    if (isObject(message['usage'])) tool.usage = addUsage(tool.usage, message['usage']);
    const call = this.waiting.get(message['toolCallId']);
    this.waiting.delete(message['toolCallId']);
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
    const asked = keyOf(`${tokens}\0${call.tool}\0${call.arguments}`);
    const earlier = this.seen.get(asked);
    if (earlier === undefined) return void this.seen.set(asked, head);
    const lines = earlier instanceof Map ? earlier : new Map([[this.contentAt(earlier), earlier.line]]);
    this.seen.set(asked, lines);
    const content = contentKey(message, head);
    const first = lines.get(content);
    if (first === undefined) return void lines.set(content, head.line);
    const key = `${asked}\0${content}`;
    const known = this.repeated.get(key);
    this.repeated.set(key, {
      tool: call.tool,
      arguments: call.arguments.slice(0, LONGEST_ARGUMENTS),
      repeats: (known?.repeats ?? 0) + 1,
      line: first,
      tokensEstimated: (known?.tokensEstimated ?? 0) + tokens,
    });
  }

  private contentAt(head: Head): string {
    return contentKey(asObject(this.session.entry(head)['message']), head);
  }
}

function contentKey({ content }: JsonObject, { line }: Head): string {
  return keyOf(formatJson(content) ?? String(line));
}

/** A text, or its hash, which is longer than any text that is its own key. */
function keyOf(text: string): string {
  return text.length < 44 ? text : hash('sha256', text, 'base64');
}

function nameIn(name: JsonObject[string]): string {
  return asString(name) ?? '?';
}
