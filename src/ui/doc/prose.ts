import { line } from './doc.js';
import { plainStyle } from './style.js';
import text from './text.js';

/** Safe text as it is printed on a terminal: each of its lines is wrapped between words, and goes on a little further in. */
export function prose(safe: string, columns: number): Promise<string> {
  const doc = safe
    .replace(/\n$/, '')
    .split('\n')
    .map((one) => line(one));
  return text.render({ data: null, doc: () => doc }, { format: 'text', columns, rows: Infinity }, plainStyle);
}
