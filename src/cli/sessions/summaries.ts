import { modelName } from '#base/words.js';
import type { Io } from '#platform/io.js';
import { type JobResult, resultsOf } from './parallel.js';
import { startProgress } from './progress.js';
import type { SessionSummary } from './summary.js';

/** A file with its summary, or why there is none. */
export interface Summed<File> {
  readonly file: File;
  /** Where the file stands in the list that was given. */
  readonly place: number;
  readonly result: JobResult<SessionSummary>;
}

export interface Wanted {
  /** Only sessions whose `provider/id` this matches; then files that cannot be read are left out too. */
  readonly model: RegExp | undefined;
  /** End after so many. */
  readonly most: number | undefined;
}

/** Less than this is read before a thread has started. */
const BIG_BYTES = 20e6;

/** Sums up sessions in their order, several at a time, and says on a terminal how far it is. */
export async function* summaries<File extends { readonly file: string; readonly size: number }>(
  io: Io,
  files: readonly File[],
  { model, most = Number.POSITIVE_INFINITY }: Wanted,
): AsyncGenerator<readonly Summed<File>[]> {
  const inputs = files.map(({ file }) => file);
  const isBig = files.length > 1 && files.reduce((sum, { size }) => sum + size, 0) >= BIG_BYTES;
  const progress = startProgress(io, files.length, 'sessions');
  let place = 0;
  let left = most;
  try {
    for await (const results of resultsOf(io, { job: 'summarize', inputs, isBig, onDone: () => progress.step() })) {
      const summed = results.flatMap((result, at) => {
        const file = files[place + at];
        return file ? [{ file, place: place + at, result }] : [];
      });
      place += results.length;
      const wanted = summed.filter(({ result }) => hasModel(result, model)).slice(0, left);
      left -= wanted.length;
      await progress.clear();
      if (wanted.length > 0) yield wanted;
      if (left === 0) return;
    }
  } finally {
    await progress.clear();
  }
}

function hasModel(result: JobResult<SessionSummary>, wanted: RegExp | undefined): boolean {
  if (wanted === undefined) return true;
  return result.ok && result.output.model !== null && wanted.test(modelName(result.output.model));
}
