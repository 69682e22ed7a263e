import type { ReactNode } from 'react';
import type { Terminal } from '#platform/terminal/terminal.js';
import { type Ruler, rulerFor } from '../doc/ruler.js';
import { colourStyle, plainStyle, type Style, type Theme } from '../doc/style.js';
import type { Size } from './state.js';

/** An app that has the whole screen until it is left. */
export interface FullScreenApp<Result> {
  readonly node: ReactNode;
  readonly left: Promise<Result>;
}

/** A double-width character, for which the ruler loads its table. */
const WIDE = '一';

/** The size of a terminal now, the widths of all characters, and the colours. */
export async function screenOf(
  { columns, rows }: Terminal,
  { isPlain, theme }: { readonly isPlain: boolean; readonly theme?: Theme | undefined },
): Promise<{ readonly size: Size; readonly ruler: Ruler; readonly style: Style }> {
  const style = isPlain ? plainStyle : await colourStyle(theme);
  return { size: { columns, rows }, ruler: await rulerFor([WIDE], true), style };
}

/** Shows an app of Ink on the whole screen until the user leaves it. Rejects if it, or a callback, throws. */
export async function onFullScreen<Result>(
  terminal: Terminal,
  hasMouse: boolean,
  appOf: () => Promise<FullScreenApp<Result>>,
): Promise<Result> {
  // Ink and React are loaded only when something is shown.
  const { show } = await import('./ink/show.js');
  const { node, left } = await appOf();
  return terminal.wholeScreen(async (crashed) => {
    const output = terminal.frames();
    const stopClearing = terminal.onResize(() => output.clear());
    terminal.reportMouse(hasMouse);
    const app = show(node, { input: terminal.input, output });
    try {
      return await Promise.race([left, crashed, app.ended.then(() => left)]);
    } finally {
      stopClearing();
      app.close();
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
