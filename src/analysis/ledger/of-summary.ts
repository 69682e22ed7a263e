import { linesOfSummary, type SummarySection, unchecked } from '../facts/summary-lines.js';
import { cut } from '../facts/text.js';
import { type Fact, fact, keyOf, LONGEST_GOAL } from './fact.js';

/**
 * What a summary says, each line a fact of its own, but for the goal, which is one. The summary of a branch that was
 * left has its own goal, so that is not the goal here.
 */
export function factsOfSummary(kind: 'compaction' | 'branch', summary: string): readonly Fact[] {
  const lines = linesOfSummary(summary)
    .map(({ section, text }) => ({ section, text: unchecked(text), isTicked: /^\[[xX]\]\s/.test(text) }))
    .filter(({ text }) => keyOf(text) !== '' && !text.endsWith(':'));
  const goals = lines.flatMap(({ section, text }) => (section === 'goal' ? [text.replace(/[.;]$/, '')] : []));
  const goal = goals.length === 0 || kind === 'branch' ? [] : [fact('goal', cut(goals.join('; '), LONGEST_GOAL))];
  return [
    ...goal,
    ...lines.flatMap(({ section, text, isTicked }) => {
      const slot = SLOT_OF[section];
      if (slot === null) return [];
      const isDone = slot === 'task' && (section === 'done' || isTicked);
      return [fact(slot, text, isDone ? 'done' : 'open')];
    }),
  ];
}

const SLOT_OF: Readonly<Record<SummarySection, Fact['slot'] | null>> = {
  goal: null,
  constraints: 'constraint',
  done: 'task',
  inProgress: 'task',
  next: 'task',
  blocked: 'blocker',
  decisions: 'decision',
  critical: null,
};
