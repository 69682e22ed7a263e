import { type Doc, gap, line } from './doc.js';
import type { View } from './renderer.js';

const LONGEST_LINE = 100;

/** Wraps text at the width of the terminal, and at 100 characters at most. */
export function renderParagraphs(text: string, { columns, format }: View): Doc {
  const width = format === 'text' ? Math.min(columns, LONGEST_LINE) : Infinity;
  return text
    .split('\n')
    .flatMap((paragraph) => wrapText(paragraph, width).map((part) => (part === '' ? gap : line(part))));
}

/** Wraps a text at spaces, at `columns` characters. A longer word gets a line of its own. */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > columns) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}
