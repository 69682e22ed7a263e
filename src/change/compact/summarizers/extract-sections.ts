import type { SummarySection } from '#analysis/facts/summary-lines.js';
import type { Heading } from './extract-lines.js';

export type Section = SummarySection;

/** The sections of Pi's summaries, in their order. */
export const HEADINGS: readonly Heading<Section | 'progress'>[] = [
  { section: 'goal', title: '## Goal', bullet: '- ' },
  { section: 'constraints', title: '## Constraints & Preferences', bullet: '- ' },
  { section: 'progress', title: '## Progress', bullet: '' },
  { section: 'done', title: '### Done', bullet: '- ' },
  { section: 'inProgress', title: '### In Progress', bullet: '- ' },
  { section: 'blocked', title: '### Blocked', bullet: '- ' },
  { section: 'decisions', title: '## Key Decisions', bullet: '- ' },
  { section: 'next', title: '## Next Steps', bullet: '1. ' },
  { section: 'critical', title: '## Critical Context', bullet: '- ' },
];

export type PrefixSection = 'request' | 'soFar' | 'needed';

/** Those of the beginning of a turn. */
export const PREFIX_HEADINGS: readonly Heading<PrefixSection>[] = [
  { section: 'request', title: '## Original Request', bullet: '- ' },
  { section: 'soFar', title: '## Progress So Far', bullet: '- ' },
  { section: 'needed', title: '## Context Needed to Continue', bullet: '- ' },
];
