import path from 'node:path';
import type { FileState, WordIndex } from '#analysis/search/word-index.js';
import { buildWarning, type Problem } from '#base/errors.js';
import { runJobs } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import type { Io } from '#platform/io.js';

/**
 * Reads the sessions that the index does not know as they are, and forgets those that are gone. Returns what it cannot
 * read.
 */
export async function updateIndex(io: Io, index: WordIndex, files: readonly NamedFile[]): Promise<readonly Problem[]> {
  const indexed = index.listFiles();
  const now = io.now();
  const current = files.map(({ file, size }) => {
    return { path: toIndexedPath(io, file), state: io.files.state(file, now), file, size };
  });
  const changed = current.filter(({ path: place, state }) => state === null || indexed.get(place) !== state);
  forgetMissing(io, index, [...indexed.keys()]);
  return readSessions(io, index, changed);
}

/** The file of a session, by which the index knows it. */
export function toIndexedPath({ cwd }: Pick<Io, 'cwd'>, file: string): string {
  return path.resolve(cwd || '/', file);
}

function forgetMissing(io: Io, index: WordIndex, indexed: readonly string[]): void {
  const missing = indexed.filter((file) => !io.files.exists(file));
  index.change(() => missing.forEach((file) => index.remove(file)));
}

async function readSessions(
  io: Io,
  index: WordIndex,
  files: readonly (FileState & NamedFile)[],
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  await using progress = startProgress(io, files.length, 'sessions read');
  const reading = runJobs(io, {
    job: 'words',
    inputs: files.map(({ file }) => file),
    sizes: files.map(({ size }) => size),
    isLarge: true,
    onDone: () => progress.step(),
  });
  let start = 0;
  for await (const results of reading) {
    const batch = files.slice(start, start + results.length);
    start += results.length;
    index.change(() => {
      for (const [at, file] of batch.entries()) {
        const result = results[at];
        index.put(file, result?.ok ? result.output : null);
        if (!result?.ok) problems.push(buildWarning('unreadable-session', `${file.file}: ${result?.error ?? ''}`));
      }
    });
  }
  return problems;
}
