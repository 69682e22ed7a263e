import * as z from 'zod/mini';
import { addTo } from '#base/maps.js';
import { option } from '#base/schema.js';
import { defineStrategy, type Proposal } from '../define.js';
import { ageOf, type History, type HistoryItem, SUBSTITUTE_KINDS } from '../history.js';
import { describeAge } from '../message-notes.js';

const turnsOptions = z.strictObject({
  keep: option(z.int().check(z.positive()), 6, 'Number of turns to keep, including the newest'),
});

export const turns = defineStrategy<z.infer<typeof turnsOptions>>({
  name: 'turns',
  summary: 'Keep the newest turns and drop older ones',
  help:
    'A turn is a message of the user with all answers, calls and results that follow it. The newest `keep` turns are ' +
    'kept. An older turn is dropped as a whole, so no result loses its call, and turns that share a call and its ' +
    'result are dropped together. Answers before the first turn, whose question a compaction has removed, count as ' +
    'the oldest turn.\n\n' +
    'A packet made from their facts replaces the dropped turns. A turn with a protected message is kept whole. ' +
    'Packets and the summaries of compactions and branches stay: see `summaries`.',
  options: turnsOptions,
  propose: (history, { keep }) => proposeTurnDrops(history, keep),
});

/** Drops each turn that is not among the newest `keep`, oldest first. */
export function* proposeTurnDrops(history: History, keep: number): Generator<Proposal> {
  const old = groupOldTurns(history, keep);
  const lastLinked = findLinkedTurns(history);
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

/** The old messages by turn, without summaries and packets, which belong to no turn. */
function groupOldTurns(history: History, keep: number): ReadonlyMap<number, readonly HistoryItem[]> {
  const old = new Map<number, HistoryItem[]>();
  for (const item of history.items) {
    if (ageOf(history, item) < keep || SUBSTITUTE_KINDS.has(item.kind)) continue;
    addTo(old, item.turn, item);
  }
  return old;
}

/** Finds, for each turn with calls, the last turn that holds a result of one. */
function findLinkedTurns({ items, uses }: History): ReadonlyMap<number, number> {
  const links = new Map<number, number>();
  for (const { callAt, resultAt } of uses) {
    const from = items[callAt]?.turn;
    const to = items[resultAt]?.turn;
    if (from === undefined || to === undefined || from >= to) continue;
    links.set(from, Math.max(links.get(from) ?? to, to));
  }
  return links;
}
