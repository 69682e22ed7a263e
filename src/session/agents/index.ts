import { claudeCode } from './claude-code/format.js';
import { codex } from './codex/format.js';
import type { AgentFormat } from './define.js';
import { geminiCli } from './gemini-cli/format.js';
import { opencode } from './opencode/format.js';
import { qwenCode } from './qwen-code.js';

/** The agents whose sessions ctx reads beside Pi's. The first that accepts a file reads it. */
export const AGENTS: readonly AgentFormat[] = [qwenCode, claudeCode, codex, geminiCli, opencode];
