import type { SourceText } from './define.js';

/** A piece of a text that can be shown alone. */
export interface Snippet {
  readonly path: string;
  /** The headings above it, from the outermost; empty if there are none. */
  readonly heading: string;
  readonly text: string;
}

/** The longest piece of several paragraphs, in UTF-16 code units. */
const LONGEST_PIECE = 1200;

const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/;

/** The sections of texts, a long one in several pieces of whole paragraphs. */
export function splitSections(texts: readonly SourceText[]): readonly Snippet[] {
  return texts.flatMap(({ path, text }) =>
    groupBySection(text).flatMap(({ heading, lines }) =>
      splitPieces(lines.join('\n')).map((piece) => ({ path, heading, text: piece })),
    ),
  );
}

interface Section {
  readonly heading: string;
  readonly lines: string[];
}

function groupBySection(text: string): readonly Section[] {
  let above: readonly string[] = [];
  let current: Section = { heading: '', lines: [] };
  const sections = [current];
  let isFenced = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    const [, marks, title] = (isFenced ? null : HEADING.exec(line)) ?? [];
    if (marks === undefined || title === undefined) {
      current.lines.push(line);
      continue;
    }
    above = [...above.slice(0, marks.length - 1), title];
    current = { heading: above.filter((each) => each !== '').join(' › '), lines: [] };
    sections.push(current);
  }
  return sections;
}

function splitPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (const paragraph of text.trim().split(/\n{2,}/)) {
    const last = pieces.at(-1);
    if (paragraph.trim() === '') continue;
    if (last === undefined || last.length + paragraph.length > LONGEST_PIECE) pieces.push(paragraph);
    else pieces[pieces.length - 1] = `${last}\n\n${paragraph}`;
  }
  return pieces;
}

/** The points of texts: each item of a list with what is indented below it, each other paragraph. */
export function listPoints(texts: readonly SourceText[]): readonly Snippet[] {
  return texts.flatMap(({ path, text }) =>
    groupBySection(text).flatMap(({ heading, lines }) =>
      splitPoints(lines).map((point) => ({ path, heading, text: point })),
    ),
  );
}

const LIST_MARK = /^(?:[-*+]|\d{1,3}[.)])\s+/;

function splitPoints(lines: readonly string[]): readonly string[] {
  const points: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const isItem = LIST_MARK.test(line);
    const last = points.at(-1);
    if (line.trim() === '') isOpen = false;
    else if (!isItem && isOpen && last !== undefined) points[points.length - 1] = `${last} ${line.trim()}`;
    else {
      points.push(line.replace(LIST_MARK, '').trim());
      isOpen = true;
    }
  }
  return points;
}
