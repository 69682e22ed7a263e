import { sumNumbers } from '#base/lists.js';
import { splitInProportion } from '#base/proportion.js';
import { CONTENT_KINDS } from '#context/contents/kinds.js';
import { type KindWeights, scaleKinds, splitKinds } from '#context/size/composition.js';
import { rebilledTokensOf } from '../cache/rebilled.js';
import { diffList, type ItemChange } from '../diff/list-diff.js';
import type { DrawnBlock, ReadingBlock } from '../reading/reading-block.js';
import {
  type CacheBreakData,
  type DrawnEntry,
  type ReportMessage,
  type ReportPreamble,
  type RequestColumns,
  type SessionReport,
  type StoredText,
} from './document.js';
import { storedTextOf } from './stored-text.js';

/** The envelope of a request. */
export interface ReportRequest {
  readonly number: number;
  readonly preamble: ReportPreamble;
  /** Message numbers. */
  readonly messages: readonly number[];
  readonly uncached: readonly number[];
  readonly model: string;
  readonly level: string;
}

/** An entry of the path that changed the context, with the first request after it, from 0. */
export interface ContextChange {
  readonly entry: number;
  readonly kind: 'compaction' | 'transform' | 'edit';
  readonly request: number;
}

/** The tokens of the pieces of a request. */
interface EnvelopeShares {
  readonly parts: readonly number[];
  readonly tools: readonly number[];
  /** Of its messages, then of those for this request only. */
  readonly messages: readonly number[];
}

type PromptTokens = readonly [cached: number, again: number, fresh: number];

/** A report with lookups: entries, requests and their tokens by number. */
export class ReportReader {
  /** The request that an entry answers. */
  readonly requestOf = new Map<number, number>();
  readonly labels: ReadonlyMap<number, string>;
  /** For each entry, whether it is on the path. */
  readonly isOnPath: Uint8Array;
  /** The entries of the path as they are read. */
  readonly drawn: readonly (DrawnEntry | null)[];
  /** Entries that the context at the end omits or changes. */
  readonly fates: ReadonlyMap<number, { readonly fate: string; readonly by: number }>;
  /** The calls of the path by their ids. */
  readonly calls: ReadonlyMap<string, Extract<DrawnBlock, { kind: 'call' }>>;
  readonly breaks: ReadonlyMap<number, CacheBreakData>;
  protected readonly others: ReadonlyMap<number, readonly [preview: string, json: StoredText]>;
  private readonly uncached: ReadonlyMap<number, readonly number[]>;
  private readonly byId = new Map<string, number>();
  private haystacks: string[] | null = null;
  /** For each position of the path, the request that has the entry before its end, or that it answers. */
  private readonly requests: Int32Array;
  private readonly estimated: ReadonlySet<number>;

  constructor(readonly data: SessionReport) {
    const { entries, requests } = data;
    this.labels = new Map(entries.labels);
    this.others = new Map(entries.others.map(([entry, preview, json]) => [entry, [preview, json]]));
    this.uncached = new Map(requests.uncached);
    this.estimated = new Set(requests.estimated);
    this.breaks = new Map(data.cache.breaks);
    for (const [at, entry] of requests.entries.entries()) if (entry !== -1) this.requestOf.set(entry, at);
    for (const [at, id] of entries.ids.entries()) if (id !== null) this.byId.set(id, at);
    this.isOnPath = new Uint8Array(entries.ids.length);
    for (const entry of entries.path) this.isOnPath[entry] = 1;
    this.drawn = [...data.drawn];
    this.fates = new Map(data.conversation.fates.map(([entry, fate, by]) => [entry, { fate, by }]));
    const calls = this.drawn.flatMap((each) => each?.blocks.filter((block) => block.kind === 'call') ?? []);
    this.calls = new Map(calls.flatMap((call) => (call.id === null ? [] : [[call.id, call]])));
    this.requests = new Int32Array(entries.path.length);
    let next = requests.onPath - 1;
    for (const [at, entry] of [...entries.path.entries()].toReversed())
      this.requests[at] = next = this.requestOf.get(entry) ?? next;
  }

