import { type BreakClass, explainBreakClass, formatBreakClass } from '#analysis/cache/break-classes.js';
import { type Doc, hangingLine, span } from '#ui/doc/doc.js';

/** A line about each cause whose name does not explain itself. `next`: how to go on with them. */
export function renderCauseNotes(causes: readonly BreakClass[], next?: string): Doc {
  const notes = causes.flatMap((name) => {
    const text = explainBreakClass(name);
    return text === null ? [] : [`${formatBreakClass(name)}: ${text}`];
  });
  if (notes.length === 0) return [];
  const lines = next === undefined ? notes : [...notes, next];
  return lines.map((text) => hangingLine(HANGING, span(`  ${text}`, 'faint')));
}

/** The cells by which the continuation of a line is indented. */
const HANGING = 4;
