import { asString, asText, indentedJson, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { messageOfEntry } from '#context/replay/convert.js';
import { blocksOf, isSummary } from '#context/words/message-text.js';
import { isReading, readCall } from '#context/words/tool-call.js';
import { callBlocks, extensionOf, recordedCall } from './call.js';
import type { ReadingBlock } from './model.js';

export interface Reading {
  /** The tool call that a result answers, where it is known. */
  readonly call?: JsonObject | undefined;
  /** The working folder, which paths omit. */
  readonly cwd?: string | undefined;
  /** Whether the arguments of a call stay as they are stored. */
  readonly isRecorded?: boolean;
}

/** The blocks of a message, as a person reads it. Texts are whole, and as they were sent. */
export function readingBlocks(message: LlmMessage, reading: Reading = {}): readonly ReadingBlock[] {
  const blocks = blocksOf(message).flatMap((block) => blockOf(block, message, reading));
  return [...blocks, ...failureOf(message)];
}

/** The blocks of a command that the user ran, and its output. */
export function shellBlocks(execution: JsonObject): readonly ReadingBlock[] {
  const { command, output, exitCode, cancelled, excludeFromContext } = execution;
  const details = [
    ...(typeof exitCode === 'number' && exitCode !== 0 ? [`exit code ${exitCode}`] : []),
    ...(cancelled === true ? ['cancelled'] : []),
    ...(excludeFromContext === true ? ['not sent to the model'] : []),
  ];
  const [call, ...longer] = callBlocks({ name: '$', arguments: { command } }, '');
  return [
    ...(call?.kind === 'call' ? [{ ...call, details }] : []),
    ...longer,
    ...(output ? [{ kind: 'output', content: { text: asText(output), language: '' } } as const] : []),
  ];
}

function blockOf(
  block: JsonObject,
  message: LlmMessage,
  { call, cwd = '', isRecorded = false }: Reading,
): readonly ReadingBlock[] {
  switch (block['type']) {
    case 'text': {
      const text = asString(block['text']) ?? '';
      const kind = message.role === 'toolResult' ? 'output' : 'text';
      return [{ kind, content: { text, language: languageOf(message, text, call) } }];
    }
    case 'thinking':
      return [{ kind: 'thinking', content: { text: asString(block['thinking']) ?? '', language: 'markdown' } }];
    case 'toolCall':
      return isRecorded ? recordedCall(block) : callBlocks(block, cwd);
    case 'image':
      return [imageBlock(block)];
    default:
      return [{ kind: 'unknown', content: { text: indentedJson(block), language: 'json' } }];
  }
}

/**
 * Models write Markdown, in answers and in summaries, and a file that was read is in the language of its name. Other
 * texts of users and tools may contain marks without meaning them.
 */
function languageOf({ role }: LlmMessage, text: string, call: JsonObject | undefined): string {
  if (role === 'assistant' || isSummary(text)) return 'markdown';
  const { tool, path } = readCall(call ?? {});
  return path !== null && isReading(tool) ? extensionOf(path) : '';
}

function imageBlock({ mimeType, data }: JsonObject): ReadingBlock {
  const text = asString(data) ?? '';
  const bytes = Math.floor((text.replace(/=+$/, '').length * 3) / 4);
  return { kind: 'image', type: asText(mimeType ?? 'unknown type'), bytes, data: text };
}

function failureOf({ isError, stopReason, errorMessage }: LlmMessage): readonly ReadingBlock[] {
  if (isError === true) return [{ kind: 'failure', text: 'the tool reported an error' }];
  if (stopReason !== 'error' && stopReason !== 'aborted') return [];
  return [{ kind: 'failure', text: `${stopReason}: ${asText(errorMessage ?? 'no message')}` }];
}

/** The blocks of an entry with a message or a summary; null for other entries, such as labels. */
export function entryBlocks(entry: JsonObject, reading: Reading): readonly ReadingBlock[] | null {
  const blocks = messageBlocks(entry, reading);
  const summary = messageOfEntry(entry)?.['summary'] ?? entry['summary'];
  if (blocks || summary === undefined) return blocks;
  return [{ kind: 'text', content: { text: asText(summary), language: 'markdown' } }];
}

/** The blocks of an entry with a message; null for summaries and other entries. */
export function messageBlocks(entry: JsonObject, reading: Reading): readonly ReadingBlock[] | null {
  const message = messageOfEntry(entry);
  switch (message?.['role']) {
    case 'user':
    case 'assistant':
    case 'toolResult':
    case 'custom':
      // A custom message is sent in the form of a user message.
      return readingBlocks(message as LlmMessage, reading);
    case 'bashExecution':
      return shellBlocks(message);
    default:
      return null;
  }
}
