import { addTo } from '#base/maps.js';
import { NONE } from '../../heads/id-index.js';
import { RECORD_TYPE } from './fields.js';
import type { RecordTree } from './record-tree.js';
import type { ClaudeRecords } from './records.js';

/**
 * The attachments that hooks added before or after a call. Each is on a fork of its own that no message follows, but the
 * client sends it after all results of the answer, in the order of the file.
 */
export class CallAttachments {
  /** The attachments after the record of a result. */
  private readonly after = new Map<number, number[]>();
  /** The record that each attachment follows: a result, or another attachment. */
  private readonly predecessors = new Map<number, number>();

  constructor(
    private readonly records: ClaudeRecords,
    private readonly tree: RecordTree,
  ) {
    const forked = [...this.onDeadForks(), ...tree.betweenResults()].toSorted((a, b) => records.compare(a, b));
    if (forked.length === 0) return;
    const { answerOf, resultsOf } = this.resultsByAnswer();
    for (const line of forked) {
      const answer = answerOf(this.messageAbove(line));
      const results = resultsOf(answer);
      if (!results.some((result) => records.compare(result, line) > 0)) continue;
      const last = this.lastResult(answer, results);
      this.predecessors.set(line, this.after.get(last)?.at(-1) ?? last);
      addTo(this.after, last, line);
    }
  }

  /** Marks the attachments, and the results that they follow. */
  markSpecial(isSpecial: Uint8Array): void {
    for (const line of this.after.keys()) isSpecial[line] = 1;
    for (const line of this.predecessors.keys()) isSpecial[line] = 1;
  }

  /** The record that an attachment beside a call follows; NONE for all other records. */
  predecessorOf(line: number): number {
    return this.predecessors.get(line) ?? NONE;
  }

  /** The last of the attachments after a result; the record itself if there are none. */
  lastAfter(line: number): number {
    return this.after.get(line)?.at(-1) ?? line;
  }

  /** The attachments of the conversation that no message follows, although the conversation goes on. */
  private onDeadForks(): readonly number[] {
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

  private messageAbove(line: number): number {
    const { records, tree } = this;
    let above = tree.parentOf(line);
    for (let steps = 0; above !== NONE && !records.isMessage(above) && steps < MOST_STEPS; steps += 1)
      above = tree.parentOf(above);
    return above;
  }

  private resultsByAnswer(): {
    answerOf(message: number): number;
    resultsOf(answer: number): readonly number[];
  } {
    const { calls, results, blocks } = this.records;
    const { answers } = this.tree;
    const ofCalls = new Map<number, number>();
    for (let at = 0; at < calls.lines.length; at += 1)
      ofCalls.set(calls.calls[at] ?? 0, answers.of(calls.lines[at] ?? NONE));
    const byAnswer = new Map<number, number[]>();
    for (let at = 0; at < results.lines.length; at += 1)
      addTo(byAnswer, ofCalls.get(results.calls[at] ?? 0) ?? NONE, results.lines[at] ?? NONE);
    return {
      answerOf(message) {
        if (message === NONE) return NONE;
        const own = answers.of(message);
        return own === NONE ? (ofCalls.get(blocks.results(message)[0] ?? 0) ?? NONE) : own;
      },
      resultsOf: (answer) => (answer === NONE ? [] : (byAnswer.get(answer) ?? [])),
    };
  }

  /** The last result of an answer in the order in which they are sent: those on forks of their own come first. */
  private lastResult(answer: number, results: readonly number[]): number {
    const { tree } = this;
    return results.findLast((line) => tree.placeOf(line) === NONE) ?? tree.placedOf(answer).at(-1) ?? NONE;
  }
}

/** Hooks are few, so chains of attachments are short. */
const MOST_STEPS = 64;
