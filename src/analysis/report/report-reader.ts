import { diffList, type ItemChange } from '../diff/list-diff.js';
import type { DrawnBlock, ReadingBlock } from '../reading/reading-block.js';
import type {
  CacheBreakData,
  DrawnEntry,
  ReportMessage,
  ReportPreamble,
  RequestColumns,
  SessionReport,
  StoredText,
} from './document.js';
import { findPreamble, RequestSizes } from './request-sizes.js';
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

type CallBlock = Extract<DrawnBlock, { kind: 'call' }>;

/** The entries and requests of a report, by their numbers. */
export class ReportReader {
  readonly sizes: RequestSizes;
  /** The cache breaks, by request. */
  readonly breaks: ReadonlyMap<number, CacheBreakData>;
  readonly labels: ReadonlyMap<number, string>;
  /** One byte for each entry: 1 if it is on the path. */
  readonly isOnPath: Uint8Array;
  /** The request that an entry answers. */
  readonly requestOf: ReadonlyMap<number, number>;
  /** The entries of the path as they are read. */
  readonly drawn: readonly (DrawnEntry | null)[];
  /** The calls of the path by their ids. */
  readonly calls: ReadonlyMap<string, CallBlock>;
  /** Entries that the context at the end omits or changes. */
  readonly fates: ReadonlyMap<number, { readonly fate: string; readonly by: number }>;
  /** Entries that add no message. */
  protected readonly others: ReadonlyMap<number, { readonly preview: string; readonly json: StoredText }>;
  private readonly byId: ReadonlyMap<string, number>;
  private readonly uncached: ReadonlyMap<number, readonly number[]>;
  /** The request of each position of the path: the one that has the entry before its end, or that the entry answers. */
  private readonly requests: Int32Array;
  /** The searchable texts, once they were asked for. */
  private haystacks: string[] | null = null;

  constructor(readonly data: SessionReport) {
    const { entries, requests, conversation } = data;
    this.breaks = new Map(data.cache.breaks);
    this.sizes = new RequestSizes(this);
    this.labels = new Map(entries.labels);
    this.isOnPath = new Uint8Array(entries.ids.length);
    for (const entry of entries.path) this.isOnPath[entry] = 1;
    this.drawn = [...data.drawn];
    this.calls = indexCalls(this.drawn);
    this.fates = new Map(conversation.fates.map(([entry, fate, by]) => [entry, { fate, by }]));
    this.others = new Map(entries.others.map(([entry, preview, json]) => [entry, { preview, json }]));
    this.byId = indexIds(entries.ids);
    this.uncached = new Map(requests.uncached);
    this.requestOf = indexAnswers(requests.entries);
    this.requests = listRequestsAlong(entries.path, this.requestOf, requests.onPath - 1);
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
    return this.others.get(entry)?.json ?? null;
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
    const { requests, words } = this.data;
    return {
      number,
      preamble: findPreamble(this.data, number),
      messages: listMessageNumbers(requests, number),
      uncached: this.uncached.get(number) ?? [],
      model: words[requests.models[number] ?? 0] ?? '',
      level: words[requests.levels[number] ?? 0] ?? '',
    };
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

/** The kinds by entry type. Types may have any name. */
const KINDS: ReadonlyMap<string, ContextChange['kind']> = new Map([
  ['compaction', 'compaction'],
  ['context_transform', 'transform'],
  ['context_edit', 'edit'],
]);

/** The last entry of each id. */
function indexIds(ids: SessionReport['entries']['ids']): ReadonlyMap<string, number> {
  return new Map(ids.flatMap((id, entry) => (id === null ? [] : [[id, entry] as const])));
}

function indexAnswers(answers: RequestColumns['entries']): ReadonlyMap<number, number> {
  return new Map(answers.flatMap((entry, request) => (entry === -1 ? [] : [[entry, request] as const])));
}

function indexCalls(drawn: ReportReader['drawn']): ReadonlyMap<string, CallBlock> {
  const calls = new Map<string, CallBlock>();
  for (const block of drawn.flatMap((entry) => entry?.blocks ?? [])) {
    if (block.kind === 'call' && block.id !== null) calls.set(block.id, block);
  }
  return calls;
}

/** Lists the request of each position of a path, or the next one. `last`: the request at the end. */
function listRequestsAlong(
  path: SessionReport['entries']['path'],
  requestOf: ReadonlyMap<number, number>,
  last: number,
): Int32Array {
  const requests = new Int32Array(path.length);
  let next = last;
  for (let at = path.length - 1; at >= 0; at -= 1) {
    next = requestOf.get(path[at] ?? -1) ?? next;
    requests[at] = next;
  }
  return requests;
}

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
