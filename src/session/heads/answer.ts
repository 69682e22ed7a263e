import { asString, type JsonObject } from '#base/json.js';

/** The model that Claude Code names for answers that it writes itself. */
const OF_CLAUDE_CODE = '<synthetic>';

/** The models that programs name for answers that they write themselves: Claude Code, and OpenClaw. */
export const LOCAL_MODELS: ReadonlySet<string | null> = new Set([
  OF_CLAUDE_CODE,
  'delivery-mirror',
  'gateway-injected',
]);

/**
 * Whether a message is an answer that no provider gave: its program wrote it, such as "No response requested." It is
 * history, and may be sent, but there was no request, it has no usage, and its model is none.
 */
export function isLocalAnswer({ role, model }: JsonObject): boolean {
  return role === 'assistant' && LOCAL_MODELS.has(asString(model));
}

/** Whether a message is the answer of a provider to a request, failed ones included. */
export function isAnswer(message: JsonObject): boolean {
  return message.role === 'assistant' && !isLocalAnswer(message);
}

/**
 * Whether a message is never sent, because its program leaves it out of requests: a local answer of OpenClaw, and one
 * with which Claude Code reports an error. Its other ones are sent.
 */
export function isNeverSent(message: JsonObject): boolean {
  return isLocalAnswer(message) && (message.model !== OF_CLAUDE_CODE || message.stopReason === 'error');
}
