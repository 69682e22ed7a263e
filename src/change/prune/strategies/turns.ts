import * as z from 'zod/mini';
import { addTo } from '#base/maps.js';
import { option } from '#base/schema.js';
import { defineStrategy, type Proposal } from '../define.js';
import { ageOf, type History, type HistoryItem } from '../history.js';
import { describeAge } from '../message-notes.js';
import { FOLD_OVER_TOKENS, proposeFolds } from './fold.js';

const ofTurns = z.strictObject({
  keep: option(z.int().check(z.positive()), 6, 'Number of turns to keep, including the newest'),
});

export const turns = defineStrategy<z.infer<typeof ofTurns>>({
  name: 'turns',
  summary: 'Keep the newest turns and drop older ones',
  help:
    'A turn is a message of the user with all answers, calls and results that follow it. The newest `keep` turns are ' +
    'kept. An older turn is dropped as a whole, so no result loses its call, and turns that share a call and its ' +
    'result are dropped together. Answers before the first turn, whose question a compaction has removed, count as ' +
    'the oldest turn.\n\n' +
    'A packet made from the ledger replaces the dropped turns. A turn with a protected message is kept whole. ' +
    'Compactions and packets belong to no turn: see `summaries`.',
  options: ofTurns,
  propose: (history, { keep }) => droppedTurns(history, keep),
});

/** Drops each turn that is not among the newest `keep`, oldest first. */
function* droppedTurns(history: History, keep: number): Generator<Proposal> {
  const old = oldTurns(history, keep);
  const lastLinked = linksBetween(history);
  let waiting: (readonly HistoryItem[])[] = [];
  let upTo = -1;
  for (const [turn, items] of old) {
    waiting.push(items);
    const linked = lastLinked.get(turn) ?? turn;
    if (linked < history.turns - keep) upTo = Math.max(upTo, linked);
    if (turn < upTo) continue;
    const changes = waiting.flat().map(({ at }) => ({ at, message: null }));
    yield { changes, reason: describeAge(history.turns - 1 - turn) };
    waiting = [];
  }
}

/** The old messages by turn, without compactions and packets, which belong to no turn. */
function oldTurns(history: History, keep: number): ReadonlyMap<number, readonly HistoryItem[]> {
  const old = new Map<number, HistoryItem[]>();
  for (const item of history.items) {
    if (ageOf(history, item) < keep || item.kind === 'packet' || item.kind === 'compaction-summary') continue;
    addTo(old, item.turn, item);
  }
  return old;
}

/** By a turn with calls, the last turn that holds a result of one. */
function linksBetween({ items, uses }: History): ReadonlyMap<number, number> {
  const links = new Map<number, number>();
  for (const { callAt, resultAt } of uses) {
    const [from, to] = [items[callAt]?.turn, items[resultAt]?.turn];
    if (from === undefined || to === undefined || from >= to) continue;
    links.set(from, Math.max(links.get(from) ?? to, to));
  }
  return links;
}

const ofDecay = z.strictObject({
  fullTurns: option(z.int().check(z.positive()), 3, 'Number of newest turns to keep unchanged'),
  foldTurns: option(z.int().check(z.nonnegative()), 6, 'Number of turns before those to fold; older turns are dropped'),
});

export const decay = defineStrategy<z.infer<typeof ofDecay>>({
  name: 'decay',
  summary: 'Keep the newest turns, fold the turns before them, drop older ones',
  help:
    'Divides the context into three zones. The newest `fullTurns` turns stay unchanged. In the `foldTurns` turns ' +
    'before them, each tool call and its result become one line, as with `fold`. Older turns are dropped, as with ' +
    '`turns`, and a packet made from the ledger replaces them.\n\n' +
    'An old turn that contains a protected message is folded instead of dropped, as far as the protection allows.',
  options: ofDecay,
  *propose(history, { fullTurns, foldTurns }, isTaken) {
    yield* droppedTurns(history, fullTurns + foldTurns);
    // Of two proposals for one message, the first valid one is applied.
    yield* proposeFolds(history, { afterTurns: fullTurns, overTokens: FOLD_OVER_TOKENS }, isTaken);
  },
});

export const summaries = defineStrategy({
  name: 'summaries',
  summary: 'Drop summaries whose facts are in the ledger',
  help:
    'The ledger contains the facts of compaction and branch summaries: goal, constraints, decisions, tasks and ' +
    'blockers. The packet made from the ledger replaces these summaries, so the model does not read the facts twice, ' +
    'and summaries do not accumulate.\n\n' +
    'A branch summary in the newest turn is kept. The entries remain in the session: `ctx log` lists them.',
  propose: droppedSummaries,
});

function* droppedSummaries(history: History): Generator<Proposal> {
  for (const item of history.items) {
    const what = SUMMARIES[item.kind];
    if (what === undefined || ageOf(history, item) === 0) continue;
    yield { changes: [{ at: item.at, message: null }], reason: `${what}; its facts are in the ledger` };
  }
}

const SUMMARIES: Readonly<Record<string, string>> = {
  'compaction-summary': 'summary of a compaction',
  'branch-summary': 'summary of a branch',
};
