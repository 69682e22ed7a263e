import type { Terminal } from '#platform/terminal/terminal.js';
import type { Theme } from '../doc/style.js';
import { onFullScreen, screenOf, UserDecision } from './full-screen.js';
import {
  type PickedSession,
  firstPicker,
  type PickerMessage,
  type PickerSession,
  type PickerState,
  updatePicker,
} from './picker.js';

export interface PickOptions {
  /** The sessions, newest first, as they are read. */
  readonly sessions: AsyncIterable<readonly PickerSession[]>;
  readonly isPlain: boolean;
  readonly theme?: Theme | undefined;
  /** The reason why a chosen session could not be opened. */
  readonly notice: string | null;
}

/** Shows the sessions until the user chooses one, or the signal aborts. Returns its file; null for none. */
export async function pickSession(
  terminal: Terminal,
  { sessions, isPlain, theme, notice }: PickOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const { size, look } = await screenOf(terminal, { isPlain, theme });
  const { made, decide } = new UserDecision<PickedSession>(signal, { file: null });
  const list = new SessionList(firstPicker({ size, look, notice }), decide);
  const stopResizing = terminal.onResize(() =>
    list.send({ kind: 'resized', size: { columns: terminal.columns, rows: terminal.rows } }),
  );
  const loading = list.load(sessions);
  try {
    const { view, subscribe, send } = list;
    const app = { component: loadPicker, view, subscribe, send, hasMouse: true, left: made };
    return (await onFullScreen(terminal, app)).file;
  } finally {
    stopResizing();
    list.isOver = true;
    await loading;
  }
}

async function loadPicker() {
  return (await import('./ink/picker.js')).Picker;
}

/** The list as it is loaded and moved through. */
class SessionList {
  isOver = false;
  private readonly listeners = new Set<() => void>();

  constructor(
    private current: PickerState,
    private readonly decide: (choice: PickedSession) => void,
  ) {}

  readonly view = (): PickerState => this.current;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly send = (message: PickerMessage): void => {
    const { state, choice } = updatePicker(this.current, message);
    this.current = state;
    for (const listener of this.listeners) listener();
    if (choice) this.decide(choice);
  };

  /** Reads sessions until all are read, or one was chosen. */
  async load(sessions: PickOptions['sessions']): Promise<void> {
    for await (const more of sessions) {
      if (this.isOver) return;
      this.send({ kind: 'loaded', sessions: more });
    }
    this.send({ kind: 'end' });
  }
}
