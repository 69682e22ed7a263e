import { addTo } from '#base/maps.js';
import { NONE } from '../../../heads/id-index.js';
import { RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';
import type { Answers } from './answers.js';
import { type PlacedResults, placeResults } from './placed-results.js';
import type { RecordTree } from './record-tree.js';

/**
 * The records that are sent elsewhere than after their parents. After the last line of an answer come the results of
 * its parallel calls, and after these the attachments that hooks added before or after a call: each is on a fork of its
 * own that no message follows, but the client sends it after all results, in the order of the file.
 */
export class SentOrder {
  /** The results that are sent elsewhere, by the last line of their answer. */
  private readonly placed: ReadonlyMap<number, PlacedResults>;
  private readonly answersOfPlaced = new Map<number, number>();
  /** The attachments after the last result of an answer, by that result. */
  private readonly attachments = new Map<number, number[]>();
  private readonly predecessors = new Map<number, number>();

  constructor(
    private readonly records: ClaudeRecords,
    private readonly tree: RecordTree,
    readonly answers: Answers,
  ) {
    this.placed = placeResults(records, tree, answers);
    for (const [answer, { last, results }] of this.placed) {
      for (const [place, line] of results.entries()) {
        this.answersOfPlaced.set(line, answer);
        this.predecessors.set(line, results[place - 1] ?? last);
      }
    }
    this.placeAttachments();
  }

  /** The record that a moved one follows; NONE for one that follows its parent. */
  predecessorOf(line: number): number {
    return this.predecessors.size === 0 ? NONE : (this.predecessors.get(line) ?? NONE);
  }

  /** All records that moved ones are among, or follow. */
  listMoved(): readonly number[] {
    const answers = [...this.placed.keys()].flatMap((answer) => this.answers.lines(answer));
    return [...answers, ...this.predecessors.keys(), ...this.attachments.keys()];
  }

  /** Whether all results of an answer are moved, so that nothing but them follows its lines. */
  isWhole(answer: number): boolean {
    return this.placed.get(answer)?.isWhole === true;
  }

  /** The record that the children of another one follow: the last that was moved after it, or the record itself. */
  endAfter(parent: number, child: number): number {
    const end = this.resultAfter(parent, child);
    return this.attachments.get(end)?.at(-1) ?? end;
  }

  private resultAfter(parent: number, child: number): number {
    const answer = this.answerOf(parent);
    const placed = this.placed.get(answer);
    if (!placed) return parent;
    const end = placed.results.at(-1) ?? parent;
    if (placed.isWhole || child === NONE) return end;
    const isWithin = this.answerOf(child) === answer;
    const isBetweenLines = parent !== placed.last && this.tree.areOnOneChain(child, placed.last);
    return isWithin || isBetweenLines ? parent : end;
  }

  /** The answer that a record is a line of, or a moved result; NONE for all other records. */
  private answerOf(line: number): number {
    const answer = this.answers.of(line);
    return answer === NONE ? (this.answersOfPlaced.get(line) ?? NONE) : answer;
  }

  private placeAttachments(): void {
    const { records } = this;
    const between = [...this.placed.values()].flatMap((placed) => placed.between);
    const forked = [...this.listOnDeadForks(), ...between].toSorted((a, b) => records.compare(a, b));
    if (forked.length === 0) return;
    const calls = this.mapCalls();
    const resultsByAnswer = this.mapResults(calls);
    for (const line of forked) {
      const answer = this.answerBefore(line, calls);
      const results = resultsByAnswer.get(answer) ?? [];
      if (!results.some((result) => records.compare(result, line) > 0)) continue;
      const last = this.lastResult(answer, results);
      this.predecessors.set(line, this.attachments.get(last)?.at(-1) ?? last);
      addTo(this.attachments, last, line);
    }
  }

  /** The attachments of the conversation that no message follows, although the conversation goes on. */
  private listOnDeadForks(): readonly number[] {
    const { records, tree } = this;
    const { order, types, main } = records;
    const isAlive = new Uint8Array(types.length);
    const forked: number[] = [];
    for (let place = order.length - 1; place >= 0; place -= 1) {
      const line = order[place] ?? NONE;
      const parent = tree.parentOf(line);
      if (parent !== NONE && (isAlive[line] === 1 || records.isMessage(line))) isAlive[parent] = 1;
      if (types[line] === RECORD_TYPE.attachment && main[line] === 1 && isAlive[line] === 0) forked.push(line);
    }
    return forked.toReversed();
  }

  /** The answer that makes each call. */
  private mapCalls(): ReadonlyMap<number, number> {
    const answers = new Map<number, number>();
    for (const { record, call } of this.records.calls) answers.set(call, this.answers.of(record));
    return answers;
  }

  /** The records with a result of each answer. */
  private mapResults(calls: ReadonlyMap<number, number>): ReadonlyMap<number, readonly number[]> {
    const byAnswer = new Map<number, number[]>();
    for (const { record, call } of this.records.results) {
      const answer = calls.get(call) ?? NONE;
      if (answer !== NONE) addTo(byAnswer, answer, record);
    }
    return byAnswer;
  }

  /** The answer whose line, or whose result, is the nearest message above a record; NONE without one. */
  private answerBefore(line: number, calls: ReadonlyMap<number, number>): number {
    const message = this.messageAbove(line);
    if (message === NONE) return NONE;
    const own = this.answers.of(message);
    if (own !== NONE) return own;
    const [call = 0] = this.records.blocks.listAnsweredCalls(message);
    return calls.get(call) ?? NONE;
  }

  private messageAbove(line: number): number {
    const { records, tree } = this;
    let above = tree.parentOf(line);
    for (let steps = 0; above !== NONE && !records.isMessage(above) && steps < MOST_STEPS; steps += 1)
      above = tree.parentOf(above);
    return above;
  }

  /** The last result of an answer in the order in which they are sent: those on forks of their own come first. */
  private lastResult(answer: number, results: readonly number[]): number {
    const onChain = results.findLast((line) => !this.answersOfPlaced.has(line));
    return onChain ?? this.placed.get(answer)?.results.at(-1) ?? NONE;
  }
}

/** Hooks are few, so chains of attachments are short. */
const MOST_STEPS = 64;
