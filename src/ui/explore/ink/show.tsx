import { Box, type Key, render, Text, useInput } from 'ink';
import { useCallback, useLayoutEffect, useSyncExternalStore } from 'react';
import type { Screen } from '../draw.js';
import type { Line } from '../lines.js';

/** What is shown, and who hears of keys. */
export interface InkScreen {
  readonly screen: () => Screen;
  readonly subscribe: (listener: () => void) => () => void;
  /** A line with its colours. */
  readonly styled: (line: Line) => string;
  onKey(key: string): void;
}

/** Where it is shown: frames are whole screens, one after another. */
export interface InkPlace {
  readonly input: NodeJS.ReadStream;
  onFrame(frame: string): void;
}

/** As many cells as signs stand beside each other at most. */
const COLUMNS = 3;

/** Shows the screen until `close` is called. Rejects with what went wrong while it was drawn. */
export function show(
  shown: InkScreen,
  { input, onFrame }: InkPlace,
): { readonly ended: Promise<unknown>; close(): void } {
  let places = '';
  const app = render(<App {...shown} onLines={(lines) => onFrame(filled(places, lines))} />, {
    stdin: input,
    stdout: streamTo((frame) => (places = frame)),
    // Then Ink writes each frame whole and at once.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return { ended: app.waitUntilExit(), close: () => app.unmount() };
}

/** As much of a stream as Ink needs. */
function streamTo(onFrame: (frame: string) => void): NodeJS.WriteStream {
  const stream = {
    columns: COLUMNS,
    write(frame: string, then?: () => void) {
      if (frame !== '') onFrame(frame);
      then?.();
      return true;
    },
    on: () => stream,
    off: () => stream,
  };
  return stream as unknown as NodeJS.WriteStream;
}

interface Drawn extends InkScreen {
  /** Hears the lines of a screen once their signs are in their places. */
  onLines(lines: readonly string[]): void;
}

/**
 * The screen, whose pieces Ink puts beside and below each other. It looks at every character several times, which takes
 * longer than all the rest: so it is given a sign for each line.
 */
export function App({ screen, subscribe, styled, onKey, onLines }: Drawn) {
  const shown = useSyncExternalStore(subscribe, screen, screen);
  const { top, panes, bottom } = shown;
  useLayoutEffect(
    () => onLines([...top, ...panes.flatMap(({ lines }) => lines), ...bottom].map(styled)),
    [shown, styled, onLines],
  );
  useInput(
    useCallback(
      (input, key) => {
        for (const name of keysOf(input, key)) onKey(name);
      },
      [onKey],
    ),
  );
  let above = top.length;
  return (
    <Box flexDirection="column">
      <Signs from={0} count={top.length} />
      <Box>
        {panes.map(({ lines }, at) => {
          above += lines.length;
          return <Signs key={at} from={above - lines.length} count={lines.length} />;
        })}
      </Box>
      <Signs from={above} count={bottom.length} />
    </Box>
  );
}

function Signs({ from, count }: { readonly from: number; readonly count: number }) {
  return <Text>{Array.from({ length: count }, (_, at) => signOf(from + at)).join('\n')}</Text>;
}

/** Private characters, which no terminal is shown: they stand for lines. */
const FIRST = 0xf0000;
const SIGN = /[\u{f0000}-\u{10ffff}]/gu;

/** The sign of the line of a number. */
function signOf(line: number): string {
  return String.fromCodePoint(FIRST + line);
}

/** Puts lines where their signs stand. */
export function filled(places: string, lines: readonly string[]): string {
  return places.replace(SIGN, (sign) => lines[(sign.codePointAt(0) ?? 0) - FIRST] ?? '');
}

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
