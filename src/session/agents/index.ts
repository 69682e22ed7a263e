import { claudeCode } from './claude-code/format.js';
import { codex } from './codex/format.js';
import type { AgentFormat } from './define.js';
import { geminiCli } from './gemini-cli/format.js';
import { opencode } from './opencode/format.js';

/** The agents whose sessions ctx reads beside Pi's. */
export const AGENTS: readonly AgentFormat[] = [claudeCode, codex, geminiCli, opencode];
