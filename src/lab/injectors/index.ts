import { defineBuiltinInjector, type Injector } from './define.js';
import { knowledge, playbook } from './knowledge.js';
import { memory } from './memory.js';
import { errorRetention, planStatus, todoRewriter } from './progress.js';
import { skillTexts } from './skills.js';
import { sortTools } from './tools.js';

const systemRole = defineBuiltinInjector({
  name: 'system-role',
  summary: 'The system prompt of the session: persona, rules, environment',
  phase: 'system',
  cache: 'stable',
  priority: 10,
  maxTokens: 2000,
  isFixed: true,
  inject: ({ parts }) => (parts.length === 0 ? null : { kind: 'parts', parts }),
});

const toolDefinitions = defineBuiltinInjector({
  name: 'tool-definitions',
  summary: 'The tool definitions, in a canonical form',
  phase: 'system',
  cache: 'stable',
  priority: 20,
  maxTokens: 3000,
  isFixed: true,
  inject: ({ tools }) => (tools.length === 0 ? null : { kind: 'tools', tools: sortTools(tools) }),
});

/** All built-in injectors, in the order of their content in a request. */
export const injectors: readonly Injector[] = [
  systemRole,
  toolDefinitions,
  skillTexts,
  memory,
  knowledge,
  playbook,
  planStatus,
  errorRetention,
  todoRewriter,
];
