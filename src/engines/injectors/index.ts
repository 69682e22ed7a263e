import type { Injector } from './define.js';
import errorRetention from './error-retention.js';
import knowledge, { memory, playbook, skillTexts } from './knowledge.js';
import planStatus, { todoRewriter } from './plan-status.js';
import systemRole, { toolDefinitions } from './system-role.js';

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
