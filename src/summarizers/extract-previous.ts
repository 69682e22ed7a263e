import { oneLine } from '../facts/text.js';
import { type Line, NONE, RANKS } from './extract-lines.js';
import type { Section } from './extract-sections.js';

/**
 * The lines of a summary that was made before, by whomever: each bullet, numbered line or paragraph is a line of the
 * section whose heading it stands under. What stands under other headings belongs to the critical context. The lists
 * of files are left out, since those of the task hold them.
 */
export function linesOfPrevious(summary: string): readonly Line<Section>[] {
  const lines: Line<Section>[] = [];
  let section: Section = 'critical';
  for (const raw of withoutFileLists(summary).split('\n')) {
    const [, title] = /^#{1,6}\s+(.+)$/.exec(raw) ?? [];
    if (title !== undefined) section = sectionNamed(title);
    const text = oneLine(raw.replace(BULLET, ''));
    if (title !== undefined || text === '' || NOTHING.test(text)) continue;
    lines.push({
      section,
      text: section === 'done' && !text.startsWith('Asked: ') ? checked(text, 'x') : unchecked(text),
      rank: rankOf(section, text),
    });
  }
  return lines;
}

const FILE_LIST = /\n*<(read-files|modified-files)>\n[\s\S]*?\n<\/\1>/g;
const BULLET = /^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)/;
const NOTHING = new RegExp(
  `^(?:${NONE.slice(2).replaceAll(/[()]/g, String.raw`\$&`)}|-{3,}|\\*\\*Turn Context.*\\*\\*|No prior history\\.)$`,
);

function withoutFileLists(summary: string): string {
  return summary.replaceAll(FILE_LIST, '');
}

/** By the first word that says it; of Pi's own headings and those of the beginnings of turns. */
const NAMED: readonly (readonly [RegExp, Section])[] = [
  [/constraint|preference|rules/i, 'constraints'],
  [/goal|objective/i, 'goal'],
  [/in progress|current/i, 'inProgress'],
  [/original request/i, 'done'],
  [/done|completed|progress/i, 'done'],
  [/blocked|blocker/i, 'blocked'],
  [/decision/i, 'decisions'],
  [/next|remaining|todo/i, 'next'],
];

function sectionNamed(title: string): Section {
  return NAMED.find(([pattern]) => pattern.test(title))?.[1] ?? 'critical';
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

export function unchecked(text: string): string {
  return text.replace(/^\[[ xX]\]\s+/, '');
}
