import { isObject } from '#base/json.js';

/** The characters from which Cline 4 shortens a text in a result, unless an environment variable sets others. */
const MOST_CHARACTERS = 8000;

/**
 * The value of a result with long texts as Cline 4 sends them: their beginning and end, with a note between. Source:
 * MessageBuilder in @cline/core 0.0.86.
 */
export function shortenMiddle(value: unknown): unknown {
  if (typeof value === 'string') return shortenText(value);
  if (Array.isArray(value)) return value.map(shortenMiddle);
  if (!isObject(value) || value['type'] === 'image') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortenMiddle(inner)]));
}

function shortenText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  // The note names the number of characters that it replaces, on which its own length depends.
  const kept = countKept(text.length - MOST_CHARACTERS);
  const removed = text.length - kept * 2;
  const sides = countKept(removed);
  return `${text.slice(0, sides)}${buildNote(removed)}${text.slice(text.length - sides)}`;
}

/** The characters that are kept on each side. */
function countKept(removed: number): number {
  return Math.floor((MOST_CHARACTERS - buildNote(removed).length) / 2);
}

function buildNote(removed: number): string {
  return `\n\n...[truncated ${removed} chars]...\n\n`;
}
