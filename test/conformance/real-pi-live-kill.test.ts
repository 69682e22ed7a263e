import { readFileSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import { countDamage } from '#session/session.js';
import { Random } from '../support/random.js';
import { withRealPi } from '../support/real-pi.js';
import { runs } from '../support/runs.js';
import { hook } from './live/offline.js';
import { type PiOptions, RunningPi } from './live/running-pi.js';

/** Milliseconds after a prompt in which Pi answers, runs a tool and ends its turn. */
const SPAN = 400;
/** Milliseconds after a write in which the next one may follow. */
const AFTER_WRITE = 6;
/** Kills in one session, which grows with each of them. */
const KILLS = 10;
const SECONDS = 20;

interface Writer {
  readonly name: string;
  readonly options: PiOptions;
  /** The prompt during which Pi is killed. */
  readonly prompt: string;
  /** Matches the entries that ctx writes. */
  readonly writes: RegExp;
}

const WRITERS: readonly Writer[] = [
  {
    name: 'hooks write at each request, and an engine changes the context',
    options: {
      settings: { hooks: [hook('reminder.ts'), hook('policy.ts')], engine: 'turn-prune' },
      config: { limit: 6000 },
    },
    prompt: 'run seq 400',
    writes: /"customType":"context_transform"/,
  },
  {
    name: 'the gate prunes or compacts at the ends of turns',
    options: { settings: { gate: 'on' }, config: { limit: 4000, prune: { compactFrom: 'compact' } } },
    prompt: `Another question: ${'a word '.repeat(600)}`,
    // Where kills come before the ends of turns, the context may grow past what a prune is for.
    writes: /"type":"(?:context_edit|compaction)"/,
  },
];

/** Waits for a random moment; often for one right after a write to the file, while there may be one. */
async function moment(random: Random, file: string, isSettled: () => boolean): Promise<void> {
  if (random.chance(0.3)) return wait(random.int(0, SPAN));
  const skipped = random.int(0, 6);
  let writes = 0;
  let size = statSync(file).size;
  while (writes <= skipped && !isSettled()) {
    await wait(1);
    const now = statSync(file).size;
    if (now !== size) writes += 1;
    size = now;
  }
  await wait(random.int(0, AFTER_WRITE));
}

/** Kills Pi at a moment, and looks at the session. */
async function killed(
  pi: RunningPi,
  file: string,
  { random, prompt }: { readonly random: Random; readonly prompt: string },
): Promise<void> {
  const before = readFileSync(file);
  let isSettled = false;
  void pi.prompt(prompt).then(
    () => (isSettled = true),
    () => null,
  );
  await moment(random, file, () => isSettled);
  await pi.kill();
  const after = readFileSync(file);
  expect(after.subarray(0, before.length).equals(before), 'every earlier byte is there').toBe(true);
  expect(after.at(-1), 'the last line is whole').toBe(0x0a);
  const session = await openSession(file);
  expect(countDamage(session)).toBe(0);
  envelopeAt(session);
  session.close();
}

withRealPi('Pi, killed while it writes', () => {
  it.each(WRITERS.map((writer) => [writer.name, writer] as const))(
    'leaves a whole session, and goes on: %s',
    async (_, { options, prompt, writes }) => {
      const count = runs(200 / WRITERS.length, 6);
      const random = new Random(6);
      let text = '';
      for (let done = 0; done < count;) {
        await using pi = await RunningPi.start(options);
        await pi.prompt('Hello');
        for (const more of ['run seq 300', 'run seq 301', 'run seq 302']) await pi.prompt(more);
        const file = await pi.file();
        for (let nth = 0; nth < KILLS && done < count; nth += 1, done += 1) {
          await killed(pi, file, { random, prompt });
          await pi.launch(['--session', file]);
          const answered = pi.got().length;
          await pi.prompt('And now?');
          expect(pi.got().length).toBeGreaterThan(answered);
          expect(pi.notices.filter((notice) => !notice.startsWith('info'))).toEqual([]);
        }
        // On a busy machine each kill may have come before a write: whole turns follow.
        for (let more = 0; more < 20 && !writes.test(readFileSync(file, 'utf8')); more += 1) await pi.prompt(prompt);
        text += readFileSync(file, 'utf8');
      }
      expect(text).toMatch(writes);
    },
    runs(200) * SECONDS * 1000,
  );
});
