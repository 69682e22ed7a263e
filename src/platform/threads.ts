import os from 'node:os';
import { Tinypool } from 'tinypool';

/** Worker threads for the jobs of src/cli/sessions/jobs/. */
export interface Threads {
  /** Waits for a free thread, which does a job for each input. Rejects if the thread ends before. */
  run(job: string, inputs: readonly unknown[]): Promise<readonly unknown[]>;
  readonly count: number;
  /** Ends the threads in any state. */
  end(): Promise<void>;
}

type Run = Threads['run'];
/** Never fails: its result is passed on. */
type Task = (run: Run) => Promise<void>;

const MOST_THREADS = 4;

/**
 * Null on a machine with one processor. `here` does jobs in this thread: then it is one of the threads, which saves
 * loading the program and compiling its functions once more.
 */
export function startThreads(here?: Run): Threads | null {
  const processors = os.availableParallelism();
  if (processors < 2) return null;
  const count = Math.min(processors, MOST_THREADS);
  const others = here ? count - 1 : count;
  const pool = new Tinypool({
    // The program is next to this file; its default export runs the jobs.
    filename: new URL('main.js', import.meta.url).href,
    minThreads: others,
    maxThreads: others,
    // A thread that has ended a task must not wait for this one, which is at work too.
    concurrentTasksPerWorker: here ? TASKS_OF_EACH : 1,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  // A thread that cannot start has no job to fail, so every job fails.
  pool.on('error', () => void pool.destroy());
  const away: Run = (job, inputs) => pool.run({ job, inputs }) as Promise<readonly unknown[]>;
  const shared = here && new SharedWork(away, here, others * TASKS_OF_EACH);
  return {
    count,
    run: shared ? (job, inputs) => shared.run(job, inputs) : away,
    end() {
      shared?.end();
      return pool.destroy();
    },
  };
}

/** A thread that does one task after another, each with the function of the program that it was started for. */
export interface TaskThread {
  /**
   * Waits until it is free. A task that is aborted rejects at once: its thread ends, and the next task gets a new one.
   */
  run(task: unknown, signal: AbortSignal): Promise<unknown>;
  end(): Promise<void>;
}

/** `name`: the exported function. */
export function startTaskThread(name: string): TaskThread {
  const filename = new URL('main.js', import.meta.url).href;
  const pool = new Tinypool({ filename, name, minThreads: 1, maxThreads: 1 });
  return { run: (task, signal) => pool.run(task, { signal }), end: () => pool.destroy() };
}

const TASKS_OF_EACH = 2;

/** Tasks for other threads and for this one, each begun by the first that is free. */
export class SharedWork {
  private readonly waiting: Task[] = [];
  private given = 0;
  private isBusy = false;

  /** `most`: the number of tasks that the other threads have at once. */
  constructor(
    private readonly away: Run,
    private readonly here: Run,
    private readonly most: number,
  ) {}

  run(job: string, inputs: readonly unknown[]): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push((run) => run(job, inputs).then(resolve, reject));
      this.begin();
    });
  }

  /** Begins no further task. */
  end(): void {
    this.waiting.length = 0;
  }

  private begin(): void {
    while (this.given < this.most) {
      const task = this.waiting.shift();
      if (!task) return;
      void this.give(task);
    }
    if (!this.isBusy) void this.work();
  }

  private async give(task: Task): Promise<void> {
    this.given += 1;
    await task(this.away);
    this.given -= 1;
    this.begin();
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    for (let task = this.waiting.shift(); task; task = this.waiting.shift()) await task(this.here);
    this.isBusy = false;
  }
}
