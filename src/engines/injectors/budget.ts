/** Pi's estimate, by which all budgets are counted. */
const CHARACTERS_PER_TOKEN = 4;

export function tokensIn(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** How long a text of so many tokens may be, in UTF-16 code units. */
export function roomIn(maxTokens: number): number {
  return Math.max(0, Math.floor(maxTokens)) * CHARACTERS_PER_TOKEN;
}

/** A text that fits into its budget, and how many tokens it had before it was cut; null: it was not. */
export interface Fitted {
  readonly text: string;
  readonly cutFrom: number | null;
}

/**
 * The beginning of a text, as whole lines where that keeps most of it, of at most so many tokens. What is cut off is
 * said in a last line, which counts too. A budget that has no room for that line leaves nothing of the text.
 */
export function fitted(text: string, maxTokens: number): Fitted {
  const room = roomIn(maxTokens);
  if (text.length <= room) return { text, cutFrom: null };
  const note = `[cut: ${tokensIn(text)} tokens, and the budget is ${Math.floor(maxTokens)}]`;
  const left = room - note.length - 1;
  const cutFrom = tokensIn(text);
  if (left < 0) return { text: note.length <= room ? note : '', cutFrom };
  const beginning = beginningOf(text, left);
  return { text: beginning === '' ? note : `${beginning}\n${note}`, cutFrom };
}

/** Whole lines, unless most of the room would stay empty; never half of a character. */
function beginningOf(text: string, most: number): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
  const beginning = text.slice(0, Math.max(0, end));
  const lastLine = beginning.lastIndexOf('\n');
  return (lastLine >= most / 2 ? beginning.slice(0, lastLine) : beginning).trimEnd();
}

/**
 * The most that each of several texts may take, in tokens, so that together they fit: what is short stays whole, and what
 * is long is cut to one length.
 */
export function levelFor(lengths: readonly number[], maxTokens: number): number {
  let room = Math.max(0, maxTokens);
  const ascending = lengths.toSorted((a, b) => a - b);
  for (const [at, length] of ascending.entries()) {
    const share = room / (ascending.length - at);
    if (length > share) return Math.floor(share);
    room -= length;
  }
  return Infinity;
}
