import { formatJson } from '#base/json-text.js';
import { asString, type JsonObject, listObjects } from '#base/json.js';
import { sliceStart } from '#base/text.js';
import type { PriceList } from '#context/models/prices.js';
import type { TokenMethod } from '#context/size/tokens.js';
import { type Entry, messageOf, type StoredMessage } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import type { EntryKind, LargeEntry, MessageCounts } from './document.js';
import { type EntryContents, readEntryContents } from './entry-contents.js';
import { listSubagentRuns } from './subagent-runs.js';
import { addContents, buildEmptyBreakdown } from './token-breakdown.js';
import { ToolTally } from './tool-tally.js';
import { UsageTally, type UsageTallyOptions } from './usage-tally.js';

const MAX_LARGEST = 10;

/** Counts the entries of a session, each given once. */
export class EntryTally {
  entries = 0;
  readonly usage: UsageTally;
  /** The usage of subagents, as results of tools record it. */
  readonly runs: UsageTally;
  readonly breakdown = buildEmptyBreakdown();
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
    private readonly how: UsageTallyOptions & { readonly withSubagents?: boolean } = {},
  ) {
    this.usage = new UsageTally(priceList, how);
    this.runs = new UsageTally(priceList, how);
    this.toolTally = new ToolTally(session);
  }

  take(head: Head, entry: Entry): void {
    this.entries += 1;
    this.usage.take(head, entry);
    for (const run of listSubagentRuns(head, entry)) {
      this.runs.add(run, head);
      if (this.how.withSubagents) this.usage.add(run, head);
    }
    const contents = readEntryContents(entry);
    const tokens = contents ? addContents(this.breakdown, contents, this.method) : 0;
    this.takeKind(head, tokens);
    if (head.type === 'message') this.takeMessage(head, messageOf(entry), tokens);
    if (contents && tokens >= this.least) this.takeLarge(head, contents, tokens);
  }

  get messages(): MessageCounts {
    return this.counts;
  }

  get kinds(): readonly EntryKind[] {
    return [...this.kindsByName.values()];
  }

  get largest(): readonly LargeEntry[] {
    return keepLargest(this.large);
  }

  private takeKind(head: Head, tokens: number): void {
    const { type, role, length: bytes } = head;
    addEntryKind(this.kindsByName, { type: type ?? '?', role, entries: 1, bytes, tokensEstimated: tokens });
  }

  private takeMessage(head: Head, message: StoredMessage | null, tokens: number): void {
    const { counts, toolTally } = this;
    counts.total += 1;
    switch (message?.role) {
      case 'user':
        counts.user += 1;
        break;
      case 'assistant':
        if (answersRequest(head)) counts.assistant += 1;
        counts.toolCalls += toolTally.takeCalls(message);
        break;
      case 'toolResult':
        counts.toolResults += 1;
        toolTally.takeResult(head, message, tokens);
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
      preview: describeContents(contents),
      tokensEstimated: tokens,
    });
    if (this.large.length < 2 * MAX_LARGEST) return;
    this.large = [...keepLargest(this.large)];
    this.least = (this.large.at(-1)?.tokensEstimated ?? 0) + 1;
  }
}

/** Adds the entries of one type and role to those of its kind. */
export function addEntryKind(kinds: Map<string, EntryKind>, kind: EntryKind): void {
  const key = `${kind.type}/${kind.role}`;
  const sum = kinds.get(key);
  kinds.set(key, {
    type: kind.type,
    role: kind.role,
    entries: (sum?.entries ?? 0) + kind.entries,
    bytes: (sum?.bytes ?? 0) + kind.bytes,
    tokensEstimated: (sum?.tokensEstimated ?? 0) + kind.tokensEstimated,
  });
}

/** The largest first, and equal ones in their order. */
export function keepLargest(entries: readonly LargeEntry[]): readonly LargeEntry[] {
  return entries.toSorted((a, b) => b.tokensEstimated - a.tokensEstimated).slice(0, MAX_LARGEST);
}

const PREVIEW_CHARACTERS = 160;

function describeContents({ message, parts, tools }: EntryContents): string {
  if (message === null)
    return [...parts, ...tools]
      .map(({ name }) => name)
      .join(', ')
      .slice(0, PREVIEW_CHARACTERS);
  const { content, toolName } = message;
  const name = asString(toolName);
  const texts = typeof content === 'string' ? [content] : listObjects(content).map(describeBlock);
  const text = texts
    .map((each) => each.slice(0, PREVIEW_CHARACTERS))
    .join(' ')
    .trim();
  return sliceStart(`${name === null ? '' : `${name}: `}${text}`, PREVIEW_CHARACTERS);
}

function describeBlock({ type, text, thinking, name, arguments: given }: JsonObject): string {
  if (type === 'text') return asString(text) ?? '';
  if (type === 'thinking') return asString(thinking) ?? '';
  if (type === 'toolCall')
    return `${asString(name) ?? '?'}(${(formatJson(given ?? null) ?? '').slice(0, PREVIEW_CHARACTERS)})`;
  return `[${asString(type) ?? '?'}]`;
}
