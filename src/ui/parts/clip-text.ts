import { pluralize } from '#base/numbers.js';
import { sliceStart } from '#base/text.js';

/** The most characters of a text that are shown without `--full`. */
const MOST_CHARACTERS = 2000;

/** Truncates a text to a readable length and states the length of the rest, unless all of it is wanted. */
export function clipText(text: string, isFull: boolean): string {
  if (isFull || text.length <= MOST_CHARACTERS) return text;
  const start = sliceStart(text, MOST_CHARACTERS);
  return `${start}\n… ${pluralize(text.length - start.length, 'more character')}, --full shows them`;
}
