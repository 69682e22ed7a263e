import type { Injector } from './define.js';
import errorRetention from './error-retention.js';
import knowledge from './knowledge.js';
import memory from './memory.js';
import planStatus from './plan-status.js';
import playbook from './playbook.js';
import skills from './skills.js';
import systemRole from './system-role.js';
import todoRewriter from './todo-rewriter.js';
import toolDefinitions from './tool-definitions.js';

/** All injectors that are built in, in the order in which their content stands in a request. */
export const injectors: readonly Injector[] = [
  systemRole,
  toolDefinitions,
  skills,
  memory,
  knowledge,
  playbook,
  planStatus,
  errorRetention,
  todoRewriter,
];
