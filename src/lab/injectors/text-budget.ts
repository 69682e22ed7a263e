import { sliceStart } from '#base/text.js';
import { CHARACTERS_PER_TOKEN } from '#context/size/tokens.js';

/** Tokens of a text by Pi's estimate, by which all budgets are counted. */
export function countTextTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** The maximum length of a text of `maxTokens` tokens, in UTF-16 code units. */
export function toTextLength(maxTokens: number): number {
  return Math.max(0, Math.floor(maxTokens)) * CHARACTERS_PER_TOKEN;
}

/**
 * Truncates a text to `maxTokens` tokens, at a line break if that keeps most of it. A last line, which counts too, states
 * the original size. If the budget has no room for that line, the text is dropped. `cutFrom`: its tokens before it was
 * cut; null: it was not.
 */
export function fitText(text: string, maxTokens: number): { readonly text: string; readonly cutFrom: number | null } {
  const room = toTextLength(maxTokens);
  if (text.length <= room) return { text, cutFrom: null };
  const note = `[cut: ${countTextTokens(text)} tokens, and the budget is ${Math.floor(maxTokens)}]`;
  const left = room - note.length - 1;
  const cutFrom = countTextTokens(text);
  if (left < 0) return { text: note.length <= room ? note : '', cutFrom };
  const beginning = cutText(text, left);
  return { text: beginning === '' ? note : `${beginning}\n${note}`, cutFrom };
}

/** Whole lines, unless most of the room would stay empty; never half of a character. */
function cutText(text: string, most: number): string {
  const beginning = sliceStart(text, Math.max(0, most));
  const lastLine = beginning.lastIndexOf('\n');
  return (lastLine >= most / 2 ? beginning.slice(0, lastLine) : beginning).trimEnd();
}

/**
 * The most that each of several texts may take, in tokens, so that together they fit: what is short stays whole, and what
 * is long is cut to one length.
 */
export function findCutLevel(lengths: readonly number[], maxTokens: number): number {
  let room = Math.max(0, maxTokens);
  const ascending = lengths.toSorted((a, b) => a - b);
  for (const [at, length] of ascending.entries()) {
    const share = room / (ascending.length - at);
    if (length > share) return Math.floor(share);
    room -= length;
  }
  return Infinity;
}
