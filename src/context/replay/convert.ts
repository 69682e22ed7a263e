import { asString, asText, isObject, type JsonObject, objectsIn } from '#base/json.js';
import type { LlmMessage } from './content.js';

/** A message of the agent: an LLM message, or a role that is converted to one when it is sent. */
export type AgentMessage = JsonObject;

const COMPACTION_SUMMARY_INTRODUCTION =
  'The conversation history before this point was compacted into the following summary:\n\n<summary>\n';
const SUMMARY_END = '\n</summary>';
/** The beginning of a summary of Claude Code, as it is recorded and sent. */
const CLAUDE_CODE_INTRODUCTION = 'This session is being continued from a previous conversation';
const BRANCH_SUMMARY_INTRODUCTION =
  'The following is a summary of a branch that this conversation came back from:\n\n<summary>\n';

/**
 * The message that a provider receives, null for one that is not sent: hidden shell commands, system
 * messages (the envelope carries them as parts) and roles that Pi does not know. Pi's `convertToLlm`, to the letter.
 */
export function toLlm(message: AgentMessage): LlmMessage | null {
  switch (message['role']) {
    case 'user':
    case 'assistant':
    case 'toolResult':
      return message as LlmMessage;
    case 'bashExecution':
      return message['excludeFromContext'] ? null : userText(shellText(message), message['timestamp']);
    case 'custom':
      return typeof message['content'] === 'string'
        ? userText(message['content'], message['timestamp'])
        : { role: 'user', content: message['content'], timestamp: message['timestamp'] };
    case 'branchSummary':
      return userText(`${BRANCH_SUMMARY_INTRODUCTION}${asText(message['summary'])}</summary>`, message['timestamp']);
    case 'compactionSummary':
      return message['sentVerbatim'] === true
        ? userText(asText(message['summary']), message['timestamp'])
        : compactionSummary(message['summary'], message['timestamp']);
    default:
      return null;
  }
}

/** The summary message of a compaction, wrapped as Pi wraps it. */
export function compactionSummary(summary: unknown, timestamp: unknown): LlmMessage {
  return userText(`${COMPACTION_SUMMARY_INTRODUCTION}${asText(summary)}${SUMMARY_END}`, timestamp);
}

/** The summary in such a message; null for any other message. */
export function summaryIn({ role, content }: LlmMessage): string | null {
  const [block]: unknown[] = Array.isArray(content) && content.length === 1 ? content : [];
  const text = role === 'user' && isObject(block) ? asString(block['text']) : null;
  if (text?.startsWith(CLAUDE_CODE_INTRODUCTION)) return text;
  if (!text?.startsWith(COMPACTION_SUMMARY_INTRODUCTION) || !text.endsWith(SUMMARY_END)) return null;
  return text.slice(COMPACTION_SUMMARY_INTRODUCTION.length, -SUMMARY_END.length);
}

/** The messages that an `ephemeral` entry logged for one request, as they were sent. */
export function loggedIn(entry: JsonObject): readonly LlmMessage[] {
  return objectsIn(entry['messages']).flatMap((message) => toLlm(message) ?? []);
}

/** Whether {@link toLlm} knows the role; of the others, only `system` reaches the model, in another form. */
export function isKnownRole(role: unknown): boolean {
  return KNOWN_ROLES.has(asString(role) ?? '');
}

const KNOWN_ROLES: ReadonlySet<string> = new Set([
  'system',
  'user',
  'assistant',
  'toolResult',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

function userText(text: string, timestamp: unknown): LlmMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp };
}

/** The text of a command that the user ran, for the model. A fence inside the output is not escaped, as in Pi. */
function shellText(message: AgentMessage): string {
  const { command, output, cancelled, exitCode, truncated, fullOutputPath } = message;
  let text = `Ran \`${asText(command)}\`\n`;
  text += output ? `\`\`\`\n${asText(output)}\n\`\`\`` : '(no output)';
  if (cancelled) text += '\n\n(command cancelled)';
  else if (exitCode !== null && exitCode !== undefined && exitCode !== 0)
    text += `\n\nCommand exited with code ${asText(exitCode)}`;
  if (truncated && fullOutputPath) text += `\n\n[Output truncated. Full output: ${asText(fullOutputPath)}]`;
  return text;
}
