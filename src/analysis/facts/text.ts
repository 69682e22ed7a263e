import { asString, objectsIn } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';

/** The text of a message without its tool calls, images and thinking. */
export function textOf(message: LlmMessage): string {
  const content = message['content'];
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .flatMap((block) => (block['type'] === 'text' ? (asString(block['text']) ?? []) : []))
    .join('\n');
}

/** Words of a text to compare it by: small letters of ASCII, no marks of Markdown, one blank between words. */
export function comparable(text: string): string {
  return asciiLower(text.replaceAll(/[*`_~]/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Makes ASCII letters small, whatever the Unicode version of the machine. */
export function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A text on one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A text of at most so many UTF-16 code units, never cut inside a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 2;
  return `${text.slice(0, /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end)} …`;
}

/** Whether an assistant's message leaves the word to the user. */
export function endsTurn(message: LlmMessage): boolean {
  if (message.role !== 'assistant') return false;
  const stopped = message['stopReason'];
  if (typeof stopped === 'string') return stopped === 'stop';
  return !objectsIn(message['content']).some(({ type }) => type === 'toolCall');
}

/** The terms of a text that another one must repeat word for word: paths, names of code, numbers of errors, quoted texts. */
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
