import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWhole } from './runs.js';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** The fixtures of this project that are sessions of Pi. */
export const fixtures: readonly string[] = sessionsIn(path.join(projectFolder, 'fixtures')).filter(
  (file) => !file.includes(`${path.sep}fixtures${path.sep}agents${path.sep}`),
);

/** Samples of another agent's sessions beside the project: tests use them where they are. */
export function samplesOf(agent: string): readonly string[] {
  return sessionsIn(path.join(projectFolder, '../shared/data/agents', agent));
}

/** Those of them that laws are tried on: see `triedRecordings`. */
export function triedSamplesOf(agent: string): readonly string[] {
  return samplesOf(agent).filter(isTried);
}

/** Recorded sessions beside the project: tests use them where they are, and do without where they are not. */
export const recordings: readonly string[] = ['real', 'recorded'].flatMap((name) =>
  sessionsIn(path.join(projectFolder, '../shared/data', name)),
);

const SHORT_BYTES = 300_000;

/** Those that laws are tried on: all from `CTX_RUNS=0.4` on, and else the short ones. */
export const triedRecordings: readonly string[] = recordings.filter(isTried);

function isTried(file: string): boolean {
  return isWhole || statSync(file).size < SHORT_BYTES;
}

function sessionsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((name) => path.join(folder, name));
}
