import { Box, type Key, render, Text, useInput } from 'ink';
import { useCallback, useLayoutEffect, useSyncExternalStore } from 'react';
import type { Screen } from '../draw.js';
import type { Line } from '../lines.js';

/** The screen, and the handler of keys. */
export interface InkScreen {
  readonly screen: () => Screen;
  readonly subscribe: (listener: () => void) => () => void;
  /** A line with its colours. */
  readonly styled: (line: Line) => string;
  onKey(key: string): void;
}

/** The input, and the output, which receives each screen as one frame. */
export interface InkPlace {
  readonly input: NodeJS.ReadStream;
  onFrame(frame: string): void;
}

/** The maximum number of placeholders side by side. */
const COLUMNS = 3;

/** Shows the screen until `close` is called. Rejects if drawing fails. */
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

/** The part of a stream that Ink needs. */
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
  /** Called with the lines of a screen once Ink has placed their placeholders. */
  onLines(lines: readonly string[]): void;
}

/**
 * The screen as Ink lays it out. Ink measures every character several times, which takes longer than everything else,
 * so it gets one placeholder character for each line.
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

/** Private-use characters as placeholders for lines. The terminal never receives them. */
const FIRST = 0xf0000;
const SIGN = /[\u{f0000}-\u{10ffff}]/gu;

/** The placeholder of a line. */
function signOf(line: number): string {
  return String.fromCodePoint(FIRST + line);
}

/** Replaces each placeholder with its line. */
export function filled(places: string, lines: readonly string[]): string {
  return places.replace(SIGN, (sign) => lines[(sign.codePointAt(0) ?? 0) - FIRST] ?? '');
}

/** The explorer's names of the keys; several after fast typing or a paste. */
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

/** Control characters within pasted text. */
const CONTROLS: Readonly<Record<string, string>> = { '\r': 'enter', '\n': 'enter', '\t': 'tab' };
