import { createHash } from 'node:crypto';
import { canonicalJson } from '#base/canonical-json.js';
import { attemptDeep } from '#base/json-text.js';
import { asCount, asString, type JsonObject, listTexts } from '#base/json.js';
import { findFirstPast } from '#base/lists.js';
import type { LineFields } from '../../scan/line-fields.js';
import type { LineSpan } from '../../scan/lines.js';
import { listContentBlocks } from './content.js';
import { CLAUDE_FIELD, isProviderAnswer, KNOWN_TEXT, RECORD_TYPE } from './fields.js';
import { NONE } from './links.js';

/** A request: the line that records its prompt and tools, and the list of its messages; NONE if they are not recorded. */
interface Request {
  readonly line: number;
  readonly shape: number;
  list: number;
}

/**
 * The requests of a file. Each records its messages by their hashes, and those that follow from no other line are
 * recorded in full. A hash is the number of its text.
 */
export class ApiRequests {
  /** The lines with a message in full, by hash. */
  readonly blobs = new Map<number, number>();
  readonly lists = new Lists();
  /** Whether any request omits parts of its messages, which the client may not store. */
  readonly areCut: boolean;
  /** In file order. */
  private readonly all: Request[] = [];
  /** The request of each answer, by its first line. */
  private readonly ofAnswers = new Map<number, Request>();

  /** `lines`: the lines that may record one. `valueOf`: the value of a line. */
  constructor(
    private readonly table: LineFields,
    lines: readonly number[],
    valueOf: (span: LineSpan) => JsonObject,
  ) {
    const shapes = new Map<number, number>();
    for (const line of lines) {
      const type = table.textAt(line, CLAUDE_FIELD.type);
      const hash = table.textAt(line, CLAUDE_FIELD.shape);
      // After a compaction, the client records the same ones again.
      if (type === KNOWN_TEXT.shape && !shapes.has(hash)) shapes.set(hash, line);
      else if (type === KNOWN_TEXT.blob) this.blobs.set(table.textAt(line, CLAUDE_FIELD.hash), line);
      else if (type === KNOWN_TEXT.request) this.all.push({ line, shape: shapes.get(hash) ?? NONE, list: NONE });
    }
    this.areCut = this.readLists(valueOf);
    if (this.all.length > 0) this.findAnswers();
  }

  /** Whether the messages of any request are recorded. */
  get areRecorded(): boolean {
    return this.all.some(({ list }) => list !== NONE);
  }

  /** Whether the prompt and the tools of any request are recorded. */
  get haveShapes(): boolean {
    return this.all.some(({ shape }) => shape !== NONE);
  }

  /** The line with the prompt and the tools of the request that an answer at a line is for; NONE if it has none. */
  shapeBefore(line: number): number {
    return this.before(line)?.shape ?? NONE;
  }

  /** The messages of the request of the answer whose first line this is; NONE if they are not recorded. */
  listOf(line: number): number {
    return this.ofAnswers.get(line)?.list ?? NONE;
  }

  private before(line: number): Request | undefined {
    return this.all[findFirstPast(this.all.length, (at) => (this.all[at]?.line ?? 0) > line) - 1];
  }

  /** A request repeats the first messages of another one. Returns whether any is cut. */
  private readLists(valueOf: (span: LineSpan) => JsonObject): boolean {
    const { table, lists } = this;
    const byId = new Map<string, number>();
    let areCut = false;
    for (const request of this.all) {
      const { id, base, keep, tail, cut } = valueOf(table.span(request.line));
      areCut ||= cut !== undefined;
      const from = base === undefined ? EMPTY : (byId.get(asString(base) ?? '') ?? NONE);
      const kept = Math.max(0, asCount(keep) ?? 0);
      if (from === NONE || kept > lists.depth(from) || !Array.isArray(tail)) continue;
      const hashes = listTexts(tail).map((hash) => table.intern(hash));
      const list = lists.extended(lists.beginning(from, kept), hashes);
      byId.set(asString(id) ?? '', list);
      // No request is without messages.
      if (list !== EMPTY) request.list = list;
    }
    return areCut;
  }

  /** An answer follows its request: of several requests the last one, and of several answers the first. */
  private findAnswers(): void {
    const { table, all, ofAnswers } = this;
    const seen = new Set<number>();
    let next = 0;
    for (let line = all[0]?.line ?? 0; line < table.length; line += 1) {
      if (table.textAt(line, CLAUDE_FIELD.type) !== RECORD_TYPE.assistant) continue;
      const answer = table.textAt(line, CLAUDE_FIELD.answer);
      if (!isProviderAnswer(table, line) || seen.has(answer)) continue;
      seen.add(answer);
      const request = this.before(line);
      if (!request || request.line < next) continue;
      next = line;
      ofAnswers.set(line, request);
    }
  }
}

/** The list without items. */
export const EMPTY = 0;

const MOST_NUMBERS = 2 ** 28;

/** Lists of numbers, each one item longer than the list before it. Equal lists have one number. */
class Lists {
  private readonly befores: number[] = [EMPTY];
  private readonly items: number[] = [0];
  private readonly depths: number[] = [0];
  /** A list far before each one, to which a search jumps. */
  private readonly jumps: number[] = [EMPTY];
  private readonly longer = new Map<number, number>();

  /** The number of its items. */
  depth(list: number): number {
    return this.depths[list] ?? 0;
  }

  with(list: number, item: number): number {
    const key = list * MOST_NUMBERS + item;
    const known = this.longer.get(key);
    if (known !== undefined) return known;
    const { jumps, depths } = this;
    const added = this.items.push(item) - 1;
    this.befores.push(list);
    depths.push(this.depth(list) + 1);
    const far = jumps[list] ?? EMPTY;
    const farther = jumps[far] ?? EMPTY;
    // As in a skew-binary number: any beginning is found in logarithmic time.
    jumps.push(this.depth(list) - this.depth(far) === this.depth(far) - this.depth(farther) ? farther : list);
    this.longer.set(key, added);
    return added;
  }

  extended(list: number, items: readonly number[]): number {
    return items.reduce((longer, item) => this.with(longer, item), list);
  }

  /** The list of its first items. */
  beginning(list: number, length: number): number {
    let at = list;
    while (this.depth(at) > length) {
      const far = this.jumps[at] ?? EMPTY;
      at = this.depth(far) >= length ? far : (this.befores[at] ?? EMPTY);
    }
    return at;
  }

  /** Its items from a place on. */
  after(list: number, start: number): readonly number[] {
    const items: number[] = [];
    for (let at = list; this.depth(at) > start; at = this.befores[at] ?? EMPTY) items.push(this.items[at] ?? 0);
    return items.toReversed();
  }
}

/** The hash of a message, as the client computes it: of its JSON, with sorted keys, and a text as a block. */
export class MessageHash {
  private readonly hash = createHash('sha256').update('{"content":[');
  private isEmpty = true;

  /** Adds the blocks of a line. */
  add(content: unknown): this {
    for (const block of listContentBlocks(content)) {
      const text = attemptDeep(() => canonicalJson(block), '');
      this.hash.update(this.isEmpty ? text : `,${text}`);
      this.isEmpty = false;
    }
    return this;
  }

  of(role: string): string {
    return this.hash
      .copy()
      .update(`],"role":${JSON.stringify(role)}}`)
      .digest('hex');
  }
}
