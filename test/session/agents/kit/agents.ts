import type { TestedAgent } from './define.js';
import { atif } from './writers/atif.js';
import { claudeCode } from './writers/claude-code.js';
import { cline } from './writers/cline.js';
import { codex } from './writers/codex.js';
import { copilotCli } from './writers/copilot-cli.js';
import { cursor } from './writers/cursor.js';
import { droid } from './writers/droid.js';
import { geminiCli } from './writers/gemini-cli.js';
import { kimiCode } from './writers/kimi-code.js';
import { ohMyPi } from './writers/oh-my-pi.js';
import { openclaw } from './writers/openclaw.js';
import { opencode } from './writers/opencode.js';
import { qwenCode } from './writers/qwen-code.js';
import { vscodeChat } from './writers/vscode-chat.js';

/** The agents that the kit tests: all that are in `AGENTS`. */
export const TESTED_AGENTS: readonly TestedAgent[] = [
  claudeCode,
  codex,
  geminiCli,
  opencode,
  qwenCode,
  copilotCli,
  kimiCode,
  droid,
  cline,
  vscodeChat,
  cursor,
  atif,
  ohMyPi,
  openclaw,
];
