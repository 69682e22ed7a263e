import type { EnvelopeContent } from './content.js';

/** What a model is shown when nobody says anything. */
export const EMPTY_ENVELOPE: EnvelopeContent = {
  system: { parts: [], compiled: '' },
  tools: [],
  messages: { cached: [], uncached: [] },
  options: {},
};
