import { overviewInSteps } from '#context/replay/build.js';
import { BackgroundJobs, type Edge, Held, type Leave, type Printed, reason } from './background.js';
import { pathOfEntry } from './known.js';
import { linesOfText } from './lines.js';
import { isWriting } from './on-plan-key.js';
import { nextOf } from './on-search-key.js';
import { matchesInList, patternOf } from './search.js';
import { type Effect, type ExplorerState, selected } from './state.js';
import { type ExplorerMessage, type ProgressChange, update } from './update.js';
import { type ScreenView, viewOf } from './view.js';

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
  private readonly held: Held<ExplorerMessage>;
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
    private readonly edge: Edge,
    private current: ExplorerState,
  ) {
    this.held = new Held((message) => this.take(message), edge);
    this.jobs = new BackgroundJobs(this.held, {
      onSlice: () => this.showProgress({}),
      onEnd: () => this.show({}),
      onError: (error) => this.show({ notice: reason(error) }),
    });
    this.readFilter();
    this.look();
  }

  get state(): ExplorerState {
    return this.current;
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
    const read = this.unlessUnreadable(() => viewOf(this.current), this.seen ?? NOTHING);
    this.seen = { ...read, state: this.current };
    if (this.current.known.previews.isMissing) this.held.soon(() => this.show({}));
    return this.seen;
  };

  readonly send = (message: ExplorerMessage): void => this.held.send(message);

  /** Suspends reading and drawing while the file is being read. */
  async whileHeld(work: () => Promise<ExplorerMessage | null>): Promise<void> {
    await this.held.during(work);
  }

  /** Stops all work in progress. */
  close(): void {
    this.jobs.stop();
    this.running.abort();
  }

  private take(message: ExplorerMessage): void {
    const before = this.current;
    const updated = this.unlessUnreadable(() => update(before, message), null);
    if (!updated) return this.announce();
    const { state, effects } = updated;
    this.current = state;
    if (state.known !== before.known) this.jobs.stop('search', 'compare');
    if (state.known !== before.known || state.filter !== before.filter) this.readFilter();
    if (state.known !== before.known || selected(state) !== selected(before)) this.look();
    for (const effect of effects) this.carryOut(effect);
    if (state !== before) this.announce();
  }

  /** Reads, or returns `otherwise` with a notice: the file may change at any moment, so that known offsets become invalid. */
  private unlessUnreadable<Result>(read: () => Result, otherwise: Result): Result {
    try {
      return read();
    } catch (error) {
      this.current = { ...this.current, notice: reason(error), highlight: null };
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
      case 'quit':
      case 'back':
      case 'suspend':
      case 'pager':
        return this.onLeave?.(effect);
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
    const print = ({ text, isOk }: Printed): void => {
      if (!mine.signal.aborted) this.send({ kind: 'printed', lines: linesOfText(text, this.current.look.style), isOk });
    };
    // A writing command is not stopped: its page may be left, and the file is followed.
    const signal = isWriting({ argv }) ? new AbortController().signal : mine.signal;
    this.edge
      .run(argv, this.current.size.columns, signal)
      .then(print, (error: unknown) => print({ text: reason(error), isOk: false }));
  }

  private search({ pattern, from, step }: Extract<Effect, { kind: 'search' }>): void {
    const { rows, known } = this.current;
    const goal = pattern === null ? 'error' : patternOf(pattern);
    const none = pattern === null ? 'no error in this list' : `no match for ${pattern}`;
    let isFound = false;
    const found = (row: number | null | undefined): void => {
      if (isFound || typeof row !== 'number') return;
      isFound = true;
      this.send({ kind: 'found', index: rows.indexAt(row) });
    };
    this.jobs.start('search', matchesInList({ rows, known }, { goal, from, step }), {
      onSlice: ({ share, first }) => {
        found(first);
        if (!isFound || pattern !== null) return this.showProgress({ searching: share });
        this.jobs.stop('search');
        this.send({ kind: 'searched', matches: null, notice: null });
      },
      onEnd: (matches) => {
        found(nextOf(matches, from, step));
        this.send({
          kind: 'searched',
          matches: pattern === null ? null : matches,
          notice: matches.length === 0 ? none : null,
        });
      },
      onError: (error) => this.send({ kind: 'searched', matches: null, notice: reason(error) }),
    });
  }

  /** Reads the answers that some filters need. */
  private readFilter(): void {
    this.jobs.stop('filter');
    const { known, filter } = this.current;
    if (known.filtering.share(filter) === 1) return;
    this.jobs.start('filter', known.filtering.read(), { onEnd: () => this.send({ kind: 'filtered' }) });
  }

  /** Shows progress or a notice; without any, what was read since. */
  private show(change: ProgressChange): void {
    this.send({ kind: 'progress', change });
  }

  /** Shows progress at most once in `between` milliseconds, because drawing a screen is slow. */
  private showProgress(change: ProgressChange, between: number = BETWEEN): void {
    const now = this.edge.now();
    if (now < this.nextProgress) return;
    this.nextProgress = now + between;
    this.show(change);
  }

  /** Builds the envelope of the entry under the cursor, once the cursor rests there. */
  private look(): void {
    this.jobs.stop('build', 'read');
    const { known } = this.current;
    const index = selected(this.current);
    const begin = (): void => {
      this.build(index);
      const path = index < 0 ? new Uint32Array() : pathOfEntry(known, index);
      this.jobs.start('read', known.requests.read(path), { onEnd: () => this.compare(path) });
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
    const { requests } = this.current.known;
    // Drawing all requests again takes longer than comparing some.
    const onSlice = (): void => this.showProgress({}, this.current.awaited === null ? RARELY : BETWEEN);
    const compare = (): void => this.jobs.start('compare', requests.compare(path), { onSlice });
    this.jobs.replace('compare', () => this.edge.later(wait, compare));
  }

  private build(index: number): void {
    const { known, window } = this.current;
    const { session } = known;
    const start = this.edge.now();
    const steps = overviewInSteps(session, session.tree.heads.at(index) ?? null, session.readPatch, window);
    this.jobs.start('build', steps, {
      onSlice: (share) => {
        if (this.edge.now() - start > PATIENCE) this.showProgress({ building: share });
      },
      onEnd: (overview) => this.send({ kind: 'shown', shown: { kind: 'ready', index, overview } }),
      onError: (error) => this.send({ kind: 'shown', shown: { kind: 'failed', index, message: reason(error) } }),
    });
  }
}

const NOTHING: Omit<ScreenView, 'state'> = { rows: [], inside: [], page: [] };
