import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { FactReader, readStatedFacts } from './fact-reader.js';
import { compareStatedFacts, type FactKind, type FactState, SOURCE_KINDS, type StatedFact } from './fact.js';
import type { ReadPosition } from './statements.js';

const fact = z.object({
  /** One line; at most 400 characters. */
  text: z.string(),
  /** The outcome in the answer; null if it reports none. */
  outcome: z.nullable(z.string()),
  time: z.nullable(z.string()),
  /** The newest entry that states it. */
  source: z.object({ entryId: z.nullable(z.string()), line: z.int(), kind: z.enum(SOURCE_KINDS) }),
});

/** The newest facts, oldest first, and the number of older ones that are omitted. */
const factList = z.object({ facts: z.array(fact), more: z.int() });

/** An event after which the next request needs a packet: a compaction, or a move in the tree. */
const resumeCause = z.object({ by: z.enum(['compaction', 'move']), entryId: z.nullable(z.string()), line: z.int() });

/** The goal, constraints, decisions and tasks of a conversation. */
export const factsDocument = jsonDocument('ctx/ledger', {
  session: z.object({ id: z.string(), file: z.string() }),
  at: z.object({ entryId: z.nullable(z.string()), line: z.nullable(z.int()) }),
  goal: z.nullable(fact),
  constraints: factList,
  decisions: factList,
  /** Open tasks. */
  tasks: factList,
  /** Failures without a later success. */
  blockers: factList,
  /** Tasks that were done or answered. */
  done: factList,
  /** The reason why the next request needs a packet; null: it needs none. */
  resume: z.nullable(resumeCause),
  /** The ledger as text for a model; its tokens are estimated. */
  packet: z.object({ text: z.string(), tokens: z.int() }),
});

export type LedgerDocument = z.infer<typeof factsDocument>;
export type ResumeCause = z.infer<typeof resumeCause>;
export type ListedFact = z.infer<typeof fact>;
export type FactList = z.infer<typeof factList>;

/** The goal, constraints, decisions and tasks of a conversation, as of its end. */
export type ConversationFacts = Pick<
  LedgerDocument,
  'goal' | 'constraints' | 'decisions' | 'tasks' | 'blockers' | 'done'
>;

type Most = Readonly<Record<Exclude<keyof ConversationFacts, 'goal'>, number>>;

/** The maximum number of facts in each kind of a listing. */
export const MOST_FACTS: Most = {
  constraints: 12,
  decisions: 10,
  tasks: 12,
  blockers: 5,
  done: 8,
};

/** For a ledger with every fact, as a packet needs it: its size limits the packet. */
export const ALL_FACTS: Most = {
  constraints: Infinity,
  decisions: Infinity,
  tasks: Infinity,
  blockers: Infinity,
  done: Infinity,
};

/** Builds the ledger of candidates in any order: see `FactCollection`. */
export function collectFacts(candidates: Iterable<StatedFact>, most: Most = MOST_FACTS): ConversationFacts {
  const facts = new FactCollection();
  for (const candidate of candidates) facts.add(candidate);
  return facts.ledger(most);
}

/**
 * The facts of a conversation that goes on: of equal facts the newest counts, so a later "done" overrides an older
 * "to do", but not a newer one. The order of the candidates does not matter.
 */
export class FactCollection {
  private readonly newest = new Map<string, StatedFact>();
  /** The newest ledger, until a fact changes. */
  private known: { readonly most: Most; readonly ledger: ConversationFacts } | null = null;

  add(candidate: StatedFact): void {
    const key = `${candidate.kind} ${candidate.key}`;
    const known = this.newest.get(key);
    if (known && compareStatedFacts(candidate, known) <= 0) return;
    this.newest.set(key, candidate);
    this.known = null;
  }

  ledger(most: Most = MOST_FACTS): ConversationFacts {
    if (this.known?.most !== most) this.known = { most, ledger: this.read(most) };
    return this.known.ledger;
  }

  private read(most: Most): ConversationFacts {
    const all = [...this.newest.values()].toSorted(compareStatedFacts);
    const listing = (name: keyof Most, kind: FactKind, state: FactState = 'open'): FactList => {
      const own = all.filter((candidate) => candidate.kind === kind && candidate.state === state);
      return { facts: own.slice(-most[name]).map(factOf), more: Math.max(0, own.length - most[name]) };
    };
    const goal = all.findLast(({ kind }) => kind === 'goal');
    return {
      goal: goal ? factOf(goal) : null,
      constraints: listing('constraints', 'constraint'),
      decisions: listing('decisions', 'decision'),
      tasks: listing('tasks', 'task'),
      blockers: listing('blockers', 'blocker'),
      done: listing('done', 'task', 'done'),
    };
  }
}

/** The facts along a path that grows. Each entry is read once, unless an edit changes statements before it. */
export class GrowingFacts {
  private facts = new FactCollection();
  private listener = new FactReader();
  private soFar: ReadPosition = { read: 0, time: 0 };

  constructor(private readonly session: Session) {}

  along(path: readonly Head[]): FactCollection {
    const fresh = path.slice(this.soFar.read);
    if (fresh.some(({ type }) => type === 'context_edit')) this.startOver();
    for (const candidate of readStatedFacts(this.session, path, this.listener, this.soFar)) this.facts.add(candidate);
    const time = fresh.findLast((head) => Number.isFinite(head.time))?.time ?? this.soFar.time;
    this.soFar = { read: path.length, time };
    return this.facts;
  }

  private startOver(): void {
    [this.facts, this.listener, this.soFar] = [new FactCollection(), new FactReader(), { read: 0, time: 0 }];
  }
}

/** Entries without a time, and without an earlier entry that has one, have the time 0. */
function factOf({ text, outcome, time, source: { entryId, line, kind } }: StatedFact): ListedFact {
  const isoTime = time === 0 ? null : new Date(time).toISOString();
  return { text, outcome, time: isoTime, source: { entryId, line, kind } };
}
