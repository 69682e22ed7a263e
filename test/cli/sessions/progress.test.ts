import { expect, it } from 'vitest';
import { startProgress } from '#cli/sessions/progress.js';
import type { Io } from '#platform/io.js';

function watched(isTerminal: boolean): { io: Io; printed: string[]; clock: { now: number } } {
  const printed: string[] = [];
  const clock = { now: 0 };
  const stderr = {
    isTerminal,
    columns: 80,
    rows: 24,
    write: (text: string) => Promise.resolve(printed.push(text) > 0),
  };
  return { io: { stderr, now: () => clock.now } as unknown as Io, printed, clock };
}

it('says on a terminal how far a long work is, and takes it away again', async () => {
  const { io, printed, clock } = watched(true);
  const progress = startProgress(io, 9, 'sessions');
  progress.step();
  clock.now = 999;
  progress.step();
  expect(printed).toEqual([]);
  clock.now = 1000;
  progress.step();
  progress.step();
  expect(printed).toEqual(['\r3 of 9 sessions']);
  await progress.clear();
  await progress.clear();
  expect(printed.slice(1)).toEqual([`\r${' '.repeat(15)}\r`]);
  progress.again();
  progress.again();
  expect(printed.slice(2)).toEqual(['\r3 of 9 sessions']);
});

it('says nothing where there is no terminal', async () => {
  const { io, printed, clock } = watched(false);
  const progress = startProgress(io, 9, 'sessions');
  clock.now = 5000;
  progress.step();
  await progress.clear();
  progress.again();
  expect(printed).toEqual([]);
});
