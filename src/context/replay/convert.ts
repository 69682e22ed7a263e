import type { Problem, Severity } from '#base/errors.js';
import { asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { StoredMessage } from '#session/entry.js';
import { isNeverSent } from '#session/heads/answer.js';
import { formatId, type Head } from '#session/heads/head.js';
import { OH_MY_PI_ROLES, OH_MY_PI_TYPES } from '#session/oh-my-pi.js';
import type { LlmMessage } from './content.js';
import { CONTEXT_CHANGE_TYPES, MESSAGE_TYPES } from './selection.js';

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
  switch (message['role']) {
    case 'assistant':
      return isNeverSent(message) ? null : message;
    case 'user':
    case 'toolResult':
      return message;
    case 'bashExecution':
      return message['excludeFromContext'] ? null : toUserMessage(shellText(message), message['timestamp']);
    case 'developer':
      return { ...toLlmMessage({ ...message, role: 'custom' }), role: 'user', sentRole: DEVELOPER };
    case 'fileMention':
      return mentionedFiles(message);
    case 'pythonExecution':
      return message['excludeFromContext'] ? null : toUserMessage(pythonText(message), message['timestamp']);
    case 'custom': {
      const { content, timestamp, sentRole } = message;
      const sent: LlmMessage =
        typeof content === 'string' ? toUserMessage(content, timestamp) : { role: 'user', content, timestamp };
      return sentRole === DEVELOPER ? { ...sent, sentRole } : sent;
    }
    case 'branchSummary':
      return toUserMessage(
        `${BRANCH_SUMMARY_INTRODUCTION}${asText(message['summary'])}</summary>`,
        message['timestamp'],
      );
    case 'compactionSummary':
      return message['sentVerbatim'] === true
        ? toUserMessage(asText(message['summary']), message['timestamp'])
        : toSummaryMessage(message['summary'], message['timestamp']);
    default:
      return null;
  }
}

/** A message of an extension that is sent as one of the developer, as oh-my-pi and Codex do. */
export function toDeveloperMessage(message: StoredMessage): StoredMessage {
  return { ...message, sentRole: DEVELOPER };
}

/**
 * The files that the user mentioned to oh-my-pi, as one message: as one of the developer, unless there are images, which
 * only a user may send.
 */
function mentionedFiles({ files, timestamp }: StoredMessage): LlmMessage {
  const mentioned = listObjects(files);
  const text = mentioned.map(({ path, content }) => {
    const inner = content ? `\n${asText(content)}\n` : '\n';
    return `<file path="${asText(path)}">${inner}</file>`;
  });
  const images = mentioned.flatMap(({ image }) => (isObject(image) ? [image] : []));
  const sent: LlmMessage = { role: 'user', content: [{ type: 'text', text: text.join('\n') }, ...images], timestamp };
  return images.length > 0 ? sent : { ...sent, sentRole: DEVELOPER };
}

/** The text of Python that the user ran in oh-my-pi. */
function pythonText({ code, output, cancelled, exitCode }: StoredMessage): string {
  const text = `Ran Python:\n\`\`\`python\n${asText(code)}\n\`\`\`\n`;
  const result = output ? `Output:\n\`\`\`\n${asText(output)}\n\`\`\`` : '(no output)';
  const isFailed = typeof exitCode === 'number' && exitCode !== 0;
  const end = cancelled ? '\n\n(execution cancelled)' : isFailed ? `\n\nExecution failed with code ${exitCode}` : '';
  return `${text}${result}${end}`;
}

/** The summary message of a compaction, wrapped as Pi wraps it. */
export function toSummaryMessage(summary: unknown, timestamp: unknown): LlmMessage {
  return toUserMessage(`${COMPACTION_SUMMARY_INTRODUCTION}${asText(summary)}${SUMMARY_END}`, timestamp);
}

/** The summary in such a message; null for any other message. */
export function findSummaryText({ role, content }: LlmMessage): string | null {
  const [block]: unknown[] = Array.isArray(content) && content.length === 1 ? content : [];
  const text = role === 'user' && isObject(block) ? asString(block['text']) : null;
  if (text?.startsWith(CLAUDE_CODE_INTRODUCTION)) return text;
  if (!text?.startsWith(COMPACTION_SUMMARY_INTRODUCTION) || !text.endsWith(SUMMARY_END)) return null;
  return text.slice(COMPACTION_SUMMARY_INTRODUCTION.length, -SUMMARY_END.length);
}

