import type { Settings } from '#analysis/check/check.js';
import type { CheckedFile } from '#analysis/check/checked-file.js';
import { CtxError } from '#base/errors.js';
import { HUGE_BYTES } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { CheckInput } from './check.js';
import type { NamedFile } from './named-files.js';
import { type JobResult, resultsOf } from './parallel.js';
import { startProgress } from './progress.js';

/** Less than this is checked before a thread has started. */
const BIG_BYTES = 10e6;

/** What is to become of the findings of a file. */
export type OfFile = Omit<CheckInput, 'file' | 'settings'>;

/** Checks sessions in their order, several at a time, and says on a terminal how far it is. */
export async function* checks(
  io: Io,
  files: readonly NamedFile[],
  settings: Settings,
  ofFile: (file: string) => OfFile = () => ({}),
): AsyncGenerator<readonly CheckedFile[]> {
  const inputs = files.map(({ file }) => ({ file, settings, ...ofFile(file) }));
  if (files.some(({ size }) => size >= HUGE_BYTES)) io.saveMemory();
  // Only this thread has a standard input.
  const isPiped = files.some(({ file }) => file === '-');
  const isBig = files.length > 1 && !isPiped && files.reduce((sum, { size }) => sum + size, 0) >= BIG_BYTES;
  const progress = startProgress(io, files.length, 'sessions');
  let place = 0;
  try {
    for await (const results of resultsOf(io, { job: 'check', inputs, isBig, onDone: () => progress.step() })) {
      await progress.clear();
      const from = place;
      place += results.length;
      yield results.map((result, at) => outputOf(result, files[from + at]?.file));
      progress.again();
    }
  } finally {
    await progress.clear();
  }
}

/** What cannot be read is a finding; a job that fails in another way is a bug. */
function outputOf(result: JobResult<CheckedFile>, file: string | undefined): CheckedFile {
  if (result.ok) return result.output;
  const bug = new CtxError('bug', `unexpected error: ${result.error}`, {
    where: file ?? '',
    hint: 'this is a bug in ctx; CTX_DEBUG=1 shows where',
  });
  if (result.cause instanceof Error) bug.stack = result.cause.stack ?? '';
  throw bug;
}
