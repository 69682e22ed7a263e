import { listClaudeEvents } from './claude-code/running-events.js';
import { listCodexEvents } from './codex/running-events.js';
import type { RunningReader } from './running-events.js';

/** The reader for a file that begins with these characters; null for an agent that has none. */
export function findRunningReader(beginning: string): RunningReader | null {
  if (beginning.includes('"session_meta"')) return CODEX;
  return CLAUDE_BEGINNING.test(beginning) ? CLAUDE : null;
}

/** A record of a conversation, or one that Claude Code writes before the first. */
const CLAUDE_BEGINNING =
  /"(?:parentUuid|leafUuid)"|"type":\s?"(?:file-history-snapshot|queue-operation|last-prompt|custom-title|ai-title|agent-name|permission-mode|mode)"/;

const CLAUDE: RunningReader = {
  // A quotation mark within a text is escaped, so a text never has these words.
  mayMatter: (line) =>
    line.includes('"assistant"') ||
    (line.includes('"user"') && !line.includes('"tool_result"')) ||
    line.includes('"compact_boundary"') ||
    line.includes('"cost-state"'),
  listEvents: listClaudeEvents,
};

const CODEX: RunningReader = {
  mayMatter: (line) => !line.includes('_call_output"') && !line.includes('"reasoning"'),
  listEvents: listCodexEvents,
};
