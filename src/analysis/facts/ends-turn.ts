import { objectsIn } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';

/** Whether an assistant's message leaves the word to the user. */
export function endsTurn(message: LlmMessage): boolean {
  if (message.role !== 'assistant') return false;
  const stopped = message['stopReason'];
  if (typeof stopped === 'string') return stopped === 'stop';
  return !objectsIn(message['content']).some(({ type }) => type === 'toolCall');
}
