import type { JsonObject } from '#base/json.js';
import type { AppliedTransform } from './envelope.js';

const DISPLAY_TEXTS: ReadonlySet<string> = new Set(['title', 'summary', 'markdown']);

/** What a transform says of itself, without texts that are none. */
export function displayOf(display: JsonObject): NonNullable<AppliedTransform['display']> {
  const sound = Object.entries(display).filter(
    ([field, text]) => typeof text === 'string' || !DISPLAY_TEXTS.has(field),
  );
  return Object.fromEntries(sound);
}
