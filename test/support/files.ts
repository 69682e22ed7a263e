import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWhole } from './runs.js';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** The fixtures of this project that are sessions of Pi. */
export const fixtures: readonly string[] = sessionsIn(path.join(projectFolder, 'fixtures')).filter(
  (file) => !file.includes(`${path.sep}fixtures${path.sep}agents${path.sep}`),
);

/**
 * Recorded sessions that are not in the repository: those in the folders of `CTX_SAMPLES`, which is a list like `PATH`.
 * No test needs them. Without them, a test of its own for them reports itself as left out: see `orNoSamples`.
 */
const samples: readonly string[] = sampleFolders().flatMap(sessionsIn);

export function sampleFolders(): readonly string[] {
  return (process.env['CTX_SAMPLES'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
}

const AGENTS = new Set(['claude-code', 'codex', 'gemini-cli', 'opencode', 'qwen-code']);

/** The samples of another agent: those in a folder of its name. */
export function samplesOf(agent: string): readonly string[] {
  return samples.filter((file) => file.split(path.sep).includes(agent));
}

/** Those of them that laws are tried on: see `triedRecordings`. */
export function triedSamplesOf(agent: string): readonly string[] {
  return samplesOf(agent).filter(isTried);
}

/** The samples that are sessions of Pi. */
export const recordings: readonly string[] = samples.filter(
  (file) => !file.split(path.sep).some((name) => AGENTS.has(name)),
);

/** The cases of `it.for`: without a sample one that leaves itself out, with `skip(file === NO_SAMPLES, NO_SAMPLES)`. */
export function orNoSamples(files: readonly string[]): readonly string[] {
  return files.length > 0 ? files : [NO_SAMPLES];
}

export const NO_SAMPLES = 'CTX_SAMPLES names no folder with such sessions';

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
