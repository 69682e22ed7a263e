import type { JsonObject } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { contentOf } from './content.js';
import { CLAUDE_FIELD, RECORD_TYPE } from './fields.js';
import { joinMessages, type SentRequest } from './join.js';
import { NONE } from './links.js';
import type { Nodes, Piece } from './nodes.js';
import type { ClaudeRecords } from './records.js';
import { EMPTY, MessageHash } from './requests.js';

/** The entries before an answer that are not known to show what was sent, and the list of messages before them. */
interface Segment {
  readonly nodes: readonly number[];
  /** NONE if it is unknown. */
  readonly start: number;
}

/**
 * Makes the entries before an answer show the messages of its request, where the file records them: in their order, and
 * joined as they were sent.
 */
export class SentPieces {
  /** Whether the messages of any request are not known. */
  isApproximate: boolean;
  /** The list of messages that was sent up to an entry; NONE within a message. */
  private readonly shown = new Map<number, number>();
  /** The message whose last entry this is. */
  private readonly hashes = new Map<number, number>();
  private readonly pieces = new Map<number, Piece>();
  private stepsLeft: number;
  /** All messages that follow from lines of the conversation: found when one is needed. */
  private runs: ReadonlyMap<number, Piece> | null = null;

  /** `valueOf`: the value of a line. */
  constructor(
    private readonly records: ClaudeRecords,
    private readonly nodes: Nodes,
    private readonly valueOf: (span: LineSpan) => JsonObject,
  ) {
    this.isApproximate = records.requests.areCut;
    this.stepsLeft = MOST_STEPS + records.order.length;
  }

  /** Returns the entry that an answer follows. `line`: its first line. `above`: the entry before it. */
  before(above: number, line: number): number {
    // The context that is repeated at the end of a file is no request.
    if (this.nodes.isRepeating) return above;
    const list = this.records.requests.listOf(line);
    const segment = list === NONE ? null : this.segmentTo(above, list);
    const end = segment ? this.end(segment, { above, list, line }) : NONE;
    if (end === NONE) this.isApproximate = true;
    else this.shown.set(end, list);
    return end === NONE ? above : end;
  }

  private segmentTo(above: number, list: number): Segment {
    const found: number[] = [];
    for (let node = above; this.stepsLeft > 0; node = this.nodes.parent(node)) {
      this.stepsLeft -= 1;
      const start = this.listAfter(node, list);
      if (start !== null) return { nodes: found.toReversed(), start };
      found.push(node);
    }
    return { nodes: [], start: NONE };
  }

  /** The list of messages up to an entry, which should begin `list`; null if the entries before it decide that. */
  private listAfter(node: number, list: number): number | null {
    if (node === NONE) return EMPTY;
    const shown = this.shown.get(node);
    if (shown !== undefined) return shown;
    switch (this.nodes.making(node)) {
      case 'answer':
      case 'local':
        return this.listAfterAnswer(node, list);
      case 'compaction':
        return this.listAfterCompaction(node);
      case 'reset':
        return EMPTY;
      case 'cleared':
        return NONE;
      default:
        return null;
    }
  }

  private listAfterAnswer(node: number, list: number): number {
    const { requests } = this.records;
    const { lists } = requests;
    const before = this.shown.get(this.nodes.parent(node)) ?? NONE;
    const depth = before === NONE ? NONE : lists.depth(before);
    if (before === NONE || lists.beginning(list, depth) !== before || lists.depth(list) === depth) return NONE;
    const [next = 0] = lists.after(lists.beginning(list, depth + 1), depth);
    // The client records an answer in full only if it sent another one, or before a compaction.
    if (!requests.blobs.has(next) && !this.hashes.has(node)) this.showAnswer(node, next);
    return this.hashOfAnswer(node) === next ? lists.with(before, next) : NONE;
  }

  private hashOfAnswer(node: number): number {
    return this.hashes.get(node) ?? this.showAnswer(node, this.hashOf(this.nodes.lines(node), 'assistant'));
  }

  private showAnswer(node: number, hash: number): number {
    return this.show({ hash, role: RECORD_TYPE.assistant, lines: this.nodes.lines(node), nodes: [node] });
  }

  /** The summary and the messages that a compaction keeps. */
  private listAfterCompaction(node: number): number {
    const { nodes } = this;
    const kept: number[] = [];
    const first = nodes.resets.get(node) ?? NONE;
    let at = first === NONE ? NONE : nodes.parent(node);
    for (; at !== NONE && this.stepsLeft > 0; this.stepsLeft -= 1) {
      const hash = ANSWERS.has(nodes.making(at)) ? this.hashOfAnswer(at) : this.hashes.get(at);
      if (hash !== undefined) kept.push(hash);
      at = at === first ? NONE : nodes.parent(at);
    }
    const lines = [nodes.message(node)];
    const summary = this.show({ hash: this.hashOf(lines, 'user'), role: RECORD_TYPE.user, lines, nodes: [node] });
    return this.records.requests.lists.extended(EMPTY, [summary, ...kept.toReversed()]);
  }

  /** Remembers the entries that show a message, and returns its hash. */
  private show(piece: Piece): number {
    const last = piece.nodes.at(-1);
    if (last !== undefined) this.hashes.set(last, piece.hash);
    this.pieces.set(piece.hash, piece);
    return piece.hash;
  }

