import { type Candidate, compareCandidates, type FactSlot, type FactState } from './candidate.js';
import type { LedgerDocument, LedgerFact, LedgerListing } from './document.js';

/** The goal, constraints, decisions and tasks of a conversation, as of its end. */
export type Ledger = Pick<LedgerDocument, 'goal' | 'constraints' | 'decisions' | 'tasks' | 'blockers' | 'done'>;

/** The maximum number of facts in each slot. */
export const MOST: Readonly<Record<Exclude<keyof Ledger, 'goal'>, number>> = {
  constraints: 12,
  decisions: 10,
  tasks: 12,
  blockers: 5,
  done: 8,
};

/**
 * Builds the ledger: of equal facts the newest counts, so a later "done" overrides an older
 * "to do", but not a newer one. The order of the candidates does not matter.
 */
export function ledgerOf(candidates: Iterable<Candidate>): Ledger {
  const newest = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const key = `${candidate.slot} ${candidate.key}`;
    const known = newest.get(key);
    if (!known || compareCandidates(candidate, known) > 0) newest.set(key, candidate);
  }
  const all = [...newest.values()].toSorted(compareCandidates);
  const listing = (name: keyof typeof MOST, slot: FactSlot, state: FactState = 'open'): LedgerListing => {
    const own = all.filter((candidate) => candidate.slot === slot && candidate.state === state);
    return { facts: own.slice(-MOST[name]).map(factOf), more: Math.max(0, own.length - MOST[name]) };
  };
  const goal = all.findLast(({ slot }) => slot === 'goal');
  return {
    goal: goal ? factOf(goal) : null,
    constraints: listing('constraints', 'constraint'),
    decisions: listing('decisions', 'decision'),
    tasks: listing('tasks', 'task'),
    blockers: listing('blockers', 'blocker'),
    done: listing('done', 'task', 'done'),
  };
}

/** Entries without a time, and without an earlier entry that has one, have the time 0. */
function factOf({ text, outcome, time, source: { entryId, line, kind } }: Candidate): LedgerFact {
  const isoTime = time === 0 ? null : new Date(time).toISOString();
  return { text, outcome, time: isoTime, source: { entryId, line, kind } };
}
