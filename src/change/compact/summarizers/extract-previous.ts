import { linesOfSummary, unchecked } from '#analysis/facts/summary-lines.js';
import { type Line, RANKS } from './extract-lines.js';
import type { Section } from './extract-sections.js';

/** The lines of a summary that was made before. The lists of files are left out, since those of the task hold them. */
export function linesOfPrevious(summary: string): readonly Line<Section>[] {
  return linesOfSummary(summary).map(({ section, text }) => ({
    section,
    text: section === 'done' && !text.startsWith('Asked: ') ? checked(text, 'x') : unchecked(text),
    rank: rankOf(section, text),
  }));
}

function rankOf(section: Section, text: string): number {
  switch (section) {
    case 'goal':
      return RANKS.goal;
    case 'constraints':
      return RANKS.rule;
    case 'inProgress':
    case 'next':
      return RANKS.open;
    case 'blocked':
      return RANKS.failure;
    case 'decisions':
      return RANKS.decision;
    case 'critical':
      return RANKS.mended;
    case 'done':
      if (/^(?:\[x\] )?Ran `/.test(text)) return RANKS.detail;
      return /^(?:\[x\] )?Reported: /.test(text) ? RANKS.report : RANKS.request;
  }
}

/** A line with a box before it. */
export function checked(text: string, mark: 'x' | ' '): string {
  return `[${mark}] ${unchecked(text)}`;
}
