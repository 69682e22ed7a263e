import type { ComponentType } from 'react';
import type { Terminal } from '#platform/terminal/terminal.js';
import { loadRuler } from '../doc/ruler.js';
import { loadColourStyle, plainStyle, type Theme } from '../doc/style.js';
import type { ScreenSize } from './layout.js';
import type { FileNames, ScreenLook } from './lines.js';
import type { MouseInput } from './on-mouse.js';

export interface ScreenProps<View> {
  readonly view: View;
}

/** The source of a screen, and the handler of its keys. */
export interface ScreenApp<View> {
  readonly view: () => View;
  readonly subscribe: (listener: () => void) => () => void;
  readonly onKey: (key: string) => void;
  readonly onMouse: (mouse: MouseInput) => void;
  readonly onResize: (size: ScreenSize) => void;
}

interface Showing<View, Result> {
  /** Loads the component, and with it Ink and React, which are needed only when something is shown. */
  readonly load: () => Promise<ComponentType<ScreenProps<View>>>;
  readonly hasMouse?: boolean;
  /** The result if the signal aborts. */
  readonly aborted: Result;
  readonly signal: AbortSignal;
}

/** A double-width character, for which the ruler loads its table. */
const WIDE = '一';

export interface ColourOptions {
  /** Whether the terminal shows no colours. */
  readonly isPlain: boolean;
  readonly theme?: Theme | undefined;
  readonly names?: FileNames | undefined;
}

/** The size of a terminal now, the widths of all characters, and the colours. */
export async function prepareScreen(terminal: Terminal, { isPlain, theme, names }: ColourOptions) {
  const style = isPlain ? plainStyle : await loadColourStyle(theme);
  const look: ScreenLook = { style, ruler: await loadRuler([WIDE], true), names };
  return { size: readSize(terminal), look };
}

/** The screen leaves one row free: Ink clears the terminal, with its history, at each frame that fills all rows. */
function readSize({ columns, rows }: Terminal): ScreenSize {
  return { columns, rows: rows - 1 };
}

/** Shows an app of Ink on the whole screen until it calls `onLeave`. Rejects if it, or a callback, throws. */
export async function showFullScreen<View, Result>(
  terminal: Terminal,
  app: ScreenApp<View> & { onLeave: ((result: Result) => void) | null },
  { load, hasMouse = true, aborted, signal }: Showing<View, Result>,
): Promise<Result> {
  const left = new Promise<Result>((leave) => {
    app.onLeave = leave;
    if (signal.aborted) leave(aborted);
    signal.addEventListener('abort', () => leave(aborted), { once: true });
  });
  const [{ renderApp }, component] = await Promise.all([import('./ink/render-app.js'), load()]);
  return terminal.wholeScreen(async (crashed) => {
    const resize = (): void => app.onResize(readSize(terminal));
    // The size may have changed while another program had the terminal.
    resize();
    const stopResizing = terminal.onResize(resize);
    terminal.reportMouse(hasMouse);
    const screen = renderApp({ app, component }, terminal);
    try {
      return await Promise.race([left, crashed, screen.ended.then(() => left)]);
    } finally {
      stopResizing();
      screen.close();
    }
  });
}
