import { canonicalTools } from './canonical-tools.js';
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

export const toolDefinitions = defineInjector({
  name: 'tool-definitions',
  summary: 'The tool definitions, in a canonical form',
  help:
    'Tools and their fields are sorted by name, so that equal tools have equal ' +
    'bytes in every request. If they exceed the budget, long descriptions are truncated to the same length; if ' +
    'that is not enough, the last tools are dropped.',
  phase: 'system',
  cache: 'stable',
  priority: 20,
  maxTokens: 3000,
  isFixed: true,
  inject: ({ tools }) => (tools.length === 0 ? null : { kind: 'tools', tools: canonicalTools(tools) }),
});
