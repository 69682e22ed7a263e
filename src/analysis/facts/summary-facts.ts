import { type Fact, type FactKind, LONGEST_GOAL, toFact, toFactKey } from './fact.js';
import { cutCheckbox, readSummaryLines, type SummarySection } from './summary-lines.js';
import { truncateText } from './text.js';

/**
 * The facts of a summary, one for each line, except the goal, which is one. The summary of an abandoned
 * branch has its own goal, which does not count.
 */
export function readSummaryFacts(kind: 'compaction' | 'branch', summary: string): readonly Fact[] {
  const lines = readSummaryLines(summary)
    .map(({ section, text }) => ({ section, text: cutCheckbox(text), isTicked: /^\[[xX]\]\s/.test(text) }))
    .filter(({ text }) => toFactKey(text) !== '' && !text.endsWith(':'));
  const goals = lines.filter(({ section }) => section === 'goal').map(({ text }) => text.replace(/[.;]$/, ''));
  const others = lines.flatMap(({ section, text, isTicked }) => {
    const own = KIND_OF_SECTION[section];
    if (own === null) return [];
    const isDone = own === 'task' && (section === 'done' || isTicked);
    return [toFact(own, text, isDone ? 'done' : 'open')];
  });
  if (goals.length === 0 || kind === 'branch') return others;
  return [toFact('goal', truncateText(goals.join('; '), LONGEST_GOAL)), ...others];
}

/** null: its lines are no facts, or one together. */
const KIND_OF_SECTION: Readonly<Record<SummarySection, FactKind | null>> = {
  goal: null,
  constraints: 'constraint',
  done: 'task',
  inProgress: 'task',
  next: 'task',
  blocked: 'blocker',
  decisions: 'decision',
  critical: null,
};
