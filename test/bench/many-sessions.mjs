// A folder of many generated sessions, laid out as Pi does it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, writeBigSession } from './big-session.mjs';
import { MadeUp } from './made-up.mjs';
import { kept } from './measure.mjs';

const PROJECTS = ['weather', 'forecast', 'notes', 'site', 'bot', 'maps', 'tides'].map((name) => `/home/ada/${name}`);
/** The spread of the natural logarithm of the sizes: one session in twenty is about twelve times the median. */
const SPREAD = 1.5;
const MEDIAN = bytesOf('200KB');
const [LEAST, MOST] = [2e4, 2e7];
/** The number of sessions that are generated; the others are copies of them with another header, which is far quicker. */
const BODIES = 200;

/** A number with a normal distribution. */
function drawNormal(dice) {
  const share = () => (parseInt(dice.hex(8), 16) + 1) / 2 ** 32;
  return Math.sqrt(-2 * Math.log(share())) * Math.cos(2 * Math.PI * share());
}

/** Writes a number of sessions, one an hour. Returns the path of their folder. */
export function keepManySessions(count) {
  return kept(`fleet-${count}`, (folder) => {
    const dice = new MadeUp(7);
    const bodies = [];
    for (let index = 0; index < count; index += 1) {
      const { file, header } = place(folder, index);
      if (index < BODIES) {
        const size = Math.min(MOST, Math.max(LEAST, MEDIAN * Math.exp(SPREAD * drawNormal(dice))));
        writeBigSession(file, { size, seed: index + 1, header });
        const written = readFileSync(file);
        bodies.push(written.subarray(written.indexOf('\n') + 1));
      } else {
        const line = JSON.stringify({ type: 'session', version: 3, ...header });
        writeFileSync(file, Buffer.concat([Buffer.from(`${line}\n`), bodies[index % BODIES]]));
      }
    }
  });
}

/** Writes one session into a folder of its own. Returns the path of that folder. */
export function keepOneSession(size, shape) {
  return kept(`one-${shape}-${size}`, (folder) => {
    const { file, header } = place(folder, 0);
    // A session without a branch has no compaction, so that all of it is context.
    const compactEvery = shape === 'linear' ? 0 : 400;
    writeBigSession(file, { size: bytesOf(size), shape, compactEvery, header });
  });
}

/** The path of a session, whose folder is made, and the fields of its first line. */
function place(folder, index) {
  const cwd = PROJECTS[index % PROJECTS.length];
  const timestamp = new Date(Date.parse('2026-03-02T09:00:00.000Z') + index * 3_600_000).toISOString();
  const id = `019cad3e-0000-7000-8000-${String(index).padStart(12, '0')}`;
  const project = join(folder, `--${cwd.slice(1).replaceAll('/', '-')}--`);
  mkdirSync(project, { recursive: true });
  return { file: join(project, `${timestamp.replaceAll(/[:.]/g, '-')}_${id}.jsonl`), header: { id, timestamp, cwd } };
}
