import { isJsonEqual } from '#base/canonical-json.js';
import { asString, type JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { applySystemMessage } from '#context/replay/system-messages.js';

/** The content of a request as it is compared: the prompt as one text, and no options that Pi does not record. */
export interface RequestContent {
  readonly system: string;
  readonly tools: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
  /** The thinking level; null for none. */
  readonly reasoning: string | null;
  /**
   * The places of the system messages, each as the number of messages before it. Left out where they are all at the
   * beginning, or where the session has them.
   */
  readonly systemAt?: readonly number[];
}

/** The request that an envelope shows. Its tools are those that have an implementation. */
export function toRequestContent({ system, tools, messages, options }: EnvelopeContent): RequestContent {
  return { system: system.compiled, tools, messages: messages.cached, reasoning: asString(options.reasoning) };
}

/**
 * The request that Pi passes to a provider: a transcript with system messages. Messages that equal those of `shown` at
 * their place are the same objects, so that their hashes are known. `projected`: the transcript as Pi has it.
 */
export function readPiRequest(
  transcript: readonly JsonObject[],
  reasoning: unknown,
  shown: RequestContent & { readonly projected?: readonly JsonObject[] },
): RequestContent {
  const { projected = [] } = shown;
  const systemAt = listSystemPlaces(transcript);
  const isUsual = systemAt.every((at) => at === 0) || String(systemAt) === String(listSystemPlaces(projected));
  const { system, tools } = transcript
    .filter(({ role }) => role === 'system')
    .reduce(applySystemMessage, EMPTY_ENVELOPE);
  const messages = transcript
    .filter(({ role }) => role !== 'system')
    .map((message, at) => preferShown(message, shown.messages[at]));
  const content = {
    system: system.compiled,
    tools: tools.map((tool, at) => preferShown(tool, shown.tools[at])),
    messages,
    reasoning: asString(reasoning),
  };
  return isUsual ? content : { ...content, systemAt };
}

/** A model that accepts system messages anywhere receives them there, and others receive them at the beginning. */
function listSystemPlaces(transcript: readonly JsonObject[]): readonly number[] {
  const places: number[] = [];
  for (const [at, { role }] of transcript.entries()) {
    if (role === 'system') places.push(at - places.length);
  }
  return places;
}

function preferShown(value: JsonObject, shown: JsonObject | undefined): JsonObject {
  return shown !== undefined && isJsonEqual(value, shown) ? shown : value;
}
