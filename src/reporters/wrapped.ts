import type { Ruler } from '../render/ruler.js';

const MOST_LINES = 4;
/** Less is not worth breaking a text for: the line is cut instead. */
const FEWEST_CELLS = 20;

/** A text on one line as several that are no wider than so many cells, broken between words where there are some. */
export function wrapped(text: string, cells: number, ruler: Ruler): readonly string[] {
  if (cells < FEWEST_CELLS || ruler.widthOf(text) <= cells) return [text];
  const lines: string[] = [];
  let current = '';
  const words = text.split(' ');
  for (const [at, word] of words.entries()) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current === '' || ruler.widthOf(longer) <= cells) current = longer;
    else if (lines.length + 1 < MOST_LINES) {
      lines.push(current);
      current = word;
    } else return [...lines, ruler.cutTo(`${current} ${words.slice(at).join(' ')}`, cells)];
  }
  return [...lines, current].map((line) => ruler.cutTo(line, cells));
}
