import { findPathThrough } from '#analysis/listing/session-index.js';
import type { SessionUpdate } from '#context/follow.js';
import { buildOverviewInSteps } from '#context/replay/build-envelope.js';
import { BackgroundJobs, HeldMessages } from '#platform/background.js';
import { describeFailure } from './describe-failure.js';
import type { Effect, Leave, SearchEffect } from './effect.js';
import type { ExplorerIo, PrintedOutput } from './explorer-io.js';
import { showNews } from './file-change.js';
import type { ScreenSize } from './layout.js';
import { readStyledLines } from './lines.js';
import { buildSearch } from './list-search.js';
import { onKey } from './on-key.js';
import { type MouseInput, onMouse } from './on-mouse.js';
import { isWriteCommand } from './plan-page.js';
import { type ExplorerState, findSelectedEntry, relist } from './state.js';
import { resizeScreen, retryJump, type ScreenProgress, showEnvelope, showOutput, type StateChange } from './update.js';
import { readView, type ScreenView } from './view.js';

/** Milliseconds that the cursor rests on an entry before its envelope is built. */
const PAUSE = 70;
/** Milliseconds of building before the progress is shown. */
const PATIENCE = 200;
/** Milliseconds between two screens that differ only in their progress. */
const BETWEEN = 100;

/** Milliseconds between two screens that show how many cache breaks are known. */
const RARELY = 1000;
/** Milliseconds per entry before a path is compared again, about twice what that takes. */
const REST = 0.1;

/** Handles keys and file changes, does the work in the background, and shows the result. */
export class Explorer {
  private readonly listeners = new Set<() => void>();
  private readonly held: HeldMessages<StateChange>;
  private seen: ScreenView | null = null;
  private isAnnounced = false;
  private nextProgress = 0;
  private readonly jobs: BackgroundJobs<'build' | 'read' | 'compare' | 'filter' | 'search'>;
  private running = new AbortController();
  /** The path that was last compared for cache breaks. */
  private compared: Uint32Array | null = null;
  /** Called when the user leaves the screen. */
  onLeave: ((leave: Leave) => void) | null = null;

  constructor(
    private readonly edge: ExplorerIo,
    public state: ExplorerState,
  ) {
    this.held = new HeldMessages((change) => this.take(change), edge);
    this.jobs = new BackgroundJobs(this.held, {
      onSlice: () => this.showProgress({}),
      onEnd: () => this.show({}),
      onError: (error) => this.show({ notice: describeFailure(error) }),
    });
    this.readFilter();
    this.look();
  }

  /** Calls back when the screen changes. Returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** The state to show, with what is visible of the session: the same object until the screen changes. */
  readonly view = (): ScreenView => {
    if (this.seen && (this.held.isHeld || !this.isAnnounced)) return this.seen;
    this.isAnnounced = false;
    const read = this.unlessUnreadable(() => readView(this.state), this.seen ?? { rows: [], inside: [], page: [] });
    this.seen = { ...read, state: this.state };
    if (this.state.sessionIndex.previews.isMissing) this.held.soon(() => this.show({}));
    return this.seen;
  };

  readonly onKey = (key: string): void => this.change((state) => onKey(state, key));
  readonly onMouse = (mouse: MouseInput): void => this.change((state) => onMouse(state, mouse));
  readonly onResize = (size: ScreenSize): void => this.change((state) => resizeScreen(state, size));

  /** Shows the news of the file. Suspends reading and drawing while the file is being read. */
  readonly follow = (read: () => Promise<SessionUpdate | null>): Promise<void> =>
    this.held.during(async () => {
      const news = await read();
      return news && ((state) => showNews(state, news, this.edge.now));
    });

  /** Stops all work in progress. */
  close(): void {
    this.jobs.stop();
    this.running.abort();
  }

  private readonly change = (change: StateChange): void => this.held.send(change);

  private take(change: StateChange): void {
    const before = this.state;
    const updated = this.unlessUnreadable(() => change(before), null);
    if (!updated) return this.announce();
    const state = updated.effects.length === 0 ? updated : { ...updated, effects: [] };
    this.state = state;
    if (state.sessionIndex !== before.sessionIndex) this.jobs.stop('search', 'compare');
    if (state.sessionIndex !== before.sessionIndex || state.filter !== before.filter) this.readFilter();
    if (state.sessionIndex !== before.sessionIndex || findSelectedEntry(state) !== findSelectedEntry(before))
      this.look();
    for (const effect of updated.effects) this.carryOut(effect);
    if (state !== before) this.announce();
  }

  /**
   * Reads, or returns `otherwise` with a notice: the file may change at any moment, so that known offsets become
   * invalid.
   */
  private unlessUnreadable<Result>(read: () => Result, otherwise: Result): Result {
    try {
      return read();
    } catch (error) {
      this.state = { ...this.state, notice: describeFailure(error), highlight: null };
      return otherwise;
    }
  }

