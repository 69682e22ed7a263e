import type { ListedFact } from '#analysis/facts/document.js';
import { readStatedFacts } from '#analysis/facts/fact-reader.js';
import type { StatedFact } from '#analysis/facts/fact.js';
import { collectFacts, type ConversationFacts } from '#analysis/facts/facts.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../src/session/read-session.js';
import type { Log } from '../fixtures/log.js';
import { sourceOf } from './entries.js';

export function sessionIn(text: string): Session {
  return readSession(sourceOf(text), 'session.jsonl');
}

/** What is said along the path to the leaf. */
export function statedFactsOf({ tree, ...session }: Session): readonly StatedFact[] {
  return tree.leaf ? [...readStatedFacts({ tree, ...session }, pathTo(tree, tree.leaf))] : [];
}

export function factsOfLog(log: Log): ConversationFacts {
  return collectFacts(statedFactsOf(sessionIn(log.text())));
}

type Texts = Readonly<Record<keyof ConversationFacts, readonly string[]>>;

/** The texts of facts, with their outcome behind an arrow. */
export function textsIn({ goal, ...listings }: ConversationFacts): Texts {
  const textOf = ({ text, outcome }: ListedFact): string => (outcome === null ? text : `${text} → ${outcome}`);
  const { constraints, decisions, tasks, blockers, done } = listings;
  return {
    goal: goal ? [textOf(goal)] : [],
    constraints: constraints.facts.map(textOf),
    decisions: decisions.facts.map(textOf),
    tasks: tasks.facts.map(textOf),
    blockers: blockers.facts.map(textOf),
    done: done.facts.map(textOf),
  };
}
