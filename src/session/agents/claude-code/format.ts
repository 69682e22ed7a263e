import type { JsonObject } from '#base/json.js';
import type { AgentFormat } from '../define.js';
import { read } from './read.js';

/** Claude Code: one JSON record a line, a tree by `uuid` and `parentUuid`. */
export const claudeCode: AgentFormat = {
  name: 'claude-code',
  title: 'Claude Code',
  detect: (first) => first.some(isRecord),
  folders: (env, home) => [`${env['CLAUDE_CONFIG_DIR'] || `${home}/.claude`}/projects`],
  isSession: (file) => file.endsWith('.jsonl'),
  read,
};

/** Types of records without a place in the tree that may come first. */
const FIRST_TYPES: ReadonlySet<unknown> = new Set([
  'file-history-snapshot',
  'queue-operation',
  'last-prompt',
  'custom-title',
  'ai-title',
  'agent-name',
  'permission-mode',
  'mode',
]);

function isRecord(line: JsonObject): boolean {
  if ('parentUuid' in line && typeof line['uuid'] === 'string') return true;
  if (line['type'] === 'summary' && typeof line['leafUuid'] === 'string') return true;
  return FIRST_TYPES.has(line['type']) && !('id' in line) && !('payload' in line);
}
