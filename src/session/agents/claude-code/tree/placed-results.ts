import { NONE } from '../../../heads/id-index.js';
import { RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';
import { AnswerResults, findResultsOnChain } from './answer-results.js';
import type { Answers } from './answers.js';
import type { RecordTree } from './record-tree.js';

/** The results of an answer, at least one of which is on a fork of its own. */
export interface PlacedResults {
  /** The last line of the answer on the main chain, which they follow. */
  readonly last: number;
  /** The results in file order: those on forks, together with those on the main chain. */
  readonly results: readonly number[];
  /** Whether these are all results of the answer, so that nothing but them follows its lines. */
  readonly isWhole: boolean;
  /** The records without a message that are between them on the main chain. */
  readonly between: readonly number[];
}

/**
 * Finds where the results of parallel calls belong, by their answer. If one of them is on a fork, all follow the last
 * line of the answer on the main chain, in file order. The client sends them in this order, both at once and after it
 * resumes the session.
 */
export function placeResults(
  records: ClaudeRecords,
  tree: RecordTree,
  answers: Answers,
): ReadonlyMap<number, PlacedResults> {
  const { chains } = tree;
  const ends = findChainEnds(tree, answers);
  const { away, owners } = findResultsAway(records, answers, ends.chains, chains);
  const placed = new Map<number, PlacedResults>();
  if (away.size === 0) return placed;
  const resultsAway = new AnswerResults(
    records,
    (line) => away.has(line),
    (line) => records.parentUuid(line),
  );
  for (const answer of owners) {
    const last = ends.lasts[answer] ?? NONE;
    const isAway = (line: number): boolean => chains[line] !== ends.chains[answer] && tree.areTogether(line, last);
    const lines = answers.lines(answer);
    const forked = resultsAway.take(lines, isAway);
    if (forked.length === 0) continue;
    const first = lines.find((line) => chains[line] === chains[last]) ?? last;
    const onChain = findResultsOnChain(records, { answers, answer, last }, tree.walkChain(first));
    placed.set(answer, {
      last,
      results: [...forked, ...(onChain?.results ?? [])].toSorted((a, b) => records.compare(a, b)),
      isWhole: onChain !== null,
      between: (onChain?.between ?? []).filter((line) => records.types[line] !== RECORD_TYPE.progress),
    });
  }
  return placed;
}

/** The main chain of each answer, and the last of its lines there. */
interface ChainEnds {
  readonly chains: Int32Array;
  readonly lasts: Int32Array;
}

/** An answer is on the chain of its line that leads to the newest record. */
function findChainEnds({ chains, latest }: RecordTree, answers: Answers): ChainEnds {
  const ends = { chains: new Int32Array(answers.count), lasts: new Int32Array(answers.count) };
  for (let answer = 0; answer < answers.count; answer += 1) {
    const first = answers.first(answer);
    let newest = first;
    for (let line = answers.after(first); line !== NONE; line = answers.after(line)) {
      if ((latest[line] ?? NONE) > (latest[newest] ?? NONE)) newest = line;
    }
    const chain = chains[newest] ?? NONE;
    ends.chains[answer] = chain;
    for (let line = first; line !== NONE; line = answers.after(line)) {
      if (chains[line] === chain) ends.lasts[answer] = line;
    }
  }
  return ends;
}

/**
 * The records with a result of an answer that is on another chain, and all answers that they may belong to.
 * `chainsOf`: the chain of each answer; `chains`: of each record.
 */
function findResultsAway(
  { fields, calls, results, parents }: ClaudeRecords,
  answers: Answers,
  chainsOf: Int32Array,
  chains: Int32Array,
): { readonly away: ReadonlySet<number>; readonly owners: readonly number[] } {
  /** The chain of the answers with each call, SEVERAL if there are more than one; 0 for an unknown call. */
  const chainsOfCalls = new Int32Array(fields.texts + 1);
  for (const { record, call } of calls) {
    const chain = (chainsOf[answers.of(record)] ?? NONE) + FIRST_CHAIN;
    const earlier = chainsOfCalls[call];
    chainsOfCalls[call] = earlier === 0 || earlier === chain ? chain : SEVERAL;
  }
  const away = new Set<number>();
  const owners = new Set<number>();
  for (const { record, call } of results) {
    const own = chains[record] ?? NONE;
    const ofCall = chainsOfCalls[call] ?? 0;
    const answer = answers.of(parents[record] ?? NONE);
    const isOnChainOfCall = ofCall === 0 || ofCall === own + FIRST_CHAIN;
    const isOnChainOfParent = answer === NONE || chainsOf[answer] === own;
    if (isOnChainOfCall && isOnChainOfParent) continue;
    away.add(record);
    owners.add(answer);
  }
  const callsAway = new Set(results.filter(({ record }) => away.has(record)).map(({ call }) => call));
  for (const { record, call } of calls) {
    if (callsAway.has(call)) owners.add(answers.of(record));
  }
  owners.delete(NONE);
  return { away, owners: [...owners].toSorted((a, b) => a - b) };
}

/** The chain of a call that answers on several chains make, and the number of the chain NONE. */
const SEVERAL = -1;
const FIRST_CHAIN = 2;
