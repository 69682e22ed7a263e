import { asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { BashExecutionMessage, Entry, StoredMessage } from '#session/entry.js';
import { isNeverSent } from '#session/heads/answer.js';
import type { LlmMessage } from './content.js';

/** Whether an answer failed or was aborted: Pi keeps it in the session, and omits it from every request. */
export function isFailedAnswer({ role, stopReason }: JsonObject): boolean {
  return role === 'assistant' && (stopReason === 'error' || stopReason === 'aborted');
}

/** The role with which a message is sent: Codex sends texts of its own as `developer`, which Pi does not have. */
export function readSentRole({ role, sentRole }: LlmMessage): string {
  return sentRole === DEVELOPER ? DEVELOPER : role;
}

const DEVELOPER = 'developer';

const COMPACTION_SUMMARY_INTRODUCTION =
  'The conversation history before this point was compacted into the following summary:\n\n<summary>\n';

const SUMMARY_END = '\n</summary>';

/** The beginning of a summary of Claude Code, as it is recorded and sent. */
const CLAUDE_CODE_INTRODUCTION = 'This session is being continued from a previous conversation';

const BRANCH_SUMMARY_INTRODUCTION =
  'The following is a summary of a branch that this conversation came back from:\n\n<summary>\n';

/**
 * The message that a provider receives, null for one that is not sent: hidden shell commands, system messages (the
 * envelope carries them as parts), answers that their program leaves out, and roles that Pi does not know. Of its own
 * messages, Pi's `convertToLlm` to the letter.
 */
export function toLlmMessage(message: StoredMessage): LlmMessage | null {
  switch (message.role) {
    case 'assistant':
      return isNeverSent(message) ? null : message;
    case 'user':
    case 'toolResult':
      return message;
    case 'bashExecution':
      return message.excludeFromContext ? null : toUserMessage(formatShellCommand(message), message.timestamp);
    case 'custom': {
      const { content, timestamp, sentRole } = message;
      const sent: LlmMessage =
        typeof content === 'string' ? toUserMessage(content, timestamp) : { role: 'user', content, timestamp };
      return sentRole === DEVELOPER ? { ...sent, sentRole } : sent;
    }
    case 'branchSummary':
      return message.sentVerbatim === true
        ? toUserMessage(asText(message.summary), message.timestamp)
        : toUserMessage(`${BRANCH_SUMMARY_INTRODUCTION}${asText(message.summary)}</summary>`, message.timestamp);
    case 'compactionSummary':
      return message.sentVerbatim === true
        ? toUserMessage(asText(message.summary), message.timestamp)
        : toSummaryMessage(message.summary, message.timestamp);
    default:
      return null;
  }
}

/** The summary message of a compaction, wrapped as Pi wraps it. */
export function toSummaryMessage(summary: unknown, timestamp: unknown): LlmMessage {
  return toUserMessage(`${COMPACTION_SUMMARY_INTRODUCTION}${asText(summary)}${SUMMARY_END}`, timestamp);
}

/** The summary in such a message; null for any other message. */
export function findSummaryText({ role, content }: LlmMessage): string | null {
  const [block]: unknown[] = Array.isArray(content) && content.length === 1 ? content : [];
  const text = role === 'user' && isObject(block) ? asString(block.text) : null;
  if (text?.startsWith(CLAUDE_CODE_INTRODUCTION)) return text;
  if (!text?.startsWith(COMPACTION_SUMMARY_INTRODUCTION) || !text.endsWith(SUMMARY_END)) return null;
  return text.slice(COMPACTION_SUMMARY_INTRODUCTION.length, -SUMMARY_END.length);
}

/** The messages that an `ephemeral` entry logged for one request, as they were sent. */
export function readLoggedMessages(entry: Entry): readonly LlmMessage[] {
  return listObjects(entry.messages).flatMap((message) => toLlmMessage(message) ?? []);
}

export function toUserMessage(text: string, timestamp: unknown): LlmMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp };
}

/** The text of a command that the user ran, for the model. A fence inside the output is not escaped, as in Pi. */
function formatShellCommand(message: BashExecutionMessage): string {
  const { command, output, cancelled, exitCode, truncated, fullOutputPath } = message;
  let text = `Ran \`${asText(command)}\`\n`;
  text += output ? `\`\`\`\n${asText(output)}\n\`\`\`` : '(no output)';
  if (cancelled) text += '\n\n(command cancelled)';
  else if (exitCode !== null && exitCode !== undefined && exitCode !== 0)
    text += `\n\nCommand exited with code ${asText(exitCode)}`;
  if (truncated && fullOutputPath) text += `\n\n[Output truncated. Full output: ${asText(fullOutputPath)}]`;
  return text;
}

/**
 * The message that an entry adds to the context before edits and conversion, null for one that adds none.
 * A compaction's summary is not included: whether it counts depends on the path. Pi's `sessionEntryToContextMessages`.
 */
export function readEntryMessage(entry: Entry): StoredMessage | null {
  switch (entry.type) {
    case 'message':
      return isObject(entry.message) ? fillContent(entry.message) : null;
    case 'custom_message': {
      const { customType, content, display, details, sentRole } = entry;
      const timestamp = parseTimestamp(entry.timestamp);
      const own = sentRole === DEVELOPER ? { sentRole } : {};
      return { role: 'custom', customType, content: content ?? [], display, details, timestamp, ...own };
    }
    case 'branch_summary': {
      const { summary, fromId, sentVerbatim } = entry;
      if (!summary) return null;
      const message = { role: 'branchSummary', summary, fromId, timestamp: parseTimestamp(entry.timestamp) } as const;
      return sentVerbatim === true ? { ...message, sentVerbatim } : message;
    }
    default:
      return null;
  }
}

/** Files are not validated when they are written: a message without content is treated as empty. */
function fillContent(message: JsonObject): StoredMessage {
  const { role, content } = message;
  if (content !== null && content !== undefined) return message;
  if (role === 'system') return { ...message, content: '' };
  return role === 'user' || role === 'assistant' || role === 'toolResult' ? { ...message, content: [] } : message;
}

/**
 * Returns the messages that a provider made for a compaction instead of a summary; null for a compaction with a
 * summary.
 */
export function readHistory({ history }: JsonObject): readonly StoredMessage[] | null {
  return Array.isArray(history) ? listObjects(history) : null;
}

/**
 * The summary message of a compaction entry. With `sentVerbatim` the summary is the whole message, as in sessions of
 * Claude Code, which has an introduction of its own.
 */
export function readSummaryMessage({ summary, tokensBefore, timestamp, sentVerbatim }: JsonObject): StoredMessage {
  const message = { role: 'compactionSummary', summary, tokensBefore, timestamp: parseTimestamp(timestamp) } as const;
  return sentVerbatim === true ? { ...message, sentVerbatim } : message;
}
