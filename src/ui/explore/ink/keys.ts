import type { Key } from 'ink';

/** The names of keys as the explorer knows them; several where somebody typed fast or pasted something. */
export function keysOf(input: string, key: Key): readonly string[] {
  const named = NAMES.find(([flag]) => key[flag]);
  if (named) return [key.shift && named[1] === 'tab' ? 'shift-tab' : named[1]];
  if (key.ctrl) return /^[a-z]$/.test(input) ? [`ctrl-${input}`] : [];
  return key.meta
    ? []
    : Array.from(input).flatMap((character) => (character < ' ' ? (CONTROLS[character] ?? []) : [character]));
}

const NAMES = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
] as const;

/** In a piece of text that came at once. */
const CONTROLS: Readonly<Record<string, string>> = { '\r': 'enter', '\n': 'enter', '\t': 'tab' };
