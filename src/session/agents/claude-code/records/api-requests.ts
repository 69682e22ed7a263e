import { asCount, asString, type JsonObject, listTexts } from '#base/json.js';
import { findFirstPast } from '#base/lists.js';
import { NONE } from '../../../heads/id-index.js';
import type { LineFields } from '../../../scan/line-fields.js';
import type { LineSpan } from '../../../scan/lines.js';
import { CLAUDE_FIELD, isProviderAnswer, KNOWN_TEXT, RECORD_TYPE } from './fields.js';
import { MessageLists, NO_MESSAGES } from './message-lists.js';

/**
 * A request: the line that records its prompt and tools, and the list of its messages; NONE if they are not recorded.
 */
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
  /** The messages of all requests. */
  readonly lists = new MessageLists();
  /** Whether any request omits parts of its messages, which the client may not store. */
  readonly areCut: boolean;
  /** The requests in file order. */
  private readonly all: Request[] = [];
  /** The request of each answer, by its first line. */
  private readonly ofAnswers = new Map<number, Request>();

  /** `lines`: the lines that may record one. `valueOf`: the value of a line. */
  constructor(
    private readonly fields: LineFields,
    lines: readonly number[],
    valueOf: (span: LineSpan) => JsonObject,
  ) {
    const shapes = new Map<number, number>();
    for (const line of lines) {
      const type = fields.textAt(line, CLAUDE_FIELD.type);
      const hash = fields.textAt(line, CLAUDE_FIELD.shapeHash);
      // After a compaction, the client records the same ones again.
      if (type === KNOWN_TEXT.requestShape && !shapes.has(hash)) shapes.set(hash, line);
      else if (type === KNOWN_TEXT.requestBlob) this.blobs.set(fields.textAt(line, CLAUDE_FIELD.hash), line);
      else if (type === KNOWN_TEXT.apiRequest) this.all.push({ line, shape: shapes.get(hash) ?? NONE, list: NONE });
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
    return this.findLastBefore(line)?.shape ?? NONE;
  }

  /** The messages of the request of the answer whose first line this is; NONE if they are not recorded. */
  listOf(line: number): number {
    return this.ofAnswers.get(line)?.list ?? NONE;
  }

  /** The newest request that is recorded before a line. */
  private findLastBefore(line: number): Request | undefined {
    return this.all[findFirstPast(this.all.length, (at) => (this.all[at]?.line ?? 0) > line) - 1];
  }

  /** A request repeats the first messages of another one. Returns whether any is cut. */
  private readLists(valueOf: (span: LineSpan) => JsonObject): boolean {
    const { fields, lists } = this;
    const byId = new Map<string, number>();
    let areCut = false;
    for (const request of this.all) {
      const { id, base, keep, tail, cut } = valueOf(fields.span(request.line));
      areCut ||= cut !== undefined;
      const from = base === undefined ? NO_MESSAGES : (byId.get(asString(base) ?? '') ?? NONE);
      const kept = Math.max(0, asCount(keep) ?? 0);
      if (from === NONE || kept > lists.lengthOf(from) || !Array.isArray(tail)) continue;
      const hashes = listTexts(tail).map((hash) => fields.intern(hash));
      const list = lists.appendAll(lists.beginningOf(from, kept), hashes);
      byId.set(asString(id) ?? '', list);
      // No request is without messages.
      if (list !== NO_MESSAGES) request.list = list;
    }
    return areCut;
  }

  /** An answer follows its request: of several requests the last one, and of several answers the first. */
  private findAnswers(): void {
    const { fields, all, ofAnswers } = this;
    const seen = new Set<number>();
    let next = 0;
    for (let line = all[0]?.line ?? 0; line < fields.length; line += 1) {
      if (fields.textAt(line, CLAUDE_FIELD.type) !== RECORD_TYPE.assistant) continue;
      const answer = fields.textAt(line, CLAUDE_FIELD.answerId);
      if (!isProviderAnswer(fields, line) || seen.has(answer)) continue;
      seen.add(answer);
      const request = this.findLastBefore(line);
      if (!request || request.line < next) continue;
      next = line;
      ofAnswers.set(line, request);
    }
  }
}