  /** The last entry with an id; null if there is none. */
  find(id: string): number | null {
    return this.byId.get(id) ?? null;
  }

  /** The word for an entry: its type, or the role of its message. */
  wordOf(entry: number): string {
    return this.data.words[this.data.entries.names[entry] ?? 0] ?? '';
  }

  /** The request with the context of a position on the path. */
  requestAt(at: number): number {
    return this.requests[at] ?? this.data.requests.onPath - 1;
  }

  message(entry: number): ReportMessage | null {
    return this.data.messages[this.data.entries.messages[entry] ?? -1] ?? null;
  }

  /** The JSON of an entry that adds no message. */
  json(entry: number): StoredText | null {
    return this.others.get(entry)?.[1] ?? null;
  }

  protected textsOf(entry: number): readonly string[] {
    return this.message(entry)?.blocks.map(blockTextOf) ?? [storedTextOf(this.json(entry) ?? '')];
  }

  /** The searchable text of an entry, in lower case. */
  haystack(entry: number): string {
    this.haystacks ??= this.data.entries.ids.map((id, at) => {
      const name = this.message(at)?.name;
      return [id, this.labels.get(at), this.wordOf(at), name, ...this.textsOf(at)].join('\n').toLowerCase();
    });
    return this.haystacks[entry] ?? '';
  }

  envelope(number: number): ReportRequest {
    const { requests, preambles, words } = this.data;
    return {
      number,
      preamble: preambles[requests.preambles[number] ?? 0] ?? NO_PREAMBLE,
      messages: listMessageNumbers(requests, number),
      uncached: this.uncached.get(number) ?? [],
      model: words[requests.models[number] ?? 0] ?? '',
      level: words[requests.levels[number] ?? 0] ?? '',
    };
  }

  /** The tokens of a request by kind of content, which add up to its size. The last number is what is not recorded. */
  tokensByKind(number: number): readonly number[] {
    return scaleKinds(this.weights(number), this.measured(number));
  }

  /** The estimated tokens of a request by kind of content. */
  private weights(number: number): KindWeights {
    const { requests, preambles } = this.data;
    const { kinds } = preambles[requests.preambles[number] ?? 0] ?? NO_PREAMBLE;
    const from = number * CONTENT_KINDS.length;
    const to = from + CONTENT_KINDS.length;
    return { declared: kinds, messages: Array.from(requests.ledgers.slice(from, to)) };
  }

  /** The size of a request, and the price of its preamble. */
  private measured(number: number): Parameters<typeof scaleKinds>[1] {
    const { notItemised, declaredFactor, factor } = this.data.size;
    const known = this.sizeAt(number);
    if (known !== null) return { tokens: known, notItemised, declaredFactor };
    const { declared, messages } = this.weights(number);
    const estimate = (notItemised ?? 0) + declaredFactor * sumNumbers(declared) + factor * sumNumbers(messages);
    return { tokens: Math.round(estimate), notItemised, declaredFactor };
  }

  /** The tokens of each system part, tool and message of a request, which add up to its tokens by kind. */
  shares(number: number): EnvelopeShares {
    const { parts, tools, messages } = this.data;
    const { preamble, messages: list, uncached } = this.envelope(number);
    const { system, tools: definitions, cached } = splitKinds(this.weights(number), this.measured(number));
    const estimated = list.map((message) => messages[message]?.tokens ?? 0);
    const logged = uncached.map((message) => messages[message]?.tokens ?? 0);
    const factor = cached / (sumNumbers(estimated) || 1);
    return {
      parts: splitInProportion(
        preamble.parts.map((part) => parts[part]?.tokens ?? 0),
        system,
      ),
      tools: splitInProportion(
        preamble.tools.map((tool) => tools[tool]?.tokens ?? 0),
        definitions,
      ),
      messages: [...splitInProportion(estimated, cached), ...logged.map((tokens) => Math.round(factor * tokens))],
    };
  }

