import type { Files } from '#platform/io.js';
import type { Terminal } from '#platform/terminal/terminal.js';
import type { Theme } from '../doc/style.js';
import { reason } from './background.js';
import { conversationWords, type ConversationWords, NO_WORDS } from './conversation-words.js';
import { onFullScreen, screenOf, UserDecision } from './full-screen.js';
import {
  firstPicker,
  type PickedSession,
  type PickerMessage,
  type PickerSession,
  type PickerState,
  updatePicker,
} from './picker.js';

export interface PickOptions {
  readonly files: Files;
  /** The sessions, newest first, as they are read. */
  readonly sessions: AsyncIterable<readonly PickerSession[]>;
  readonly isPlain: boolean;
  readonly theme?: Theme | undefined;
  /** The reason why a chosen session could not be opened. */
  readonly notice: string | null;
  /** The last choice, which the list goes on from; null if there is none. */
  readonly before: PickedSession | null;
}

/** Shows the sessions until the user chooses one, or the signal aborts. */
export async function pickSession(
  terminal: Terminal,
  { files, sessions, isPlain, theme, notice, before }: PickOptions,
  signal: AbortSignal,
): Promise<PickedSession> {
  const { size, look } = await screenOf(terminal, { isPlain, theme });
  const { made, decide } = new UserDecision<PickedSession>(signal, { file: null, query: '' });
  const list = new SessionList(firstPicker({ size, look, notice }, before), files, decide);
  const stopResizing = terminal.onResize(() =>
    list.send({ kind: 'resized', size: { columns: terminal.columns, rows: terminal.rows } }),
  );
  const loading = list.load(sessions);
  try {
    const { view, subscribe, send } = list;
    const app = { component: loadPicker, view, subscribe, send, hasMouse: true, left: made };
    return await onFullScreen(terminal, app);
  } finally {
    stopResizing();
    list.end();
    await loading;
  }
}

async function loadPicker() {
  return (await import('./ink/picker.js')).Picker;
}

/** Milliseconds that the cursor rests on a session before its words are read. */
const PAUSE = 70;

/** The list as it is loaded and moved through. */
class SessionList {
  private isOver = false;
  private readonly listeners = new Set<() => void>();
  private reading: NodeJS.Timeout | undefined;

  constructor(
    private current: PickerState,
    private readonly files: Files,
    private readonly decide: (choice: PickedSession) => void,
  ) {}

  readonly view = (): PickerState => this.current;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly send = (message: PickerMessage): void => {
    const before = sessionAt(this.current);
    const { state, choice } = updatePicker(this.current, message);
    this.current = state;
    for (const listener of this.listeners) listener();
    if (sessionAt(state) !== before) this.readWords();
    if (choice) this.decide(choice);
  };

  end(): void {
    this.isOver = true;
    clearTimeout(this.reading);
  }

  /** Reads the words of the session under the cursor, once the cursor rests there. */
  private readWords(): void {
    clearTimeout(this.reading);
    const session = sessionAt(this.current);
    if (!session || this.current.words.has(session.file)) return;
    const read = async (): Promise<void> => {
      const words = await conversationWords(this.files, session).catch(unlessBug);
      if (!this.isOver) this.send({ kind: 'words', file: session.file, words });
    };
    this.reading = setTimeout(() => void read(), PAUSE);
  }

  /** Reads sessions until all are read, or one was chosen. */
  async load(sessions: PickOptions['sessions']): Promise<void> {
    for await (const more of sessions) {
      if (this.isOver) return;
      this.send({ kind: 'loaded', sessions: more });
    }
    this.send({ kind: 'end' });
  }
}

function sessionAt({ found, list }: PickerState): PickerSession | undefined {
  return found[list.cursor];
}

/** A file that is being rewritten has no words for a moment. */
function unlessBug(error: unknown): ConversationWords {
  reason(error);
  return NO_WORDS;
}
