import { type Candidate, compareCandidates } from './candidate.js';

/** Things of one kind, oldest first: the newest of them, and how many older ones are left out. */
export interface Listing {
  readonly facts: readonly Candidate[];
  readonly more: number;
}

/** The goal, constraints, decisions and tasks of a conversation, as of its end. */
export interface Ledger {
  readonly goal: Candidate | null;
  readonly constraints: Listing;
  readonly decisions: Listing;
  /** Tasks that are still to be done. */
  readonly tasks: Listing;
  /** Failures that no later success has cleared. */
  readonly blockers: Listing;
  /** Tasks that were done or answered. */
  readonly done: Listing;
}

/** How many of each a ledger lists at most. */
export const MOST: Readonly<Record<Exclude<keyof Ledger, 'goal'>, number>> = {
  constraints: 12,
  decisions: 10,
  tasks: 12,
  blockers: 5,
  done: 8,
};

/**
 * Puts together what was said: of all that is the same fact, the newest counts, so a later "done" wins over an older
 * "to do" and not over a newer one. The order in which candidates come does not matter.
 */
export function ledgerOf(candidates: Iterable<Candidate>): Ledger {
  const newest = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const key = `${candidate.slot} ${candidate.key}`;
    const known = newest.get(key);
    if (!known || compareCandidates(candidate, known) > 0) newest.set(key, candidate);
  }
  const all = [...newest.values()].toSorted(compareCandidates);
  const listing = (name: keyof typeof MOST, belongs: (candidate: Candidate) => boolean): Listing => {
    const own = all.filter(belongs);
    return { facts: own.slice(-MOST[name]), more: Math.max(0, own.length - MOST[name]) };
  };
  return {
    goal: all.findLast(({ slot }) => slot === 'goal') ?? null,
    constraints: listing('constraints', ({ slot, state }) => slot === 'constraint' && state === 'open'),
    decisions: listing('decisions', ({ slot, state }) => slot === 'decision' && state === 'open'),
    tasks: listing('tasks', ({ slot, state }) => slot === 'task' && state === 'open'),
    blockers: listing('blockers', ({ slot, state }) => slot === 'blocker' && state === 'open'),
    done: listing('done', ({ slot, state }) => slot === 'task' && state === 'done'),
  };
}
