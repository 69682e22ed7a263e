import { canonicalTools } from './canonical-tools.js';
import { defineInjector } from './define.js';

export default defineInjector({
  name: 'tool-definitions',
  summary: 'The tools that the model can call, always written in the same way',
  help:
    'Tools stand in the order of their names and their fields in the order of theirs, so that the same tools are the ' +
    'same bytes in every request. Where they are longer than the budget, long descriptions are cut to one length; where ' +
    'that is not enough, the last tools are left out.',
  phase: 'system',
  cache: 'stable',
  priority: 20,
  maxTokens: 3000,
  isFixed: true,
  inject: ({ tools }) => (tools.length === 0 ? null : { kind: 'tools', tools: canonicalTools(tools) }),
});
