import { cut } from './text.js';
import { commandOf, fileOf, type ToolUse } from './tool-uses.js';

type Call = Pick<ToolUse, 'name' | 'args'>;

/** What a call tries, in a few words: its command, or its tool and file. */
export function attemptOf(call: Call): string {
  const command = commandOf(call);
  if (command !== null) return `\`${cut(command, LONGEST_COMMAND)}\``;
  const file = fileOf(call);
  return file ? `${call.name} ${file.path}` : call.name;
}

/** A command as it is named in a line. */
export const LONGEST_COMMAND = 160;

/** Whether a command tests, builds or publishes something, so that how it ended matters afterwards too. */
export function isWorthSaying(command: string): boolean {
  return WORTH_SAYING.test(command);
}

const WORTH_SAYING =
  /\b(?:test|check|lint|build|tsc|make|compile|install|add|commit|push|merge|rebase|tag|publish|deploy|release|migrate|pytest|vitest|jest|cargo|mvn|gradle)\b/;
