import { diffList, type ItemChange } from '#analysis/diff/list-diff.js';
import { visibleLine } from '#base/visible.js';
import { count } from '#base/words.js';
import { shares } from '#context/replay/tokens.js';
import { NOT_ITEMISED } from '../../look.js';
import { sizeText } from '../../parts/size-words.js';
import type { DrawnBlock, ReadingBlock } from '../../reading/model.js';
import type { DrawnEntry, ReportMessage, ReportPreamble, RequestColumns, SessionReport, Text } from '../data.js';
import { beginningOf, shortened } from './words.js';

const PREVIEW = 200;
/** The characters of a snippet before the words. */
const BEFORE = 30;

/** The envelope of a request. */
export interface Envelope {
  readonly number: number;
  readonly preamble: ReportPreamble;
  /** Message numbers. */
  readonly messages: readonly number[];
  readonly uncached: readonly number[];
  readonly model: string;
  readonly level: string;
}

/** The data of the page, with lookups. */
export class Store {
  /** The request that an entry answers. */
  readonly requestOf = new Map<number, number>();
  readonly labels: ReadonlyMap<number, string>;
  /** For each entry, whether it is on the path. */
  readonly isOnPath: Uint8Array;
  private readonly others: ReadonlyMap<number, readonly [preview: string, json: Text]>;
  private readonly uncached: ReadonlyMap<number, readonly number[]>;
  private readonly byId = new Map<string, number>();
  private haystacks: string[] | null = null;
  /** The entries of the path as they are read. */
  readonly drawn: readonly (DrawnEntry | null)[];
  /** Entries that the context at the end omits or changes. */
  readonly fates: ReadonlyMap<number, { readonly fate: string; readonly by: number }>;
  /** The calls of the path by their ids. */
  readonly calls: ReadonlyMap<string, Extract<DrawnBlock, { kind: 'call' }>>;
  /** For each position of the path, the request that has the entry before its end, or that it answers. */
  private readonly requests: Int32Array;

