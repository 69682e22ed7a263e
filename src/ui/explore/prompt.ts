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

export const EMPTY: PromptLine = { text: '', cursor: 0, back: 0, draft: '' };

/** The prefix of a key that contains pasted text. */
export const PASTE = 'paste:';

/** Edits a line by a key, with earlier lines, the latest first. Returns null if the key leaves it unchanged. */
export function edited(prompt: PromptLine, key: string, history: readonly string[]): PromptLine | null {
  const characters = split(prompt.text);
  const { cursor } = prompt;
  if (key.startsWith(PASTE)) return inserted(prompt, key.slice(PASTE.length).replaceAll(/\s+/g, ' '));
  if (key === 'up' || key === 'ctrl-p') return recalled(prompt, prompt.back + 1, history);
  if (key === 'down' || key === 'ctrl-n') return recalled(prompt, prompt.back - 1, history);
  const wanted = moved(characters, cursor, key);
  if (wanted !== null) return { ...prompt, cursor: Math.max(0, Math.min(characters.length, wanted)) };
  const range = removed(characters, cursor, key);
  if (range !== null) return cut(prompt, characters, range);
  return split(key).length === 1 ? inserted(prompt, key) : null;
}

/** Opens a line of text with the cursor at its end. */
function promptOf(text: string): PromptLine {
  return { ...EMPTY, text, cursor: split(text).length };
}

/** The text before the cursor, under it and after it. */
export function parts({ text, cursor }: PromptLine): readonly [string, string, string] {
  const characters = split(text);
  return [characters.slice(0, cursor).join(''), characters[cursor] ?? ' ', characters.slice(cursor + 1).join('')];
}

const SEGMENTER = new Intl.Segmenter();

function split(text: string): readonly string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}

function inserted(prompt: PromptLine, added: string): PromptLine {
  const characters = split(prompt.text);
  const before = characters.slice(0, prompt.cursor).join('') + added;
  const text = before + characters.slice(prompt.cursor).join('');
  return { ...prompt, text, cursor: split(before).length, back: 0 };
}

function recalled(prompt: PromptLine, back: number, history: readonly string[]): PromptLine {
  if (back < 0 || back > history.length) return prompt;
  const draft = prompt.back === 0 ? prompt.text : prompt.draft;
  return { ...promptOf(back === 0 ? draft : (history[back - 1] ?? '')), back, draft };
}

function moved(characters: readonly string[], cursor: number, key: string): number | null {
  switch (key) {
    case 'left':
    case 'ctrl-b':
      return cursor - 1;
    case 'right':
    case 'ctrl-f':
      return cursor + 1;
    case 'home':
    case 'ctrl-a':
      return 0;
    case 'end':
    case 'ctrl-e':
      return characters.length;
    case 'alt-b':
      return wordStart(characters, cursor);
    case 'alt-f':
      return wordEnd(characters, cursor);
    default:
      return null;
  }
}

/** The first and the last position that a key deletes; null if it deletes nothing. */
function removed(characters: readonly string[], cursor: number, key: string): readonly [number, number] | null {
  switch (key) {
    case 'backspace':
      return [cursor - 1, cursor];
    case 'ctrl-d':
      return [cursor, cursor + 1];
    case 'ctrl-w':
    case 'alt-backspace':
      return [wordStart(characters, cursor), cursor];
    case 'alt-d':
      return [cursor, wordEnd(characters, cursor)];
    case 'ctrl-u':
      return [0, cursor];
    case 'ctrl-k':
      return [cursor, characters.length];
    default:
      return null;
  }
}

function cut(prompt: PromptLine, characters: readonly string[], [from, to]: readonly [number, number]): PromptLine {
  const start = Math.max(0, from);
  return { ...prompt, text: characters.toSpliced(start, to - start).join(''), cursor: start, back: 0 };
}

function wordStart(characters: readonly string[], cursor: number): number {
  let at = cursor;
  while (at > 0 && characters[at - 1] === ' ') at -= 1;
  while (at > 0 && characters[at - 1] !== ' ') at -= 1;
  return at;
}

function wordEnd(characters: readonly string[], cursor: number): number {
  let at = cursor;
  while (characters[at] === ' ') at += 1;
  while (at < characters.length && characters[at] !== ' ') at += 1;
  return at;
}
