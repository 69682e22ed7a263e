import { cut } from '#analysis/facts/text.js';
import type { Todo } from '#analysis/facts/todos.js';
import { defineInjector } from './define.js';
import type { Observed } from './observed.js';
import { listed, type ListStyle } from './variation.js';

export default defineInjector({
  name: 'plan-status',
  summary: 'The plan: its steps, done and open',
  help:
    'The last task list that the assistant wrote or passed to a tool. If there is none, the requests of the user. ' +
    'Open steps come first.',
  phase: 'runtime',
  cache: 'dynamic',
  priority: 10,
  maxTokens: 300,
  inject({ observed, style }) {
    const steps = stepsIn(observed);
    if (steps.length === 0) return null;
    return { kind: 'text', heading: 'Plan', text: planText(steps, style) };
  },
});

const LONGEST_STEP = 160;

function planText(steps: readonly Todo[], style: ListStyle): string {
  const ordered = [...steps.filter(({ isDone }) => !isDone), ...steps.filter(({ isDone }) => isDone).toReversed()];
  return listed(
    ordered.map(({ text, isDone }) => `[${isDone ? 'x' : ' '}] ${cut(text, LONGEST_STEP)}`),
    style,
  );
}

/** The steps of the plan, in its order. */
export function stepsIn({ todos, ledger }: Observed): readonly Todo[] {
  if (todos.length > 0) return todos;
  return [
    ...ledger.done.facts.map(({ text }) => ({ text, isDone: true })),
    ...ledger.tasks.facts.map(({ text }) => ({ text, isDone: false })),
  ];
}
