import { runWithDeadline } from '#analysis/search/deadline.js';
import { sumKnownCost } from '#analysis/stats/usage-sums.js';
import { formatModel } from '#context/models/model-name.js';
import type { Io } from '#platform/io.js';
import type { JobResult } from './jobs/jobs.js';
import type { SessionSummary } from './jobs/summarize-session.js';
import { runJobs } from './parallel.js';
import { NO_PROGRESS, startProgress } from './progress.js';

/** A file with its summary, or the reason why there is none. */
export interface SummarizedFile<File> {
  readonly file: File;
  /** The index of the file in the list. */
  readonly place: number;
  readonly result: JobResult<SessionSummary>;
}

interface SummaryFilter {
  /** Matches `provider/id` of the sessions to keep. With it, files that cannot be read are left out too. */
  readonly model: RegExp | undefined;
  /** The number of summaries after which the search ends. */
  readonly most: number | undefined;
  /** Whether no progress is shown. */
  readonly isQuiet?: boolean;
}

/** Summarises sessions in order, several at a time, and shows the progress on a terminal. */
export async function* summarizeSessions<File extends { readonly file: string; readonly size: number }>(
  io: Io,
  files: readonly File[],
  { model, most = Number.POSITIVE_INFINITY, isQuiet = false }: SummaryFilter,
): AsyncGenerator<readonly SummarizedFile<File>[]> {
  const inputs = files.map(({ file }) => file);
  const sizes = files.map(({ size }) => size);
  await using progress = isQuiet ? NO_PROGRESS : startProgress(io, files.length, 'sessions');
  let place = 0;
  let left = most;
  const how = { isRemembered: true, isLight: true, onDone: () => progress.step() };
  for await (const results of runJobs(io, { job: 'summarize', inputs, sizes, ...how })) {
    const summed = results.flatMap((result, at) => {
      const file = files[place + at];
      return file ? [{ file, place: place + at, result }] : [];
    });
    place += results.length;
    const wanted = (model ? filterByModel(summed, model) : summed).slice(0, left);
    left -= wanted.length;
    await progress.clear();
    if (wanted.length > 0) yield wanted;
    if (left === 0) return;
  }
}

/** The values by which summaries are sorted, the largest first. */
const SORT_VALUES = {
  cost: ({ result }) => (result.ok ? sumKnownCost(result.output) : -1),
  tokens: ({ result }) => (result.ok ? (result.output.contextTokens ?? 0) : -1),
  size: ({ file }) => file.size,
} satisfies Record<string, (summed: SummarizedFile<{ readonly size: number }>) => number>;

export type SortKey = keyof typeof SORT_VALUES;
export const SORT_KEYS = Object.keys(SORT_VALUES) as SortKey[];

/** The `most` largest of some summaries, in one batch. */
export async function* takeLargest<File extends { readonly size: number }>(
  batches: AsyncIterable<readonly SummarizedFile<File>[]>,
  { sort, most }: { readonly sort: SortKey; readonly most: number | undefined },
): AsyncGenerator<readonly SummarizedFile<File>[]> {
  const all: SummarizedFile<File>[] = [];
  for await (const batch of batches) all.push(...batch);
  const readSortValue = SORT_VALUES[sort];
  if (all.length > 0) yield all.toSorted((a, b) => readSortValue(b) - readSortValue(a)).slice(0, most);
}

function filterByModel<File>(
  summed: readonly SummarizedFile<File>[],
  pattern: RegExp,
): readonly SummarizedFile<File>[] {
  const isOfModel = ({ result }: SummarizedFile<File>): boolean =>
    result.ok && result.output.model !== null && pattern.test(formatModel(result.output.model));
  return runWithDeadline('--model', 0, () => summed.filter(isOfModel));
}
