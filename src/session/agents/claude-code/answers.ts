import { NONE, type ClaudeRecords } from './records.js';

/** The answers of a file, numbered in the order of their first lines, and their lines. */
export class Answers {
  count = 0;
  private readonly answers: Int32Array;
  private readonly firsts: Int32Array;
  private readonly lasts: Int32Array;
  /** The next line of the answer of a line. */
  private readonly next: Int32Array;

  /** An id means another answer before the record `start`. */
  constructor(records: ClaudeRecords, start: number) {
    const { length } = records.types;
    const none = (): Int32Array => new Int32Array(length).fill(NONE);
    this.answers = none();
    this.firsts = none();
    this.lasts = none();
    this.next = none();
    const known = new Int32Array((records.table.texts + 1) * 2);
    for (const line of records.order) {
      const id = records.answer(line);
      if (id !== 0) this.add(line, known, id * 2 + Number(line < start));
    }
  }

  private add(line: number, known: Int32Array, key: number): void {
    const { answers, firsts, lasts, next } = this;
    let answer = (known[key] ?? 0) - 1;
    if (answer === NONE) {
      answer = this.count;
      this.count += 1;
      known[key] = this.count;
      firsts[answer] = line;
    } else next[lasts[answer] ?? 0] = line;
    lasts[answer] = line;
    answers[line] = answer;
  }

  /** The answer of a line, NONE if it has none. */
  of(line: number): number {
    return this.answers[line] ?? NONE;
  }

  first(answer: number): number {
    return this.firsts[answer] ?? NONE;
  }

  hasMore(answer: number): boolean {
    return this.firsts[answer] !== this.lasts[answer];
  }

  lines(answer: number): readonly number[] {
    const lines: number[] = [];
    for (let line = this.first(answer); line !== NONE; line = this.next[line] ?? NONE) lines.push(line);
    return lines;
  }
}