  constructor(readonly data: SessionReport) {
    const { entries, requests } = data;
    this.labels = new Map(entries.labels);
    this.others = new Map(entries.others.map(([entry, preview, json]) => [entry, [preview, json]]));
    this.uncached = new Map(requests.uncached);
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

  find(id: string): number | null {
    return this.byId.get(id) ?? null;
  }

  /** The display name of an entry: its id or its line. */
  id(entry: number): string {
    const { ids, lines } = this.data.entries;
    return ids[entry] === null ? `line ${lines[entry]}` : visibleLine(ids[entry] ?? '');
  }

  name(entry: number): string {
    return shortened(visibleLine(this.data.words[this.data.entries.names[entry] ?? 0] ?? ''), 80);
  }

  /** The link to an entry, or to its place in the conversation. */
  link(entry: number, view: 'entry' | 'conversation' = 'entry'): string {
    const { ids, lines } = this.data.entries;
    const id = ids[entry];
    // A shared id leads to the last entry with it. A link cannot contain half a surrogate pair.
    return typeof id === 'string' && this.byId.get(id) === entry && !/\p{Surrogate}/u.test(id)
      ? `#${view}=${encodeURIComponent(id)}`
      : `#line=${lines[entry]}`;
  }

  /** The request with the context of a position on the path. */
  requestAt(at: number): number {
    return this.requests[at] ?? this.data.requests.onPath - 1;
  }

  message(entry: number): ReportMessage | null {
    return this.data.messages[this.data.entries.messages[entry] ?? -1] ?? null;
  }

  /** The JSON of an entry that adds no message. */
  json(entry: number): Text | null {
    return this.others.get(entry)?.[1] ?? null;
  }

  preview(entry: number): string {
    return visibleLine(this.message(entry)?.preview ?? this.others.get(entry)?.[0] ?? '');
  }

  /** The texts of an entry. */
  private textsOf(entry: number): readonly string[] {
    return this.message(entry)?.blocks.map(textOfBlock) ?? [beginningOf(this.json(entry) ?? '')];
  }

  /** The searchable text of an entry, in lower case. */
  haystack(entry: number): string {
    this.haystacks ??= this.data.entries.ids.map((id, at) => {
      const name = this.message(at)?.name;
      return [id, this.labels.get(at), this.name(at), name, ...this.textsOf(at)].join('\n').toLowerCase();
    });
    return this.haystacks[entry] ?? '';
  }

  /** The part of an entry's text with the words; its preview if only other fields have them. */
  snippet(entry: number, words: RegExp): string {
    for (const text of this.textsOf(entry)) {
      const at = text.search(words);
      if (at === -1) continue;
      const start = at < BEFORE ? 0 : at - BEFORE;
      return visibleLine(`${start === 0 ? '' : '…'}${text.slice(start, start + PREVIEW)}`);
    }
    return this.preview(entry);
  }

  envelope(number: number): Envelope {
    const { requests, preambles, words } = this.data;
    return {
      number,
      preamble: preambles[requests.preambles[number] ?? 0] ?? { parts: [], tools: [], options: '{}' },
      messages: listAt(requests, number),
      uncached: this.uncached.get(number) ?? [],
      model: words[requests.models[number] ?? 0] ?? '',
      level: words[requests.levels[number] ?? 0] ?? '',
    };
  }

  /** The display name of a request. */
  requestName(number: number): string {
    const { onPath, entries } = this.data.requests;
    if (entries[number] === -1) return 'next request';
    return number < onPath ? `request ${number + 1}` : `request ${number + 1}, on another branch`;
  }

  /** The tokens of a request by category, scaled to its size. The last number is not itemised. */
  ledger(number: number): readonly number[] {
    const { categories, requests, size } = this.data;
    const estimated = requests.ledgers.slice(number * categories.length, (number + 1) * categories.length);
    const all = estimated.reduce((sum, each) => sum + each, 0);
    const total = this.countedAt(number) ?? Math.round(size.factor * all) + (size.notItemised ?? 0);
    const known = shares(estimated, total - Math.min(total, size.notItemised ?? 0));
    return [...known, total - known.reduce((sum, each) => sum + each, 0)];
  }

  /** The tokens of a request. */
  tokens(number: number): number {
    return this.ledger(number).reduce((sum, each) => sum + each, 0);
  }

  /** The tokens of a request, with `~` unless its provider counted all of them. */
  tokensText(number: number): string {
    const { requests, size } = this.data;
    if (number === requests.onPath - 1) return sizeText(size);
    return `${this.countedAt(number) === null ? '~' : ''}${count(this.tokens(number))}`;
  }

  /** The categories of a ledger. */
  get categories(): readonly string[] {
    return [...this.data.categories, NOT_ITEMISED];
  }

  private countedAt(number: number): number | null {
    const { requests, cache, size } = this.data;
    if (number === requests.onPath - 1) return size.tokens;
    const recorded = number < requests.onPath ? cache.recorded[number] : null;
    return recorded ? recorded[0] + recorded[1] + recorded[2] : null;
  }
}

/** The text of a block; empty for one without. */
export function textOfBlock(block: ReadingBlock): string {
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
export function listAt({ lasts, previous, messages }: RequestColumns, number: number): readonly number[] {
  const list: number[] = [];
  for (let at = lasts[number] ?? -1; at !== -1; at = previous[at] ?? -1) list.push(messages[at] ?? -1);
  return list.toReversed();
}

/** The changes from one list of numbers to another. Two numbers with one identity are two states of one item. */
export function changesBetween(
  before: readonly number[],
  after: readonly number[],
  identity: (number: number) => string | null,
): readonly ItemChange<number>[] {
  return diffList(before, after, { text: String, identity, isLike: () => false });
}

/** The identity of a message: its entry, whose message an edit may have changed. */
export function identityIn(messages: readonly ReportMessage[]): (number: number) => string | null {
  return (number) => {
    const { entry = -1, origin, role } = messages[number] ?? {};
    // A transform may add many messages, which cannot be told apart.
    return origin === 'transform' || origin === 'ephemeral' ? null : `${entry} ${role}`;
  };
}