  /** The tokens of an entry or of results, in the unit of the context at the end. */
  scaled(tokensEstimated: number): number {
    return Math.round(this.scale * tokensEstimated);
  }

  /** Tokens of the provider for each estimated one, in the messages at the end. */
  private get scale(): number {
    const { requests, size } = this.data;
    const last = requests.onPath - 1;
    const weights = this.weights(last);
    const all = sumNumbers(weights.messages);
    return all === 0 ? size.factor : splitKinds(weights, this.measured(last)).cached / all;
  }

  tokens(number: number): number {
    return sumNumbers(this.tokensByKind(number));
  }

  private sizeAt(number: number): number | null {
    const { requests, size } = this.data;
    return number === requests.onPath - 1 ? size.tokens : (requests.tokens[number] ?? null);
  }

  /** Whether the size of a request is an estimate, at least in part. */
  isEstimated(number: number): boolean {
    const { requests, size } = this.data;
    if (number === requests.onPath - 1) return size.estimated !== 0;
    return this.estimated.has(number) || this.sizeAt(number) === null;
  }

  prompts(): readonly PromptTokens[] {
    const { cache } = this.data;
    return cache.prompts.map((prompt, at) => {
      const [input, read, written] = cache.recorded[at] ?? [];
      const tokens = this.tokens(at);
      // The prefix is estimated in other units than the size.
      const share = prompt === 0 ? 0 : Math.min(1, (cache.prefixes[at] ?? 0) / prompt);
      const cached = read ?? Math.round(share * tokens);
      const uncached = (written ?? 0) + (input ?? tokens - cached);
      const broken = this.breaks.get(at);
      const again = Math.min(broken ? rebilledTokensOf(broken) : 0, uncached);
      return [cached, again, uncached - again];
    });
  }

  changes(): readonly ContextChange[] {
    const changes: ContextChange[] = [];
    let request = 0;
    for (const entry of this.data.entries.path) {
      const answered = this.requestOf.get(entry);
      if (answered !== undefined) request = answered + 1;
      const kind = KINDS.get(this.wordOf(entry));
      if (kind) changes.push({ entry, kind, request });
    }
    return changes;
  }
}

const NO_PREAMBLE: ReportPreamble = { parts: [], tools: [], options: '{}', kinds: CONTENT_KINDS.map(() => 0) };

/** The kinds by entry type. Types may have any name. */
const KINDS: ReadonlyMap<string, ContextChange['kind']> = new Map([
  ['compaction', 'compaction'],
  ['context_transform', 'transform'],
  ['context_edit', 'edit'],
]);

/** The text of a block; empty for one without. */
export function blockTextOf(block: ReadingBlock): string {
  switch (block.kind) {
    case 'call':
      return block.tool;
    case 'image':
      return block.type;
    case 'failure':
      return block.text;
    default:
      return block.content.text;
  }
}

/** The messages of a request, from the last one back to the first. */
export function listMessageNumbers({ lasts, previous, messages }: RequestColumns, number: number): readonly number[] {
  const list: number[] = [];
  for (let at = lasts[number] ?? -1; at !== -1; at = previous[at] ?? -1) list.push(messages[at] ?? -1);
  return list.toReversed();
}

/** The changes from one list of numbers to another. Two numbers with one identity are two states of one item. */
export function diffNumbers(
  before: readonly number[],
  after: readonly number[],
  identity: (number: number) => string | null,
): readonly ItemChange<number>[] {
  return diffList(before, after, { text: String, identity, isLike: () => false });
}

/** The identity of a message: its entry, whose message an edit may have changed. */
export function buildIdentityLookup(messages: readonly ReportMessage[]): (number: number) => string | null {
  return (number) => {
    const { entry = -1, origin, role } = messages[number] ?? {};
    // A transform may add many messages, which cannot be told apart.
    return origin === 'transform' || origin === 'ephemeral' ? null : `${entry} ${role}`;
  };
}
