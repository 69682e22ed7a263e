import { asString, type JsonObject, listObjects } from '#base/json.js';
import type { Unportable } from '../conversation.js';
import { isSealedText } from './items.js';

/** Whether a message of Codex is its own description, or was encrypted by the provider. */
export function findCodexUnportable(message: JsonObject, customType: string | null): Unportable | null {
  if (customType === 'developer' || message['sentRole'] === 'developer') return 'self-description';
  if (message['role'] !== 'user') return null;
  const texts = listObjects(message['content']).map(({ text }) => asString(text) ?? '');
  if (texts.length > 0 && texts.every(isSealedText)) return 'sealed';
  return texts.some((text) => SELF_DESCRIPTION.test(text)) ? 'self-description' : null;
}

/** The instructions of the project, the settings, and what is installed. Other contexts are about the work. */
const SELF_DESCRIPTION =
  /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|subagents|plugins|recommended_plugins)>)/i;