  private announce(): void {
    if (this.isAnnounced) return;
    this.isAnnounced = true;
    // Pending keys come first, so that many of them need one screen.
    this.held.soon(() => {
      for (const listener of this.listeners) listener();
    });
  }

  private carryOut(effect: Effect): void {
    switch (effect.kind) {
      case 'copy':
        return this.copy(effect.text);
      case 'run':
        return this.run(effect.argv);
      case 'stop':
        return this.running.abort();
      case 'report-mouse':
        return this.edge.reportMouse(effect.isOn);
      case 'search':
        return this.search(effect);
      case 'stop-search':
        return this.jobs.stop('search');
      default:
        return this.onLeave?.(effect);
    }
  }

  private copy(text: string): void {
    const notice = this.edge.copy(text) ? `copied: ${text}` : `this terminal does not support copying: ${text}`;
    this.show({ notice });
  }

  private run(argv: readonly string[]): void {
    this.running.abort();
    const mine = new AbortController();
    this.running = mine;
    const print = ({ text, isOk }: PrintedOutput): void => {
      if (mine.signal.aborted) return;
      const lines = readStyledLines(text, this.state.look.style);
      this.change((state) => showOutput(state, lines, isOk));
    };
    // A writing command is not stopped: its page may be left, and the file is followed.
    const signal = isWriteCommand({ argv }) ? new AbortController().signal : mine.signal;
    this.edge
      .run(argv, this.state.size.columns, signal)
      .then(print, (error: unknown) => print({ text: describeFailure(error), isOk: false }));
  }

  private search(effect: SearchEffect): void {
    const { work, slices } = buildSearch(this.state, effect, {
      change: this.change,
      progress: (searching) => this.showProgress({ searching }),
      stop: () => this.jobs.stop('search'),
    });
    this.jobs.start('search', work, slices);
  }

  /** Reads the answers that some filters need. */
  private readFilter(): void {
    this.jobs.stop('filter');
    const { sessionIndex, filter } = this.state;
    if (sessionIndex.filtering.share(filter) === 1) return;
    this.jobs.start('filter', sessionIndex.filtering.read(), {
      onEnd: () => this.change((state) => relist(state, {}, findSelectedEntry(state))),
    });
  }

  /** Shows progress or a notice; without any, what was read since. */
  private show(progress: ScreenProgress): void {
    this.change((state) => retryJump({ ...state, ...progress }));
  }

  /** Shows progress at most once in `between` milliseconds, because drawing a screen is slow. */
  private showProgress(progress: ScreenProgress, between: number = BETWEEN): void {
    const now = this.edge.now();
    if (now < this.nextProgress) return;
    this.nextProgress = now + between;
    this.show(progress);
  }

  /** Builds the envelope of the entry under the cursor, once the cursor rests there. */
  private look(): void {
    this.jobs.stop('build', 'read');
    const { sessionIndex } = this.state;
    const index = findSelectedEntry(this.state);
    const begin = (): void => {
      this.build(index);
      const path = index < 0 ? new Uint32Array() : findPathThrough(sessionIndex, index);
      this.jobs.start('read', sessionIndex.requests.read(path), { onEnd: () => this.compare(path) });
    };
    this.jobs.replace('build', () => this.edge.later(PAUSE, begin));
  }

  /** Finds the cache breaks of a path. Continues if it is the path of the last call, wherever its cursor is. */
  private compare(path: Uint32Array): void {
    this.show({});
    if (this.compared === path) return;
    // A file that grows is compared from its beginning again, which must not take all the time.
    const wait = this.compared === null ? 0 : path.length * REST;
    this.compared = path;
    const { requests } = this.state.sessionIndex;
    // Drawing all requests again takes longer than comparing some.
    const onSlice = (): void => this.showProgress({}, this.state.awaited === null ? RARELY : BETWEEN);
    const compare = (): void => this.jobs.start('compare', requests.compare(path), { onSlice });
    this.jobs.replace('compare', () => this.edge.later(wait, compare));
  }

  private build(index: number): void {
    const { sessionIndex, window } = this.state;
    const { session } = sessionIndex;
    const start = this.edge.now();
    const steps = buildOverviewInSteps(session, session.tree.heads.at(index) ?? null, window);
    this.jobs.start('build', steps, {
      onSlice: (share) => {
        if (this.edge.now() - start > PATIENCE) this.showProgress({ building: share });
      },
      onEnd: (overview) => this.change((state) => showEnvelope(state, { kind: 'ready', index, overview })),
      onError: (error) =>
        this.change((state) => showEnvelope(state, { kind: 'failed', index, message: describeFailure(error) })),
    });
  }
}