  /** Returns the last entry; NONE if the messages are not known. */
  private end(segment: Segment, request: SentRequest): number {
    const { lists } = this.records.requests;
    const { start } = segment;
    const isContinued = start !== NONE && lists.beginning(request.list, lists.depth(start)) === start;
    const sent = isContinued ? this.piecesOf(lists.after(request.list, lists.depth(start)), segment.nodes) : null;
    const joined = sent && joinMessages(this.nodes, segment.nodes, sent, request, this.valueAt);
    if (!joined) return this.restate(request);
    for (const node of segment.nodes) this.shown.set(node, NONE);
    for (const piece of joined.pieces) this.show(piece);
    return joined.end;
  }

  /** The messages of the user and of the system after the last answer; null if any other one was sent. */
  private piecesOf(hashes: readonly number[], nodes: readonly number[]): readonly Piece[] | null {
    let rest = this.userLines(nodes);
    const isSure = this.isSure(hashes, rest);
    const found: Piece[] = [];
    for (const hash of hashes) {
      const blob = this.blobOf(hash);
      const lines = blob ? blob.lines : this.runOf(hash, rest, isSure);
      if (!lines || blob?.role === RECORD_TYPE.assistant) return null;
      if (!blob) rest = rest.slice(lines.length);
      found.push(blob ?? { hash, role: RECORD_TYPE.user, lines, nodes: [] });
    }
    return found;
  }

  /** A message that is recorded in full. */
  private blobOf(hash: number): Piece | null {
    const { table, requests } = this.records;
    const line = requests.blobs.get(hash);
    return line === undefined
      ? null
      : { hash, role: table.textAt(line, CLAUDE_FIELD.messageRole), lines: [line], nodes: [] };
  }

  /** Whether one message has all records of the user: the only one, or all results of an answer. */
  private isSure(hashes: readonly number[], lines: readonly number[]): boolean {
    const ofUser = hashes.filter((hash) => (this.blobOf(hash)?.role ?? RECORD_TYPE.user) === RECORD_TYPE.user);
    const isOne = ofUser.length === 1 && ofUser.every((hash) => !this.records.requests.blobs.has(hash));
    return isOne && (lines.length === 1 || lines.every((line) => !this.records.blocks.hasOther(line)));
  }

  /** The records of the user among entries, in file order. */
  private userLines(nodes: readonly number[]): readonly number[] {
    const lines = nodes.map((node) => this.nodes.message(node)).filter((line) => line !== NONE);
    return [...new Set(lines)].toSorted((a, b) => a - b);
  }

  /** The lines of which a message consists: all, or only the first. */
  private runOf(hash: number, lines: readonly number[], isSure: boolean): readonly number[] | null {
    if (lines.length === 0) return null;
    if (isSure) return lines;
    const first = lines.slice(0, 1);
    if (this.hashOf(first, 'user') === hash) return first;
    return lines.length <= MOST_LINES && this.hashOf(lines, 'user') === hash ? lines : null;
  }

  /** Adds an entry that replaces all messages by those that were sent; NONE if any is not known. */
  private restate({ above, list, line }: SentRequest): number {
    const { requests, table } = this.records;
    const pieces: Piece[] = [];
    let bytes = 0;
    for (const hash of requests.lists.after(list, 0)) {
      const piece = this.pieces.get(hash) ?? this.blobOf(hash) ?? (this.runs ??= this.findRuns()).get(hash);
      for (const each of piece?.lines ?? []) bytes += table.offsetOf(each + 1) - table.offsetOf(each);
      if (!piece || bytes > MOST_BYTES) return NONE;
      pieces.push(piece);
    }
    return this.nodes.restate(above, line, pieces);
  }

  /** The messages of lines of the conversation: an answer, or records of the user that follow each other. */
  private findRuns(): ReadonlyMap<number, Piece> {
    const { records } = this;
    const found = new Map<number, Piece>();
    let run: readonly number[] = [];
    let digest = new MessageHash();
    const isNext = (line: number): boolean => {
      const [first = NONE] = run;
      return (
        first !== NONE && records.types[first] === records.types[line] && records.answer(first) === records.answer(line)
      );
    };
    for (const line of records.order) {
      if (records.boundaries.has(line)) run = [];
      if (!records.isMessage(line)) continue;
      if (!isNext(line)) [run, digest] = [[], new MessageHash()];
      if (run.length === MOST_LINES) continue;
      run = [...run, line];
      const role = records.types[line] ?? 0;
      const hash = records.table.intern(digest.add(this.contentAt(line)).of(records.table.text(role)));
      found.set(hash, { hash, role, lines: run, nodes: [] });
    }
    return found;
  }

  /** The number of the hash of a message of lines. */
  private hashOf(lines: readonly number[], role: string): number {
    const hash = new MessageHash();
    for (const line of lines) hash.add(this.contentAt(line));
    return this.records.table.intern(hash.of(role));
  }

  private contentAt(line: number): unknown {
    return contentOf(this.valueAt(line));
  }

  private readonly valueAt = (line: number): JsonObject => this.valueOf(this.records.table.span(line));
}

const ANSWERS: ReadonlySet<string> = new Set(['answer', 'local']);

/** The entries that are searched for what was sent, beside those of the file. */
const MOST_STEPS = 1_000_000;
/** The bytes of a request's lines. Anthropic accepts requests of 32 MB. */
const MOST_BYTES = 2 ** 26;
/** The lines of a message of the user. */
const MOST_LINES = 100;
