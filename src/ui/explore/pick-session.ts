import { type ConversationWords, NO_WORDS, readConversationWords } from '#context/words/conversation-words.js';
import type { Files } from '#platform/files/files.js';
import type { Terminal } from '#platform/terminal/terminal.js';
import { describeFailure } from './describe-failure.js';
import { type ColourOptions, prepareScreen, showFullScreen } from './full-screen.js';
import type { ScreenSize } from './layout.js';
import type { MouseInput } from './on-mouse.js';
import {
  addSessions,
  buildFirstPicker,
  movePickerCursor,
  onPickerKey,
  onPickerMouse,
  type PickedSession,
  type PickerSession,
  type PickerState,
} from './picker-state.js';

export interface PickOptions extends ColourOptions {
  readonly files: Files;
  /** The sessions, newest first, as they are read. */
  readonly sessions: AsyncIterable<readonly PickerSession[]>;
  /** The reason why a chosen session could not be opened. */
  readonly notice: string | null;
  /** The last choice, which the list goes on from; null if there is none. */
  readonly before: PickedSession | null;
}

/** Shows the sessions until the user chooses one, or the signal aborts. */
export async function pickSession(
  terminal: Terminal,
  { files, sessions, isPlain, theme, names, notice, before }: PickOptions,
  signal: AbortSignal,
): Promise<PickedSession> {
  const { size, look } = await prepareScreen(terminal, { isPlain, theme, names });
  const list = new SessionList(buildFirstPicker({ size, look, notice }, before), files);
  const loading = list.load(sessions);
  try {
    return await showFullScreen<PickerState, PickedSession>(terminal, list, {
      load: async () => (await import('./ink/picker.js')).Picker,
      aborted: { file: null, query: '' },
      signal,
    });
  } finally {
    list.end();
    await loading;
  }
}

/** Milliseconds that the cursor rests on a session before its words are read. */
const PAUSE = 70;

/** The list as it is loaded and moved through. */
class SessionList {
  private isOver = false;
  onLeave: ((choice: PickedSession) => void) | null = null;
  private readonly listeners = new Set<() => void>();
  private reading: NodeJS.Timeout | undefined;

  constructor(
    public state: PickerState,
    private readonly files: Files,
  ) {}

  readonly view = (): PickerState => this.state;
  readonly onKey = (key: string): void => this.change((state) => onPickerKey(state, key));
  readonly onMouse = (mouse: MouseInput): void => this.change((state) => onPickerMouse(state, mouse));
  readonly onResize = (size: ScreenSize): void =>
    this.change((state) => movePickerCursor({ ...state, size }, state.list.cursor));

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private change(change: (state: PickerState) => PickerState): void {
    const before = findSession(this.state);
    this.state = change(this.state);
    for (const listener of this.listeners) listener();
    if (findSession(this.state) !== before) this.readWords();
    if (this.state.choice) this.onLeave?.(this.state.choice);
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.reading);
  }

  /** Reads the words of the session under the cursor, once the cursor rests there. */
  private readWords(): void {
    clearTimeout(this.reading);
    const session = findSession(this.state);
    if (!session || this.state.words.has(session.file)) return;
    const read = async (): Promise<void> => {
      const words = await readConversationWords(this.files, session).catch(toWordsUnlessBug);
      if (this.isOver) return;
      this.change((state) => ({ ...state, words: new Map(state.words).set(session.file, words) }));
    };
    this.reading = setTimeout(() => void read(), PAUSE);
  }

  /** Reads sessions until all are read, or one was chosen. */
  async load(sessions: PickOptions['sessions']): Promise<void> {
    for await (const more of sessions) {
      if (this.isOver) return;
      this.change((state) => addSessions(state, more));
    }
    this.change((state) => ({ ...state, isLoading: false }));
  }
}

function findSession({ found, list }: PickerState): PickerSession | undefined {
  return found[list.cursor];
}

/** A file that is being rewritten has no words for a moment. */
function toWordsUnlessBug(error: unknown): ConversationWords {
  describeFailure(error);
  return NO_WORDS;
}
