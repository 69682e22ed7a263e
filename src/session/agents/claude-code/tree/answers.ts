import { NONE } from '../../../heads/id-index.js';
import { textNumberOf } from '../../../scan/field-layout.js';
import { CLAUDE_FIELD, KNOWN_TEXT, RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';

/** The answers of a file, numbered in the order of their first lines, and their lines. */
export class Answers {
  count = 0;
  /** The answer of each line, NONE if it has none. */
  private readonly answers: Int32Array;
  private readonly firsts: Int32Array;
  private readonly lasts: Int32Array;
  /** The next line of the answer of a line. */
  private readonly next: Int32Array;

  /** An id means another answer before the record `start`. */
  constructor({ fields, order, types }: ClaudeRecords, start: number) {
    const { words, recordWords } = fields;
    const none = (): Int32Array => new Int32Array(types.length).fill(NONE);
    this.answers = none();
    this.firsts = none();
    this.lasts = none();
    this.next = none();
    const countsByKey = new Int32Array((fields.texts + 1) * 2);
    for (let place = 0; place < order.length; place += 1) {
      const line = order[place] ?? 0;
      if (types[line] !== RECORD_TYPE.assistant) continue;
      const id = textNumberOf(words[line * recordWords + CLAUDE_FIELD.answerId] ?? 0);
      if (id !== 0 && id !== KNOWN_TEXT.empty) this.add(line, countsByKey, id * 2 + Number(line < start));
    }
  }

  private add(line: number, countsByKey: Int32Array, key: number): void {
    const { answers, firsts, lasts, next } = this;
    let answer = (countsByKey[key] ?? 0) - 1;
    if (answer === NONE) {
      answer = this.count;
      this.count += 1;
      countsByKey[key] = this.count;
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

  /** The next line of the answer of a line, NONE after the last one. */
  after(line: number): number {
    return this.next[line] ?? NONE;
  }

  lines(answer: number): readonly number[] {
    const lines: number[] = [];
    for (let line = this.first(answer); line !== NONE; line = this.after(line)) lines.push(line);
    return lines;
  }
}
