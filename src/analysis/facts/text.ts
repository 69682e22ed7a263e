import { asString, objectsIn } from '#base/json.js';
import { startOf } from '#base/words.js';
import type { LlmMessage } from '#context/replay/content.js';

/** The text of a message without its tool calls, images and thinking. */
export function textOf(message: LlmMessage): string {
  const content = message['content'];
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .flatMap((block) => (block['type'] === 'text' ? (asString(block['text']) ?? []) : []))
    .join('\n');
}

/** Normalises the words of a text for comparison: ASCII lower case, no Markdown marks, one blank between words. */
export function comparable(text: string): string {
  return asciiLower(text.replaceAll(/[*`_~]/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Lowers ASCII letters, independent of the machine's Unicode version. */
export function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Puts a text on one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The beginning of a text, at most `most` UTF-16 code units, never cut inside a character. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${startOf(text, most - 2)} …`;
}

/** Whether an assistant's message ends the turn. */
export function endsTurn(message: LlmMessage): boolean {
  if (message.role !== 'assistant') return false;
  const stopped = message['stopReason'];
  if (typeof stopped === 'string') return stopped === 'stop';
  return !objectsIn(message['content']).some(({ type }) => type === 'toolCall');
}

/** The terms of a text that a summary must repeat literally: paths, code names, error numbers, quoted texts. */
export function termsIn(text: string): readonly string[] {
  const terms = new Set<string>();
  for (const [, ticked, quoted] of text.matchAll(QUOTED)) {
    const inside = (ticked ?? quoted ?? '').trim();
    if (inside.length >= 2 && inside.length <= LONGEST) terms.add(inside);
  }
  for (const [word] of text.matchAll(WORD)) {
    const term = word
      .replace(/^[^\w/@.~]+/, '')
      .replace(/(?<![^\w)])[^\w)]+$/, '')
      .replace(/\)$/, '');
    if (term.length <= LONGEST && isTerm(term)) terms.add(term);
  }
  return [...terms];
}

const LONGEST = 120;
const QUOTED = /`([^`\n]+)`|"([^"\n]{3,80})"/g;
const WORD = /[^\s`"'“”,;(<>[\]{}|]+/g;

function isTerm(word: string): boolean {
  return (
    /^(?:[A-Za-z]:)?[\w@.~-]*[/\\][\w@.~/\\-]+$/.test(word) ||
    /^[\w-]+\.[A-Za-z]\w{0,5}$/.test(word) ||
    /^[a-z][a-z0-9]*[A-Z]\w*$/.test(word) ||
    /^[A-Z][a-z0-9]+[A-Z]\w*$/.test(word) ||
    /^[A-Za-z]\w*_\w+$/.test(word) ||
    /^[A-Z][A-Z0-9]{3,}$/.test(word) ||
    /^(?:TS|E|ERR_|HTTP|#)\w*\d{2,}$/.test(word) ||
    /^--?[a-z][\w-]+$/.test(word) ||
    /^[a-z]\w*\(\)?$/.test(word)
  );
}
