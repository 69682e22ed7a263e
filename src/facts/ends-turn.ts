import type { LlmMessage } from '../context/content.js';
import { objectsIn } from '../session/values.js';

/** Whether an assistant's message leaves the word to the user. */
export function endsTurn(message: LlmMessage): boolean {
  if (message.role !== 'assistant') return false;
  const stopped = message['stopReason'];
  if (typeof stopped === 'string') return stopped === 'stop';
  return !objectsIn(message['content']).some(({ type }) => type === 'toolCall');
}
