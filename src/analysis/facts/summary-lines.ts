import { toOneLine } from './text.js';

/** The sections of Pi's summaries that contain lines. */
export type SummarySection =
  | 'goal'
  | 'constraints'
  | 'done'
  | 'inProgress'
  | 'blocked'
  | 'decisions'
  | 'next'
  | 'critical';

export interface SummaryLine {
  readonly section: SummarySection;
  /** The text of the line without its bullet, but with its checkbox. */
  readonly text: string;
}

/**
 * The lines of a summary of any program: each bullet, numbered line or paragraph is a line of the
 * section of its heading, or of a heading above it if its own names none. Text under other headings,
 * in fenced blocks and in tables belongs to the critical context. The lists of files are omitted.
 */
export function readSummaryLines(summary: string): readonly SummaryLine[] {
  const lines: SummaryLine[] = [];
  let section: SummarySection = 'critical';
  let level = Infinity;
  let isFenced = false;
  for (const raw of cutFileLists(summary).split('\n')) {
    const isFence = /^\s*(?:```|~~~)/.test(raw);
    if (isFence) isFenced = !isFenced;
    const [, marks, title] = (isFenced ? null : HEADING.exec(raw)) ?? [];
    if (marks !== undefined && title !== undefined) {
      const nextSection = findSection(title);
      if (nextSection === null && marks.length > level) continue;
      section = nextSection ?? 'critical';
      level = nextSection === null ? Infinity : marks.length;
      continue;
    }
    const text = toOneLine(raw.replace(BULLET, ''));
    if (text === '' || NOTHING.test(text)) continue;
    lines.push({ section: isFenced || isFence || text.startsWith('|') ? 'critical' : section, text });
  }
  return lines;
}

const HEADING = /^(#{1,6})\s+(\S.*|[^\S\r\n\u2028\u2029])$/;
const BULLET = /^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)/;
const NOTHING = /^(?:\(none\)|-{3,}|\*\*Turn Context.*\*\*|No prior history\.)$/;

function cutFileLists(summary: string): string {
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const { index, 0: opening, 1: name = '' } of summary.matchAll(FILE_LIST)) {
    if (index < from || unclosed.has(name)) continue;
    const closing = `\n</${name}>`;
    const end = summary.indexOf(closing, index + opening.length + 1);
    if (end === -1) {
      unclosed.add(name);
      continue;
    }
    kept.push(summary.slice(from, index));
    from = end + closing.length;
  }
  return kept.join('') + summary.slice(from);
}

/** The beginning of a list of files, with preceding empty lines. */
const FILE_LIST = /(?<!\n)\n*<(read-files|modified-files)>(?=\n)/g;

/** Sections by their first keyword; for Pi's own headings and those of split turns. */
const NAMED: readonly (readonly [RegExp, SummarySection])[] = [
  [/constraint|preference|rules/i, 'constraints'],
  [/goal|objective/i, 'goal'],
  [/in progress|current/i, 'inProgress'],
  [/original request/i, 'done'],
  [/done|completed|progress/i, 'done'],
  [/blocked|blocker/i, 'blocked'],
  [/decision/i, 'decisions'],
  [/next|remaining|todo/i, 'next'],
];

function findSection(title: string): SummarySection | null {
  return NAMED.find(([pattern]) => pattern.test(title))?.[1] ?? null;
}

/** A line without its checkbox. */
export function cutCheckbox(text: string): string {
  return text.replace(/^\[[ xX]\]\s+/, '');
}
