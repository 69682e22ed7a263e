import { buildSessionIndex } from '#analysis/listing/session-index.js';
import { SessionFollower } from '#context/follow.js';
import type { WindowOptions } from '#context/size/window.js';
import type { Io } from '#platform/io.js';
import type { Terminal } from '#platform/terminal/terminal.js';
import { resolveRevision } from '#session/tree/revision.js';
import { choosePager } from '../terminal/paging.js';
import { formatClipboardCopy, hasClipboard } from './clipboard.js';
import type { Leave } from './effect.js';
import type { ExplorerIo, PrintedOutput } from './explorer-io.js';
import { Explorer } from './explorer.js';
import { type ColourOptions, prepareScreen, showFullScreen } from './full-screen.js';
import { pollNews } from './poll-news.js';
import { buildFirstState } from './state.js';
import type { ScreenView } from './view.js';

/** Milliseconds before the first screen, so that small sessions appear complete. */
const AT_START = 150;
const TIME_LIMIT = 600_000;

/** The end of the explorer: with a text to print, or back to the list of sessions. */
export type ExploreEnd = Extract<Leave, { kind: 'quit' | 'back' }>;

/** Explores a session until the user quits, or the signal aborts. */
export async function explore(
  io: Io,
  terminal: Terminal,
  { file, revision, isPlain, theme, names, window, isFromList = false }: ExploreOptions,
  signal: AbortSignal,
): Promise<ExploreEnd> {
  const live = await SessionFollower.open(file, io.files);
  const session = await live.session();
  const selected = resolveRevision(session, revision ?? 'HEAD');
  const { size, look } = await prepareScreen(terminal, { isPlain, theme, names });
  const sessionIndex = buildSessionIndex(session, readClock);
  readAtStart(sessionIndex.filtering.read());
  const explorer = new Explorer(
    createExplorerIo(io, terminal, isPlain),
    // A screen reader reads the screen if the variable of Ink is set.
    buildFirstState(
      sessionIndex,
      { size, look, window, isFromList, isSpoken: io.env.INK_SCREEN_READER === 'true' },
      selected,
    ),
  );
  const stopFollowing = pollNews(live, explorer.follow);
  try {
    for (;;) {
      const leave = await showUntilLeft(terminal, explorer, signal);
      if (leave.kind === 'quit' || leave.kind === 'back') return leave;
      if (leave.kind === 'suspend') await terminal.suspend();
      else await openPager(io, terminal, { argv: leave.argv, isPlain });
    }
  } finally {
    stopFollowing();
    explorer.close();
    live.close();
  }
}

export interface ExploreOptions extends ColourOptions {
  readonly file: string;
  /** The entry that is selected at first; the leaf by default. */
  readonly revision?: string | undefined;
  readonly window: WindowOptions;
  /** Whether leaving it leads back to the list of sessions. */
  readonly isFromList?: boolean;
}

const readClock = (): number => performance.now();

function readAtStart(steps: Generator): void {
  const end = readClock() + AT_START;
  while (readClock() < end && !steps.next().done);
}

/** Shows the explorer full-screen until the user leaves it. */
async function showUntilLeft(terminal: Terminal, explorer: Explorer, signal: AbortSignal): Promise<Leave> {
  return showFullScreen<ScreenView, Leave>(terminal, explorer, {
    load: async () => (await import('./ink/screen.js')).Screen,
    hasMouse: explorer.state.hasMouse,
    aborted: { kind: 'quit', say: null },
    signal,
  });
}

function createExplorerIo(io: Io, terminal: Terminal, isPlain: boolean): ExplorerIo {
  return {
    now: readClock,
    soon(call) {
      const waiting = setImmediate(call);
      return () => clearImmediate(waiting);
    },
    later(milliseconds, call) {
      const waiting = setTimeout(call, milliseconds);
      return () => clearTimeout(waiting);
    },
    run: (argv, columns, signal) => runCommand(io, { argv, columns, isPlain }, signal),
    reportMouse: (isOn) => terminal.reportMouse(isOn),
    copy(text) {
      if (!hasClipboard(io.env)) return false;
      terminal.write(formatClipboardCopy(text));
      return true;
    },
  };
}

interface Run {
  readonly argv: readonly string[];
  readonly columns: number;
  readonly isPlain: boolean;
}

/** Runs ctx in a child process, so that keys need not wait, and returns its output. */
async function runCommand(io: Io, { argv, columns, isPlain }: Run, signal: AbortSignal): Promise<PrintedOutput> {
  const [command = 'help', ...rest] = argv;
  const colour = isPlain ? '--no-color' : '--color';
  const { stdout, stderr, failure, exitCode } = await io.runProgram(
    {
      program: [...io.self, command, colour, ...rest],
      isForShell: false,
      input: '',
      timeLimit: TIME_LIMIT,
      env: { COLUMNS: String(columns) },
    },
    signal,
  );
  const parts = [stdout, stderr === '' || stdout === '' ? '' : '\n', stderr];
  const text = parts.join('') || (failure === 'none' ? 'no output' : `the command did not finish (${failure})`);
  return { text, isOk: exitCode === 0 };
}

async function openPager(io: Io, terminal: Terminal, { argv, isPlain }: Omit<Run, 'columns'>): Promise<void> {
  const { text } = await runCommand(io, { argv, columns: terminal.columns, isPlain }, new AbortController().signal);
  // The user asked for a pager, so one is used even if the pager is off for commands.
  await terminal.runHere(choosePager(io.env) ?? 'less', text);
}
