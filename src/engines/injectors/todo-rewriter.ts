import { cut } from '#analysis/facts/text.js';
import { roomIn } from './canonical-tools.js';
import { defineInjector } from './define.js';
import { stepsIn } from './plan-status.js';
import { progressText } from './variation.js';

export default defineInjector({
  name: 'todo-rewriter',
  summary: 'The goal, the progress and the next step, at the very end',
  help:
    'Models attend most to the end of the context and least to its middle. So the last lines of every request repeat the ' +
    'goal, the progress and the next open step. Nothing follows them.',
  phase: 'runtime',
  cache: 'dynamic',
  priority: Infinity,
  maxTokens: 200,
  isFixed: true,
  inject({ observed, style }, { maxTokens }) {
    const goal = observed.ledger.goal?.text ?? observed.firstAsked.trim();
    if (goal === '') return null;
    const steps = stepsIn(observed);
    const done = steps.filter(({ isDone }) => isDone).length;
    const next = steps.find(({ isDone }) => !isDone);
    const rest = [
      ...(steps.length === 0 ? [] : [`${style.label} ${progressText(done, steps.length, style)}`]),
      ...(next === undefined ? [] : [`Next: ${cut(next.text, LONGEST_STEP)}`]),
    ];
    // What comes next matters more than every word of the goal.
    const room = roomIn(maxTokens) - [GOAL, ...rest].join('\n').length;
    const text = cut(goal.replaceAll(/\s+/g, ' '), Math.max(SHORTEST_GOAL, Math.min(LONGEST_GOAL, room)));
    const lines = [`${GOAL}${text}`, ...rest];
    return { kind: 'text', heading: null, text: lines.join('\n') };
  },
});

const GOAL = 'Current Goal: ';
/** In UTF-16 code units. */
const LONGEST_GOAL = 360;
const SHORTEST_GOAL = 20;
const LONGEST_STEP = 240;
