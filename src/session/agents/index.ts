import { claudeCode } from './claude-code/format.js';
import type { AgentFormat } from './define.js';

/** The agents whose sessions ctx reads beside Pi's. */
export const AGENTS: readonly AgentFormat[] = [claudeCode];
