import type { FactState, StatedFact } from '#analysis/facts/fact.js';
import { truncateText } from '#analysis/facts/text.js';
import type { Todo } from '#analysis/facts/todos.js';
import { defineBuiltinInjector } from './define.js';
import { formatList, formatProgress, type ListStyle } from './list-style.js';
import type { ObservedConversation } from './observer.js';
import { toTextLength } from './text-budget.js';

export const planStatus = defineBuiltinInjector({
  name: 'plan-status',
  summary: 'The plan: its steps, done and open',
  phase: 'runtime',
  cache: 'dynamic',
  priority: 10,
  maxTokens: 300,
  inject({ observed, style }) {
    const steps = listPlanSteps(observed);
    if (steps.length === 0) return null;
    return { kind: 'text', heading: 'Plan', text: formatPlan(steps, style) };
  },
});

const LONGEST_STEP = 160;

function formatPlan(steps: readonly Todo[], style: ListStyle): string {
  const ordered = [...steps.filter(({ isDone }) => !isDone), ...steps.filter(({ isDone }) => isDone).toReversed()];
  return formatList(
    ordered.map(({ text, isDone }) => `[${isDone ? 'x' : ' '}] ${truncateText(text, LONGEST_STEP)}`),
    style,
  );
}

/** The steps of the plan, in its order. */
function listPlanSteps({ todos, facts }: ObservedConversation): readonly Todo[] {
  if (todos.length > 0) return todos;
  return [
    ...facts.done.facts.map(({ text }) => ({ text, isDone: true })),
    ...facts.tasks.facts.map(({ text }) => ({ text, isDone: false })),
  ];
}

export const todoRewriter = defineBuiltinInjector({
  name: 'todo-rewriter',
  summary: 'The goal, the progress and the next step, at the very end',
  phase: 'runtime',
  cache: 'dynamic',
  priority: Infinity,
  maxTokens: 200,
  isFixed: true,
  inject({ observed, style }, { maxTokens }) {
    const goal = observed.facts.goal?.text ?? observed.firstAsked.trim();
    if (goal === '') return null;
    const steps = listPlanSteps(observed);
    const done = steps.filter(({ isDone }) => isDone).length;
    const next = steps.find(({ isDone }) => !isDone);
    const progress: string[] = [];
    if (steps.length > 0) progress.push(`${style.label} ${formatProgress(done, steps.length, style)}`);
    if (next) progress.push(`Next: ${truncateText(next.text, LONGEST_NEXT)}`);
    // The next steps matter more than every word of the goal.
    const room = toTextLength(maxTokens) - [GOAL, ...progress].join('\n').length;
    const text = truncateText(goal.replaceAll(/\s+/g, ' '), Math.max(SHORTEST_GOAL, Math.min(LONGEST_GOAL, room)));
    const lines = [`${GOAL}${text}`, ...progress];
    return { kind: 'text', heading: null, text: lines.join('\n') };
  },
});

const GOAL = 'Current Goal: ';
/** The most UTF-16 code units of a goal. */
const LONGEST_GOAL = 360;
const SHORTEST_GOAL = 20;
const LONGEST_NEXT = 240;

export const errorRetention = defineBuiltinInjector({
  name: 'error-retention',
  summary: 'Recent failures and their outcome',
  phase: 'runtime',
  cache: 'dynamic',
  priority: 20,
  maxTokens: 300,
  top: 5,
  inject({ observed: { statedFacts }, style }, { top }) {
    const failures = [...listFailures(statedFacts).values()].toReversed().slice(0, top);
    if (failures.length === 0) return null;
    const lines = failures.map(({ text, times, state }) => {
      const often = times > 1 ? ` (${times} times)` : '';
      return `${text}${often} → ${ENDS[state]}`;
    });
    return { kind: 'text', heading: 'Recent failures', text: formatList(lines, style) };
  },
});

const ENDS: Readonly<Record<FactState, string>> = {
  open: 'still failing',
  done: 'succeeded later',
  gone: 'not retried',
};

interface Failure {
  readonly text: string;
  readonly times: number;
  readonly state: FactState;
}

/** Lists failures by what was tried, with the newest failure last. */
function listFailures(statedFacts: readonly StatedFact[]): ReadonlyMap<string, Failure> {
  const failures = new Map<string, Failure>();
  for (const { kind, key, text, state, source } of statedFacts) {
    if (kind !== 'blocker') continue;
    const earlier = failures.get(key);
    if (state === 'open' && source.kind === 'toolResult') {
      failures.delete(key);
      failures.set(key, { text, times: (earlier?.times ?? 0) + 1, state });
    } else if (earlier) failures.set(key, { ...earlier, state });
  }
  return failures;
}
