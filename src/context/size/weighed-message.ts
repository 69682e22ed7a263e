import { asString } from '#base/json.js';
import type { LlmMessage } from '../replay/content.js';
import { type Category, chooseCategory } from './categories.js';
import { type MessageWeight, type TokenMethod, weighMessage } from './tokens.js';

/** A message as it is weighed. */
export interface WeighedMessage {
  readonly weight: MessageWeight;
  /** The category of its text. */
  readonly textCategory: Category;
  /** The tool of a result; null for another message. */
  readonly tool: string | null;
}

export function toWeighedMessage(message: LlmMessage, method?: TokenMethod): WeighedMessage {
  return {
    weight: weighMessage(message, method),
    textCategory: chooseCategory(message.role),
    tool: readResultTool(message),
  };
}

/** The tool of a result; null for another message. */
export function readResultTool(message: LlmMessage): string | null {
  return message.role === 'toolResult' ? (asString(message.toolName) ?? '?') : null;
}
