import { formatTime } from '#base/time.js';
import type { FactList, FactsDocument, ListedFact } from './document.js';
import { compareStatedFacts, type FactKind, type FactState, type StatedFact } from './fact.js';

/** The goal, constraints, decisions and tasks at the end of a conversation. */
export type ConversationFacts = Pick<
  FactsDocument,
  'goal' | 'constraints' | 'decisions' | 'tasks' | 'blockers' | 'done'
>;

type FactLimits = Readonly<Record<Exclude<keyof ConversationFacts, 'goal'>, number>>;

/** The maximum number of facts in each list of `ctx facts`. */
export const MOST_FACTS: FactLimits = {
  constraints: 12,
  decisions: 10,
  tasks: 12,
  blockers: 5,
  done: 8,
};

/** The limits that keep every fact, as a packet needs them. The packet itself has a limit of size. */
export const ALL_FACTS: FactLimits = {
  constraints: Infinity,
  decisions: Infinity,
  tasks: Infinity,
  blockers: Infinity,
  done: Infinity,
};

/** Collects facts in any order: see `FactCollection`. */
export function collectFacts(facts: Iterable<StatedFact>, most: FactLimits = MOST_FACTS): ConversationFacts {
  const collection = new FactCollection();
  for (const fact of facts) collection.add(fact);
  return collection.list(most);
}

/**
 * The facts of a conversation that goes on: of equal facts the newest counts, so a later "done" overrides an older
 * "to do", but not a newer one. The order in which they are added does not matter.
 */
export class FactCollection {
  private readonly newest = new Map<string, StatedFact>();
  /** The newest lists, until a fact changes. */
  private listed: { readonly most: FactLimits; readonly facts: ConversationFacts } | null = null;

  add(fact: StatedFact): void {
    const key = `${fact.kind} ${fact.key}`;
    const newest = this.newest.get(key);
    if (newest && compareStatedFacts(fact, newest) <= 0) return;
    this.newest.set(key, fact);
    this.listed = null;
  }

  list(most: FactLimits = MOST_FACTS): ConversationFacts {
    if (this.listed?.most !== most) this.listed = { most, facts: this.build(most) };
    return this.listed.facts;
  }

  private build(most: FactLimits): ConversationFacts {
    const all = [...this.newest.values()].toSorted(compareStatedFacts);
    const select = (name: keyof FactLimits, kind: FactKind, state: FactState = 'open'): FactList => {
      const own = all.filter((fact) => fact.kind === kind && fact.state === state);
      return { facts: own.slice(-most[name]).map(toListedFact), more: Math.max(0, own.length - most[name]) };
    };
    const goal = all.findLast(({ kind }) => kind === 'goal');
    return {
      goal: goal ? toListedFact(goal) : null,
      constraints: select('constraints', 'constraint'),
      decisions: select('decisions', 'decision'),
      tasks: select('tasks', 'task'),
      blockers: select('blockers', 'blocker'),
      done: select('done', 'task', 'done'),
    };
  }
}

/** Entries without a time, and without an earlier entry that has one, have the time 0. */
function toListedFact({ text, outcome, time, source: { entryId, line, kind } }: StatedFact): ListedFact {
  return { text, outcome, time: formatTime(time === 0 ? null : time), source: { entryId, line, kind } };
}
