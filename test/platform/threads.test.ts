import { describe, expect, it } from 'vitest';
import { SharedWork } from '#platform/threads.js';

/** Tasks of other threads and of this one, which end when the test says so. */
function begunTasks() {
  const begun: { readonly job: string; end(): void }[] = [];
  const run = (job: string, inputs: readonly unknown[]): Promise<readonly unknown[]> =>
    new Promise((resolve) => begun.push({ job, end: () => resolve([job, ...inputs]) }));
  return { run, end: () => begun.shift()?.end(), names: () => begun.map(({ job }) => job).join(' ') };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('work that threads share', () => {
  it('is begun by the first that is free, in order, and never by this thread twice at once', async () => {
    const [away, here] = [begunTasks(), begunTasks()];
    const work = new SharedWork(away.run, here.run, 2);
    const results = ['a', 'b', 'c', 'd', 'e', 'f'].map((job) => work.run(job, [1]));
    await settle();
    expect([away.names(), here.names()]).toEqual(['a b', 'c']);
    here.end();
    await settle();
    expect([away.names(), here.names()]).toEqual(['a b', 'd']);
    away.end();
    await settle();
    expect([away.names(), here.names()]).toEqual(['b e', 'd']);
    for (const tasks of [here, away, away, here]) {
      tasks.end();
      await settle();
    }
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((job) => [job, 1]));
  });

  it('passes on the failure of a task, and goes on', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('gone'));
    const here = begunTasks();
    const work = new SharedWork(fail, here.run, 1);
    const results = ['a', 'b', 'c'].map((job) => work.run(job, []));
    await expect(results[0]).rejects.toThrow('gone');
    await expect(results[2]).rejects.toThrow('gone');
    here.end();
    expect(await results[1]).toEqual(['b']);
  });

  it('ends with its consumer: no further task is begun', async () => {
    const here = begunTasks();
    const work = new SharedWork(here.run, here.run, 1);
    for (const job of ['a', 'b', 'c']) void work.run(job, []);
    work.end();
    here.end();
    here.end();
    await settle();
    expect(here.names()).toBe('');
  });
});
