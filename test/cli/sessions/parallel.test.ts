import { describe, expect, it } from 'vitest';
import type { Batch } from '#cli/sessions/jobs/jobs.js';
import { runJobs } from '#cli/sessions/parallel.js';
import type { Io } from '#platform/io.js';
import { Log } from '../../fixtures/log.js';
import { memoryFiles } from '../../support/memory-io.js';

/** Threads whose jobs end when the test says so: all of a pack at once, which has the name of its first input. */
class SlowThreads {
  readonly count = 2;
  readonly running = new Map<string, { resolve(value: unknown): void; reject(error: Error): void }>();
  hasEnded = false;

  run(_job: string, inputs: readonly unknown[]): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      const all = (value: unknown): void => resolve(inputs.map(() => ({ ok: true, output: value })));
      this.running.set(String(inputs[0]), { resolve: all, reject });
    });
  }

  end(): Promise<void> {
    this.hasEnded = true;
    for (const { reject } of this.running.values()) reject(new Error('ended'));
    return Promise.resolve();
  }
}

function ioWith(threads: SlowThreads | null): Io {
  const files = memoryFiles({ a: new Log('a').user('u1', 'hi').text(), b: 'no session' });
  return { files, startThreads: () => Promise.resolve(threads) } as unknown as Io;
}

function batch(inputs: readonly string[], size: number, onDone = (): void => {}): Batch<'summarize'> {
  return { job: 'summarize', inputs, sizes: inputs.map(() => size), onDone };
}

/** The size of a session that keeps a thread busy for longer than its start takes. */
const BIG = 1e8;

describe('jobs', () => {
  it('are done here where threads are not worth it, or where there are none', async () => {
    for (const [threads, size] of [
      [new SlowThreads(), 4e6],
      [null, BIG],
    ] as const) {
      const results: unknown[] = [];
      for await (const ready of runJobs(ioWith(threads), batch(['a', 'b', 'c'], size))) results.push(...ready);
      expect(results).toMatchObject([
        { ok: true, output: { id: 'a' } },
        { ok: false, error: expect.stringContaining('not a session') as string },
        { ok: false, error: 'no such file' },
      ]);
    }
  });

  it('are done here if all but the largest are small', async () => {
    const threads = new SlowThreads();
    const sizes = [BIG, 1e3, 1e3];
    for await (const _ of runJobs(ioWith(threads), { ...batch(['a', 'b', 'c'], BIG), sizes })) {
      expect(threads.running.size).toBe(0);
    }
  });

  it('are passed to threads, however small, if they are a part of work that is worth threads', async () => {
    const threads = new SlowThreads();
    const results = runJobs(ioWith(threads), { ...batch(['a'], 1), isWorthThreads: true });
    const first = results.next();
    await new Promise(setImmediate);
    threads.running.get('a')?.resolve(1);
    expect((await first).value).toEqual([{ ok: true, output: 1 }]);
    await results.return(undefined);
  });

  it('give their results in order, and all that are ready at once', async () => {
    const threads = new SlowThreads();
    let done = 0;
    const results = runJobs(
      ioWith(threads),
      batch(['1', '2', '3'], BIG, () => (done += 1)),
    );
    const first = results.next();
    await new Promise(setImmediate);
    threads.running.get('2')?.resolve(2);
    threads.running.get('3')?.reject(new Error('3 is broken'));
    await new Promise(setImmediate);
    expect(done).toBe(2);
    threads.running.get('1')?.resolve(1);
    expect((await first).value).toEqual([
      { ok: true, output: 1 },
      { ok: true, output: 2 },
      { ok: false, error: '3 is broken', cause: new Error('3 is broken') },
    ]);
    expect(await results.next()).toMatchObject({ done: true });
    expect(threads.hasEnded).toBe(true);
  });

  it('are passed to threads several at once if there are many, and begun only a few at a time', async () => {
    const threads = new SlowThreads();
    const results = runJobs(
      ioWith(threads),
      batch(
        Array.from({ length: 1000 }, (_, at) => `${at}`),
        BIG,
      ),
    );
    const first = results.next();
    await new Promise(setImmediate);
    expect(threads.running.size).toBe(16);
    threads.running.get('0')?.resolve(0);
    expect((await first).value).toHaveLength(16);
    await results.return(undefined);
  });

  it('are done here too if they are light', async () => {
    const end = (): Promise<void> => Promise.resolve();
    const elsewhere = (): Promise<never> => Promise.reject(new Error('elsewhere'));
    const startThreads: Io['startThreads'] = (here = elsewhere) => Promise.resolve({ count: 1, run: here, end });
    const io = { ...ioWith(null), startThreads };
    const results: unknown[] = [];
    for await (const ready of runJobs(io, { ...batch(['a', 'b'], BIG), isLight: true })) results.push(...ready);
    expect(results).toMatchObject([
      { ok: true, output: { id: 'a' } },
      { ok: false, error: expect.stringContaining('not a session') as string },
    ]);
  });

  it('end with their consumer', async () => {
    const threads = new SlowThreads();
    const results = runJobs(ioWith(threads), batch(['1', '2'], BIG));
    setImmediate(() => threads.running.get('1')?.resolve(1));
    for await (const [result] of results) {
      expect(result).toEqual({ ok: true, output: 1 });
      break;
    }
    expect(threads.hasEnded).toBe(true);
  });
});
