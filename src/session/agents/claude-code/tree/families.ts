import { addTo } from '#base/maps.js';
import { NONE } from '../../../heads/id-index.js';
import type { ClaudeRecords } from '../records/records.js';
import type { Answers } from './answers.js';

/** The results of calls: which records with results follow a record, or contain the result of a call. */
export class Families {
  private readonly byParent = new Map<number, number[]>();
  private readonly byCall = new Map<number, number[]>();
  /** The results that were returned. */
  private readonly taken = new Set<number>();

  /** `isWanted`: the records to look at. `parentOf`: the uuid of the parent of a record. */
  constructor(
    private readonly records: ClaudeRecords,
    isWanted: (line: number) => boolean,
    parentOf: (line: number) => number,
  ) {
    const { lines, calls } = records.results;
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at] ?? 0;
      if (!isWanted(line) || !records.isLinked(line)) continue;
      const parent = lines[at - 1] === line ? 0 : parentOf(line);
      if (parent !== 0) addTo(this.byParent, parent, line);
      addTo(this.byCall, calls[at] ?? 0, line);
    }
  }

  /** The results of an answer that satisfy a condition. None is returned twice, since many calls may have one id. */
  take(lines: readonly number[], isWanted: (line: number) => boolean = () => true): readonly number[] {
    const found: number[] = [];
    if (this.byCall.size === 0) return found;
    const move = (lists: Map<number, number[]>, key: number): void => {
      const list = lists.get(key);
      if (list) lists.set(key, this.moveFrom(list, found, isWanted));
    };
    for (const line of lines) {
      move(this.byParent, this.records.uuid(line));
      for (const call of this.records.blocks.calls(line)) move(this.byCall, call);
    }
    return found;
  }

  /** Returns what is left of a list. */
  private moveFrom(list: readonly number[], found: number[], isWanted: (line: number) => boolean): number[] {
    const { taken } = this;
    return list.filter((line) => {
      if (taken.has(line)) return false;
      if (!isWanted(line)) return true;
      taken.add(line);
      found.push(line);
      return false;
    });
  }
}

/** The records that follow the first line of an answer on a chain, up to the last result of its calls. */
export interface OwnRecords {
  readonly results: readonly number[];
  /** The records without a message between them. */
  readonly others: readonly number[];
}

/**
 * Finds the results of an answer that follow it on a chain, before any other message. null if another message is
 * between its lines. `chain`: the records from its first line on; `last`: its last line on the chain.
 */
export function findOwnRecords(
  records: ClaudeRecords,
  { answers, answer, last }: { readonly answers: Answers; readonly answer: number; readonly last: number },
  chain: Iterable<number>,
): OwnRecords | null {
  const { blocks } = records;
  const calls = new Set(answers.lines(answer).flatMap((line) => blocks.calls(line)));
  const isOwnResult = (line: number): boolean => {
    const results = blocks.results(line);
    return results.length > 0 && results.every((call) => calls.has(call));
  };
  const results: number[] = [];
  const others: number[] = [];
  let since: number[] = [];
  let isWhole = false;
  for (const line of chain) {
    isWhole ||= line === last;
    if (answers.of(line) === answer) continue;
    if (!records.isMessage(line)) {
      since.push(line);
      continue;
    }
    if (!isOwnResult(line)) break;
    results.push(line);
    others.push(...since);
    since = [];
  }
  return isWhole ? { results, others } : null;
}

/** A walk from a record to its root, which ends where a cycle would repeat. */
export function* walkParents(from: number, parentOf: (line: number) => number): Generator<number> {
  const seen = new Set<number>();
  for (let next = from; next !== NONE && !seen.has(next); next = parentOf(next)) {
    seen.add(next);
    yield next;
  }
}
