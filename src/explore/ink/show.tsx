import { Box, render, Text, useInput } from 'ink';
import { useCallback, useSyncExternalStore } from 'react';
import type { Screen } from '../draw.js';
import type { Line } from '../lines.js';
import { keysOf } from './keys.js';

/** What is shown, and who hears of keys. */
export interface Shown {
  readonly screen: () => Screen;
  readonly subscribe: (listener: () => void) => () => void;
  /** A line with its colours. */
  readonly styled: (line: Line) => string;
  onKey(key: string): void;
}

/** Where it is shown: frames are whole screens, one after another. */
export interface Place {
  readonly input: NodeJS.ReadStream;
  readonly columns: () => number;
  onFrame(frame: string): void;
}

/** Shows the screen until `close` is called. Rejects with what went wrong while it was drawn. */
export function show(shown: Shown, place: Place): { readonly ended: Promise<unknown>; close(): void } {
  const app = render(<App {...shown} />, {
    stdin: place.input,
    stdout: framesOf(place),
    // Then Ink writes each frame whole, and who paints writes only what has changed of it.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return { ended: app.waitUntilExit(), close: () => app.unmount() };
}

/** As much of a stream as Ink needs. */
function framesOf({ columns, onFrame }: Place): NodeJS.WriteStream {
  const stream = {
    get columns() {
      return columns();
    },
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

/** The screen, whose pieces Ink puts beside and below each other. */
export function App({ screen, subscribe, styled, onKey }: Shown) {
  const { top, panes, bottom } = useSyncExternalStore(subscribe, screen, screen);
  useInput(
    useCallback(
      (input, key) => {
        for (const name of keysOf(input, key)) onKey(name);
      },
      [onKey],
    ),
  );
  return (
    <Box flexDirection="column">
      <Lines lines={top} styled={styled} />
      <Box>
        {panes.map(({ columns, lines }, at) => (
          <Box key={at} width={columns} flexShrink={0}>
            <Lines lines={lines} styled={styled} />
          </Box>
        ))}
      </Box>
      <Lines lines={bottom} styled={styled} />
    </Box>
  );
}

/** Lines that are as wide as their place already. */
function Lines({ lines, styled }: { readonly lines: readonly Line[]; readonly styled: Shown['styled'] }) {
  return <Text wrap="truncate">{lines.map(styled).join('\n')}</Text>;
}
