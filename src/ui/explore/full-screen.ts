import type { ComponentType } from 'react';
import type { Terminal } from '#platform/terminal/terminal.js';
import { rulerFor } from '../doc/ruler.js';
import { colourStyle, plainStyle, type Theme } from '../doc/style.js';
import type { Size } from './layout.js';
import type { Look } from './lines.js';
import type { Mouse } from './on-mouse.js';

export interface ScreenProps<View> {
  readonly view: View;
}

/** The source of a screen, and the handler of its keys. */
export interface ScreenApp<View> {
  readonly view: () => View;
  readonly subscribe: (listener: () => void) => () => void;
  readonly onKey: (key: string) => void;
  readonly onMouse: (mouse: Mouse) => void;
}

/** An app that has the whole screen until it is left. */
interface FullScreenApp<View, Result> extends ScreenApp<View> {
  /** Loads the component, and with it Ink and React, which are needed only when something is shown. */
  readonly component: () => Promise<ComponentType<ScreenProps<View>>>;
  readonly onResize: (size: Size) => void;
  readonly left: Promise<Result>;
}

/** A double-width character, for which the ruler loads its table. */
const WIDE = '一';

/** The size of a terminal now, the widths of all characters, and the colours. */
export async function screenOf(
  terminal: Terminal,
  { isPlain, theme }: { readonly isPlain: boolean; readonly theme?: Theme | undefined },
): Promise<{ readonly size: Size; readonly look: Look }> {
  const style = isPlain ? plainStyle : await colourStyle(theme);
  return { size: sizeOf(terminal), look: { style, ruler: await rulerFor([WIDE], true) } };
}

function sizeOf({ columns, rows }: Terminal): Size {
  return { columns, rows };
}

/** Shows an app of Ink on the whole screen until the user leaves it. Rejects if it, or a callback, throws. */
export async function onFullScreen<View, Result>(
  terminal: Terminal,
  app: FullScreenApp<View, Result>,
  hasMouse = true,
): Promise<Result> {
  const [{ show }, component] = await Promise.all([import('./ink/show.js'), app.component()]);
  return terminal.wholeScreen(async (crashed) => {
    const output = terminal.frames();
    const resize = (): void => app.onResize(sizeOf(terminal));
    // The size may have changed while another program had the terminal.
    resize();
    const stops = [terminal.onResize(() => output.clear()), terminal.onResize(resize)];
    terminal.reportMouse(hasMouse);
    const shown = show({ ...app, component }, { input: terminal.input, output });
    try {
      return await Promise.race([app.left, crashed, shown.ended.then(() => app.left)]);
    } finally {
      for (const stop of stops) stop();
      shown.close();
    }
  });
}

/** The decision of the user, or that of a signal that aborts before. */
export class UserDecision<Result> {
  decide!: (result: Result) => void;
  readonly made = new Promise<Result>((resolve) => {
    this.decide = resolve;
  });

  constructor(signal: AbortSignal, aborted: Result) {
    const abort = (): void => this.decide(aborted);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  }
}
