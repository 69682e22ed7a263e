import * as z from 'zod/mini';
import { defineStrategy, type Proposal } from '../define.js';
import { ageOf, type History, type Item } from '../history.js';
import { turnsOld } from '../notes.js';

const options = z.strictObject({
  keep: z
    ._default(z.int().check(z.positive()), 6)
    .register(z.globalRegistry, { description: 'How many turns stay, the newest one included' }),
});

export default defineStrategy<z.infer<typeof options>>({
  name: 'turns',
  summary: 'Keep the newest turns, and leave out older ones whole',
  help:
    'A turn is a message of the user with all the answers, calls and results that follow it. The newest `keep` turns ' +
    'stay. An older one goes as a whole, so no result is ever left without its call; turns that share a call and its ' +
    'result go together. Answers above the first turn, whose question a compaction has removed, count as one more ' +
    'turn, the oldest.\n\n' +
    'A packet made from the ledger says in short what was left out. A turn that holds something protected stays whole. ' +
    'Compaction and packet messages belong to no turn: see `summaries`.',
  options,
  propose: (history, { keep }) => droppedTurns(history, keep),
});

/** Drops each turn that is not among the newest `keep`, oldest first. */
export function* droppedTurns(history: History, keep: number): Generator<Proposal> {
  const old = oldTurns(history, keep);
  const lastLinked = linksBetween(history);
  let waiting: (readonly Item[])[] = [];
  let upTo = -1;
  for (const [turn, items] of old) {
    waiting.push(items);
    const linked = lastLinked.get(turn) ?? turn;
    if (linked < history.turns - keep) upTo = Math.max(upTo, linked);
    if (turn < upTo) continue;
    const changes = waiting.flat().map(({ at }) => ({ at, message: null }));
    yield { changes, reason: turnsOld(history.turns - 1 - turn) };
    waiting = [];
  }
}

/** By turn. What stands for other messages belongs to none and is left alone. */
function oldTurns(history: History, keep: number): ReadonlyMap<number, readonly Item[]> {
  const old = new Map<number, Item[]>();
  for (const item of history.items) {
    if (ageOf(history, item) < keep || item.kind === 'packet' || item.kind === 'compaction-summary') continue;
    const known = old.get(item.turn);
    if (known) known.push(item);
    else old.set(item.turn, [item]);
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
