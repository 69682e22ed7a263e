import { addTo } from '#base/maps.js';
import { NONE } from '../../../heads/id-index.js';
import { isTruthy, VALUE_KIND, valueKindOf, valueNumberOf } from '../../../scan/field-layout.js';
import { CLAUDE_FIELD, KNOWN_TEXT } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';
import type { Answers } from './answers.js';

/** Finds the records with results of an answer: those that follow one of its lines, or name one of its calls. */
export class AnswerResults {
  /** The records with results that follow each record, by the uuid of that record. */
  private readonly byParent = new Map<number, number[]>();
  private readonly byCall = new Map<number, number[]>();
  /** The records that `take` has returned. */
  private readonly taken = new Set<number>();

  /** `isWanted`: the records to look at. `parentUuidOf`: the uuid of the parent of a record. */
  constructor(
    private readonly records: ClaudeRecords,
    isWanted: (line: number) => boolean,
    parentUuidOf: (line: number) => number,
  ) {
    let last = NONE;
    for (const { record, call } of records.results) {
      const isFirstResult = record !== last;
      last = record;
      if (!isWanted(record) || !namesParent(records, record)) continue;
      const parent = isFirstResult ? parentUuidOf(record) : 0;
      if (parent !== 0) addTo(this.byParent, parent, record);
      addTo(this.byCall, call, record);
    }
  }

  /**
   * Returns the results of the answer with these lines, as far as they satisfy a condition. None is returned twice, since
   * many calls may have one id.
   */
  take(lines: readonly number[], isWanted: (line: number) => boolean = () => true): readonly number[] {
    const found: number[] = [];
    if (this.byCall.size === 0) return found;
    const move = (lists: Map<number, number[]>, key: number): void => {
      const list = lists.get(key);
      if (list) lists.set(key, this.moveFrom(list, found, isWanted));
    };
    for (const line of lines) {
      move(this.byParent, this.records.uuid(line));
      for (const call of this.records.blocks.listCalls(line)) move(this.byCall, call);
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

/** Whether a record has a parent, in any form that the client takes for one. */
function namesParent({ fields }: ClaudeRecords, record: number): boolean {
  const word = fields.at(record, CLAUDE_FIELD.parentUuid);
  return valueKindOf(word) === VALUE_KIND.text ? valueNumberOf(word) !== KNOWN_TEXT.empty : isTruthy(word);
}

/** The records that follow the first line of an answer on a chain, up to the last result of its calls. */
export interface ResultsOnChain {
  readonly results: readonly number[];
  /** The records without a message between them. */
  readonly between: readonly number[];
}

/**
 * Finds the results of an answer that follow it on a chain, before any other message. null if another message is
 * between its lines. `chain`: the records from its first line on; `last`: its last line on the chain.
 */
export function findResultsOnChain(
  records: ClaudeRecords,
  { answers, answer, last }: { readonly answers: Answers; readonly answer: number; readonly last: number },
  chain: Iterable<number>,
): ResultsOnChain | null {
  const { blocks } = records;
  const calls = new Set(answers.lines(answer).flatMap((line) => blocks.listCalls(line)));
  const isOwnResult = (line: number): boolean => {
    const results = blocks.listAnsweredCalls(line);
    return results.length > 0 && results.every((call) => calls.has(call));
  };
  const results: number[] = [];
  const between: number[] = [];
  let sinceResult: number[] = [];
  let hasAllLines = false;
  for (const line of chain) {
    hasAllLines ||= line === last;
    if (answers.of(line) === answer) continue;
    if (!records.isMessage(line)) {
      sinceResult.push(line);
      continue;
    }
    if (!isOwnResult(line)) break;
    results.push(line);
    between.push(...sinceResult);
    sinceResult = [];
  }
  return hasAllLines ? { results, between } : null;
}
