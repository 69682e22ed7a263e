import type { EnvelopeContent } from './content.js';

/** The content of a session without any entry. */
export const EMPTY_ENVELOPE: EnvelopeContent = {
  system: { parts: [], compiled: '' },
  tools: [],
  messages: { cached: [], uncached: [] },
  options: {},
};
