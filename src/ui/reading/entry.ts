import { asText, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { messageOfEntry } from '#context/replay/entry-message.js';
import { type Reading, readingBlocks, shellBlocks } from './message.js';
import type { ReadingBlock } from './model.js';

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
