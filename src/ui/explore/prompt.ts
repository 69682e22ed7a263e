import { toVisibleLine } from '#base/visible.js';
import { span } from '../doc/doc.js';
import type { ScreenLine } from './lines.js';

/** A line of text that the user edits. */
export interface PromptLine {
  readonly text: string;
  /** The position of the cursor, in characters as the user sees them. */
  readonly cursor: number;
  /** The steps back in the history; 0 is the line that the user types. */
  readonly back: number;
  /** The line typed before going back. */
  readonly draft: string;
}

export const EMPTY_PROMPT: PromptLine = { text: '', cursor: 0, back: 0, draft: '' };

/** The prefix of a key that contains pasted text. */
export const PASTE_PREFIX = 'paste:';

/** Edits a line by a key, with earlier lines, the latest first. Returns null if the key leaves it unchanged. */
export function editPrompt(prompt: PromptLine, pressed: string, history: readonly string[]): PromptLine | null {
  const characters = splitCharacters(prompt.text);
  const { cursor } = prompt;
  const here = { from: cursor, to: cursor };
  const key = SAME[pressed] ?? pressed;
  if (key.startsWith(PASTE_PREFIX))
    return replaceCharacters(prompt, here, key.slice(PASTE_PREFIX.length).replaceAll(/\s+/g, ' '));
  if (key === 'up' || key === 'down') return recallLine(prompt, prompt.back + (key === 'up' ? 1 : -1), history);
  const wanted = MOVES[key]?.(cursor, characters);
  if (wanted !== undefined) return { ...prompt, cursor: Math.max(0, Math.min(characters.length, wanted)) };
  const range = DELETIONS[key]?.(cursor, characters);
  if (range !== undefined) return replaceCharacters(prompt, range);
  return splitCharacters(key).length === 1 ? replaceCharacters(prompt, here, key) : null;
}

/** Opens a line of text with the cursor at its end. */
export function buildPrompt(text: string): PromptLine {
  return { ...EMPTY_PROMPT, text, cursor: splitCharacters(text).length };
}

/** The line after its sign, with the cursor. */
export function renderPrompt(sign: string, { text, cursor }: PromptLine): ScreenLine {
  const characters = splitCharacters(text);
  const shown = (from: number, to?: number): ScreenLine[number] =>
    span(toVisibleLine(characters.slice(from, to).join('')));
  const at = { ...span(toVisibleLine(characters[cursor] ?? ' ')), isInverse: true };
  return [span(sign, 'strong'), shown(0, cursor), at, shown(cursor + 1)];
}

const SEGMENTER = new Intl.Segmenter();

function splitCharacters(text: string): readonly string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}

/** The characters from one position on, up to another one. */
interface CharacterRange {
  readonly from: number;
  readonly to: number;
}

/** Replaces some characters, and moves the cursor after the new ones. */
function replaceCharacters(prompt: PromptLine, { from, to }: CharacterRange, added = ''): PromptLine {
  const characters = splitCharacters(prompt.text);
  const before = characters.slice(0, Math.max(0, from)).join('') + added;
  return { ...prompt, text: before + characters.slice(to).join(''), cursor: splitCharacters(before).length, back: 0 };
}

function recallLine(prompt: PromptLine, back: number, history: readonly string[]): PromptLine {
  if (back < 0 || back > history.length) return prompt;
  const draft = prompt.back === 0 ? prompt.text : prompt.draft;
  return { ...buildPrompt(back === 0 ? draft : (history[back - 1] ?? '')), back, draft };
}

type Characters = readonly string[];

/** The position that a key moves the cursor to. */
const MOVES: Readonly<Record<string, (cursor: number, characters: Characters) => number>> = {
  left: (cursor) => cursor - 1,
  right: (cursor) => cursor + 1,
  home: () => 0,
  end: (_, { length }) => length,
  'alt-b': findWordStart,
  'alt-f': findWordEnd,
};

/** The characters that a key deletes. */
const DELETIONS: Readonly<Record<string, (cursor: number, characters: Characters) => CharacterRange>> = {
  backspace: (cursor) => ({ from: cursor - 1, to: cursor }),
  'ctrl-d': (cursor) => ({ from: cursor, to: cursor + 1 }),
  'ctrl-w': (cursor, characters) => ({ from: findWordStart(cursor, characters), to: cursor }),
  'alt-d': (cursor, characters) => ({ from: cursor, to: findWordEnd(cursor, characters) }),
  'ctrl-u': (cursor) => ({ from: 0, to: cursor }),
  'ctrl-k': (cursor, { length }) => ({ from: cursor, to: length }),
};

/** Keys that do what others do. */
const SAME: Readonly<Record<string, string>> = {
  'ctrl-a': 'home',
  'ctrl-b': 'left',
  'ctrl-e': 'end',
  'ctrl-f': 'right',
  'ctrl-n': 'down',
  'ctrl-p': 'up',
  'alt-backspace': 'ctrl-w',
};

function findWordStart(cursor: number, characters: Characters): number {
  let at = cursor;
  while (at > 0 && characters[at - 1] === ' ') at -= 1;
  while (at > 0 && characters[at - 1] !== ' ') at -= 1;
  return at;
}

function findWordEnd(cursor: number, characters: Characters): number {
  let at = cursor;
  while (characters[at] === ' ') at += 1;
  while (at < characters.length && characters[at] !== ' ') at += 1;
  return at;
}
