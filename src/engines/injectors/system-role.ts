import { defineInjector } from './define.js';

export default defineInjector({
  name: 'system-role',
  summary: 'The system prompt as the session has it: persona, rules, environment',
  help:
    'The parts keep their names and their order. Where they are longer than the budget, what is short stays whole, and ' +
    'the longest parts are cut to one length.',
  phase: 'system',
  cache: 'stable',
  priority: 10,
  maxTokens: 2000,
  isFixed: true,
  inject: ({ parts }) => (parts.length === 0 ? null : { kind: 'parts', parts }),
});
