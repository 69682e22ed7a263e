import path from 'node:path';
import type { FileState, WordIndex } from '#analysis/search/word-index.js';
import { buildWarning, type Problem } from '#base/errors.js';
import { runJobs } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import type { Io } from '#platform/io.js';

/** Reads the sessions that the index does not know as they are, and forgets those that are gone. Returns what it cannot read. */
export async function updateIndex(io: Io, index: WordIndex, files: readonly NamedFile[]): Promise<readonly Problem[]> {
  const known = index.listFiles();
  const now = io.now();
  const current = files.map(({ file, size }) => {
    return { path: path.resolve(io.cwd || '/', file), state: io.files.state(file, now), file, size };
  });
  const changed = current.filter(({ path: place, state }) => state === null || known.get(place) !== state);
  forgetMissing(io, index, [...known.keys()]);
  return readSessions(io, index, changed);
}

function forgetMissing(io: Io, index: WordIndex, known: readonly string[]): void {
  const missing = known.filter((file) => !io.files.exists(file));
  index.change(() => missing.forEach((file) => index.remove(file)));
}

async function readSessions(
  io: Io,
  index: WordIndex,
  files: readonly (FileState & NamedFile)[],
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  await using progress = startProgress(io, files.length, 'sessions read');
  const batch = { inputs: files.map(({ file }) => file), sizes: files.map(({ size }) => size) };
  let done = 0;
  for await (const results of runJobs(io, { job: 'words', ...batch, isLarge: true, onDone: () => progress.step() })) {
    const some = files.slice(done, (done += results.length));
    index.change(() => {
      for (const [at, file] of some.entries()) {
        const result = results[at];
        if (result?.ok) index.put(file, result.output);
        else {
          index.put(file, null);
          problems.push(buildWarning('unreadable-session', `${file.file}: ${result?.error ?? ''}`));
        }
      }
    });
  }
  return problems;
}
