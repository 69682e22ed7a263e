import { defineInjector } from './define.js';

export default defineInjector({
  name: 'system-role',
  summary: 'The system prompt of the session: persona, rules, environment',
  help:
    'The parts keep their names and their order. If they exceed the budget, short parts stay whole, and ' +
    'the longest parts are truncated to the same length.',
  phase: 'system',
  cache: 'stable',
  priority: 10,
  maxTokens: 2000,
  isFixed: true,
  inject: ({ parts }) => (parts.length === 0 ? null : { kind: 'parts', parts }),
});
