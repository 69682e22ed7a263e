import { type Key, render, useInput } from 'ink';
import { type ComponentType, useCallback, useRef, useSyncExternalStore } from 'react';
import type { ScreenApp, ScreenProps } from '../full-screen.js';
import { isMouseInput, readMouse } from '../on-mouse.js';
import { PASTE_PREFIX } from '../prompt.js';

interface AppProps<View> {
  readonly app: ScreenApp<View>;
  readonly component: ComponentType<ScreenProps<View>>;
}

/** The streams of a terminal. */
interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Shows the screen until `close` is called. `ended` rejects if rendering fails. */
export function renderApp<View>(props: AppProps<View>, { input, output }: Streams) {
  const instance = render(<InkApp {...props} />, {
    stdin: input,
    stdout: output,
    maxFps: FRAMES_PER_SECOND,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return { ended: instance.waitUntilExit(), close: () => instance.unmount() };
}

/** Keys that repeat faster than this share a frame. */
const FRAMES_PER_SECOND = 60;

/** A screen that changes with its source, and passes on keys by their names, and the mouse. */
export function InkApp<View>({ component: Screen, app: { view, subscribe, onKey, onMouse } }: AppProps<View>) {
  const seen = useSyncExternalStore(subscribe, view, view);
  const pasted = useRef(new Pasting());
  const onInput = useCallback(
    (input: string, key: Key) => {
      const mouse = readMouse(input);
      if (mouse) onMouse(mouse);
      if (isMouseInput(input)) return;
      for (const name of pasted.current.keysOf(input, key)) onKey(name);
    },
    [onKey, onMouse],
  );
  useInput(onInput);
  return <Screen view={seen} />;
}

/** Collects pasted text, which the terminal brackets (mode 2004), so that its line breaks are no keys. */
class Pasting {
  private text: string | null = null;

  keysOf(input: string, key: Key): readonly string[] {
    if (input === '[200~') this.text = '';
    else if (input === '[201~' && this.text !== null) return this.end(this.text);
    else if (this.text === null) return readKeys(input, key);
    else this.text += key.return || key.tab ? ' ' : input;
    return [];
  }

  private end(text: string): readonly string[] {
    this.text = null;
    return [`${PASTE_PREFIX}${text}`];
  }
}

/** The explorer's names of the keys; several after fast typing or a paste. */
export function readKeys(input: string, key: Key): readonly string[] {
  const [flag] = Object.entries(key).find(([name, isDown]) => isDown === true && !MODIFIERS.has(name)) ?? [];
  if (flag !== undefined) {
    const name = NAMES[flag] ?? flag.replace('Arrow', '').toLowerCase();
    if (key.meta && name === 'backspace') return ['alt-backspace'];
    return [key.shift && name === 'tab' ? 'shift-tab' : name];
  }
  if (key.ctrl) return /^[a-z]$/.test(input) ? [`ctrl-${input}`] : [];
  if (key.meta) return /^[bdf]$/.test(input) ? [`alt-${input}`] : [];
  return Array.from(input).flatMap((character) => (character < ' ' ? (CONTROLS[character] ?? []) : [character]));
}

const MODIFIERS: ReadonlySet<string> = new Set(['ctrl', 'shift', 'meta', 'super', 'hyper', 'capsLock', 'numLock']);

/** Keys that Ink names by other words. */
const NAMES: Readonly<Record<string, string>> = { return: 'enter', delete: 'backspace' };

/** Control characters within pasted text. */
const CONTROLS: Readonly<Record<string, string>> = { '\r': 'enter', '\n': 'enter', '\t': 'tab' };
