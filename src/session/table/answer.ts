import { asString, type JsonObject } from '#base/json.js';

/** The models that programs name for answers that they write themselves: Claude Code, and OpenClaw. */
export const LOCAL_MODELS: ReadonlySet<string | null> = new Set(['<synthetic>', 'delivery-mirror', 'gateway-injected']);

/**
 * Whether a message is an answer that no provider gave: its program wrote it, such as "No response requested." It is
 * history, and may be sent, but there was no request, it has no usage, and its model is none.
 */
export function isLocalAnswer({ role, model }: JsonObject): boolean {
  return role === 'assistant' && LOCAL_MODELS.has(asString(model));
}

/** Whether a message is the answer of a provider to a request, failed ones included. */
export function isAnswer(message: JsonObject): boolean {
  return message['role'] === 'assistant' && !isLocalAnswer(message);
}

/**
 * Tests whether OpenClaw wrote an answer only for its transcript, such as a copy of an answer that it delivered to a
 * channel. It leaves it out of every request.
 */
export function isTranscriptOnly({ role, provider, model }: JsonObject): boolean {
  return role === 'assistant' && provider === 'openclaw' && OF_OPENCLAW.has(asString(model));
}

const OF_OPENCLAW: ReadonlySet<string | null> = new Set(['delivery-mirror', 'gateway-injected']);