/** The messages that an `ephemeral` entry logged for one request, as they were sent. */
export function readLoggedMessages(entry: JsonObject): readonly LlmMessage[] {
  return listObjects(entry['messages']).flatMap((message) => toLlmMessage(message) ?? []);
}

/** Whether {@link toLlm} knows the role; of the others, only `system` reaches the model, in another form. */
export function isKnownRole(role: unknown): boolean {
  return KNOWN_ROLES.has(asString(role) ?? '');
}

const KNOWN_ROLES: ReadonlySet<string> = new Set([
  ...OH_MY_PI_ROLES,
  'system',
  'user',
  'assistant',
  'toolResult',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

export function toUserMessage(text: string, timestamp: unknown): LlmMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp };
}

/** The text of a command that the user ran, for the model. A fence inside the output is not escaped, as in Pi. */
function shellText(message: StoredMessage): string {
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
export function readEntryMessage(entry: JsonObject): StoredMessage | null {
  switch (entry['type']) {
    case 'message':
      return isObject(entry['message']) ? withContent(entry['message']) : null;
    case 'custom_message': {
      const { customType, content, display, details, sentRole } = entry;
      const timestamp = parseTimestamp(entry['timestamp']);
      const own = sentRole === DEVELOPER ? { sentRole } : {};
      return { role: 'custom', customType, content: content ?? [], display, details, timestamp, ...own };
    }
    case 'branch_summary': {
      const { summary, fromId } = entry;
      return summary ? { role: 'branchSummary', summary, fromId, timestamp: parseTimestamp(entry['timestamp']) } : null;
    }
    default:
      return null;
  }
}

/** The replacement content of a `context_edit`; null omits the entry. */
export type EditReplacement = JsonObject | null;

/** The roles whose content an edit can replace. */
export const EDITABLE_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult', 'custom']);

/** An entry's message after its edit. Only the roles that Pi can edit change; any entry can be omitted. */
export function applyEdit(message: StoredMessage, replacement: EditReplacement): StoredMessage | null {
  if (replacement === null) return null;
  if (!EDITABLE_ROLES.has(message['role'])) return message;
  const { content } = replacement;
  const asBlocks = typeof content === 'string' && (message['role'] === 'assistant' || message['role'] === 'toolResult');
  return { ...message, content: asBlocks ? [{ type: 'text', text: content }] : content };
}

/** Files are not validated when they are written: a message without content is treated as empty. */
function withContent(message: JsonObject): StoredMessage {
  const { role, content } = message;
  if (content !== null && content !== undefined) return message;
  if (role === 'system') return { ...message, content: '' };
  return role === 'user' || role === 'assistant' || role === 'toolResult' ? { ...message, content: [] } : message;
}

const ADD_NOTHING: ReadonlySet<string | null> = new Set([
  'thinking_level_change',
  'model_change',
  'custom',
  'label',
  'session_info',
  'usage',
  'ephemeral',
  ...OH_MY_PI_TYPES,
]);

/** Whether entries of a type are known to add nothing to the context. */
export function isKnownToAddNothing(type: string | null): boolean {
  return ADD_NOTHING.has(type);
}

/**
 * The diagnostic for an entry of an unknown type or role, or without a message; null for one that Pi
 * writes, and for one that changes the context.
 */
export function findUnknownProblem(head: Head, message: StoredMessage | null): Problem | null {
  if (message !== null) {
    if (isKnownRole(message['role'])) return null;
    return problemAt(head, 'unknown-role', `messages of role ${JSON.stringify(message['role'])} are not sent`);
  }
  if (head.type === 'message') return problemAt(head, 'no-message', 'the entry has no message', 'warning');
  if (MESSAGE_TYPES.has(head.type) || CONTEXT_CHANGE_TYPES.has(head.type) || isKnownToAddNothing(head.type))
    return null;
  return problemAt(head, 'unknown-entry', `entries of type ${JSON.stringify(head.type)} add nothing to the context`);
}

export function problemAt(head: Head, code: string, message: string, severity: Severity = 'note'): Problem {
  return { code, severity, message, line: head.line, entryId: formatId(head.id) };
}

/**
 * The summary message of a compaction entry. With `sentVerbatim` the summary is the whole message, as in sessions of
 * Claude Code, which has an introduction of its own.
 */
export function readSummaryMessage({ summary, tokensBefore, timestamp, sentVerbatim }: JsonObject): StoredMessage {
  const message = { role: 'compactionSummary', summary, tokensBefore, timestamp: parseTimestamp(timestamp) } as const;
  return sentVerbatim === true ? { ...message, sentVerbatim } : message;
}
