import type { JsonObject } from '#base/json.js';

/** An entry with words that a client adds with the authority of a developer. */
export function toDeveloperEntry(customType: string, content: readonly JsonObject[]) {
  return { type: 'custom_message', customType, content, display: true, sentRole: 'developer' } as const;
}
