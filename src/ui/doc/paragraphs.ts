import type { View } from './define.js';
import { type Doc, gap, line } from './doc.js';

/** What can be set of a rule or a strategy. */
interface Option {
  readonly name: string;
  readonly type: string;
  readonly default: unknown;
  readonly isRequired: boolean;
  readonly meaning: string;
}

/** An option in a line of its own. */
export function optionWords({ name, type, default: fallback, isRequired, meaning }: Option): string {
  const without = fallback === null ? '' : `, by default ${JSON.stringify(fallback)}`;
  return `"${name}": ${type}${isRequired ? ', needed' : without}. ${meaning}`;
}

const LONGEST_LINE = 100;

/** Text with its lines broken where the screen ends, or where they get hard to read. */
export function paragraphs(text: string, { columns, format }: View): Doc {
  const width = format === 'text' ? Math.min(columns, LONGEST_LINE) : Infinity;
  return text
    .split('\n')
    .flatMap((paragraph) => wrapped(paragraph, width).map((part) => (part === '' ? gap : line(part))));
}

/** A text in lines of so many characters, broken at spaces. A word that is longer has a line of its own. */
export function wrapped(text: string, columns: number): readonly string[] {
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
