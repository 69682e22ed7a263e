import { byTime, Families, pushTo, upwards } from './families.js';
import { TEXT } from './fields.js';
import { NONE, type ClaudeRecords } from './records.js';
import { keptBy, Relinking } from './relinking.js';

/** The records that the client reads when it resumes the session. Parents are as the boundaries relink them. */
export class LiveChain {
  private readonly lines: Int32Array;
  private readonly links: Relinking;

  /** `start`: the first record that is read. */
  constructor(
    private readonly records: ClaudeRecords,
    private readonly start: number,
  ) {
    this.lines = start === 0 ? records.order : records.order.filter((line) => line >= start);
    this.links = new Relinking(records);
    for (const line of this.lines) {
      const boundary = records.boundaries.get(line);
      const kept = boundary && keptBy(boundary, (uuid) => this.lineOf(uuid) !== NONE);
      if (kept) this.links.keep(kept);
    }
  }

  private lineOf(uuid: number): number {
    const line = this.records.lineOf(uuid);
    return line >= this.start ? line : NONE;
  }

  readonly parentOf = (line: number): number => {
    const uuid = this.links.parentOf(line);
    return uuid === TEXT.empty ? NONE : this.lineOf(uuid);
  };

  /** The records from the root to a record. */
  pathTo(line: number): readonly number[] {
    return [...upwards(line, this.parentOf)].toReversed();
  }

  /** The records from the root to the newest tip. */
  activeLines(): readonly number[] {
    const found = this.tip();
    return found ? this.pathTo(found.tip) : [];
  }

  /** The newest tip below a message, and that message, which is the active leaf; null if there is no message. */
  tip(): { readonly tip: number; readonly leaf: number } | null {
    const { records } = this;
    const isParent = new Uint8Array(records.types.length);
    for (const line of this.lines) {
      const parent = records.isMain(line) ? this.parentOf(line) : NONE;
      if (parent !== NONE) isParent[parent] = 1;
    }
    const dead = new Uint8Array(records.types.length);
    for (let line = records.types.length - 1; line >= this.start; line -= 1) {
      if (records.types[line] === 0 || isParent[line] === 1 || !records.isMain(line)) continue;
      const leaf = this.messageAbove(line, dead);
      if (leaf !== NONE) return { tip: line, leaf };
    }
    return null;
  }

  /** The messages that are read, in order, with those of parallel calls put back. */
  messages(leaf: number): readonly number[] {
    const { records } = this;
    const path = this.pathTo(leaf);
    const onPath = new Set(path);
    const answers = new Map<number, number[]>();
    for (const line of this.lines) if (records.answer(line) !== 0) pushTo(answers, records.answer(line), line);
    const families = new Families(records, this.lines, (line) => this.links.parentOf(line));
    const last = new Map(path.map((line) => [records.answer(line), line]));
    const put = new Set(path);
    return path.flatMap((line) => {
      const answer = records.answer(line);
      if (answer === 0 || last.get(answer) !== line) return [line];
      const lines = answers.get(answer) ?? [];
      const results = families.resultsOf(lines).filter((one) => !put.has(one) && put.add(one));
      return [line, ...lines.filter((one) => !onPath.has(one)), ...byTime(records, results)];
    });
  }

  private messageAbove(tip: number, dead: Uint8Array): number {
    for (let next = tip; next !== NONE && dead[next] === 0; next = this.parentOf(next)) {
      if (this.records.isMessage(next)) return next;
      dead[next] = 1;
    }
    return NONE;
  }
}

/** The size of a file from which the client reads no more than it needs. */
const BIG_BYTES = 5 * 2 ** 20;

/** The first record that the client reads: in a big file, the last boundary that keeps nothing. */
export function firstRead({ boundaries, table }: ClaudeRecords): number {
  let start = 0;
  let end = table.length;
  while (end > 0 && !table.isObject(end - 1)) end -= 1;
  if (table.offsetOf(end) <= BIG_BYTES) return start;
  for (const [line, { keeps }] of boundaries) if (!keeps) start = Math.max(start, line);
  return start;
}
