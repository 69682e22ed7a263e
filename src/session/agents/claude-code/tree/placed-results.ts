import { NONE } from '../../../heads/id-index.js';
import { RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';
import type { Answers } from './answers.js';
import { Families, findOwnRecords } from './families.js';
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
  const families = new Families(
    records,
    (line) => away.has(line),
    (line) => records.parent(line),
  );
  for (const answer of owners) {
    const last = ends.lasts[answer] ?? NONE;
    const isAway = (line: number): boolean => chains[line] !== ends.chains[answer] && tree.areTogether(line, last);
    const lines = answers.lines(answer);
    const forked = families.take(lines, isAway);
    if (forked.length === 0) continue;
    const first = lines.find((line) => chains[line] === chains[last]) ?? last;
    const own = findOwnRecords(records, { answers, answer, last }, tree.walkChain(first));
    placed.set(answer, {
      last,
      results: [...forked, ...(own?.results ?? [])].toSorted((a, b) => records.compare(a, b)),
      isWhole: own !== null,
      between: own ? own.others.filter((line) => records.types[line] !== RECORD_TYPE.progress) : [],
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
    for (let line = answers.after(first); line !== NONE; line = answers.after(line))
      if ((latest[line] ?? NONE) > (latest[newest] ?? NONE)) newest = line;
    const chain = chains[newest] ?? NONE;
    ends.chains[answer] = chain;
    for (let line = first; line !== NONE; line = answers.after(line))
      if (chains[line] === chain) ends.lasts[answer] = line;
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
  for (let at = 0; at < calls.lines.length; at += 1) {
    const call = calls.calls[at] ?? 0;
    const chain = (chainsOf[answers.of(calls.lines[at] ?? NONE)] ?? NONE) + FIRST_CHAIN;
    const earlier = chainsOfCalls[call];
    chainsOfCalls[call] = earlier === 0 || earlier === chain ? chain : SEVERAL;
  }
  const away = new Set<number>();
  const owners = new Set<number>();
  for (let at = 0; at < results.lines.length; at += 1) {
    const line = results.lines[at] ?? NONE;
    const own = chains[line] ?? NONE;
    const ofCall = chainsOfCalls[results.calls[at] ?? 0] ?? 0;
    const answer = answers.of(parents[line] ?? NONE);
    if ((ofCall === 0 || ofCall === own + FIRST_CHAIN) && (answer === NONE || chainsOf[answer] === own)) continue;
    away.add(line);
    owners.add(answer);
  }
  const isCalled = new Set(results.calls.filter((_, at) => away.has(results.lines[at] ?? NONE)));
  for (const [at, call] of calls.calls.entries())
    if (isCalled.has(call)) owners.add(answers.of(calls.lines[at] ?? NONE));
  owners.delete(NONE);
  return { away, owners: [...owners].toSorted((a, b) => a - b) };
}

/** The chain of a call that answers on several chains make, and the number of the chain NONE. */
const SEVERAL = -1;
const FIRST_CHAIN = 2;
