import type { CheckedFile } from '#analysis/check/checked-file.js';
import type { CheckSettings } from '#analysis/check/settings.js';
import { CtxError } from '#base/errors.js';
import { HUGE_BYTES } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { CheckInput } from './jobs/check-file.js';
import type { JobResult } from './jobs/jobs.js';
import { runJobs } from './parallel.js';
import { startProgress } from './progress.js';
import type { NamedFile } from './session-files.js';

/** Checks sessions in their order, several at a time, with progress on a terminal. */
export async function* checkSessions(
  io: Io,
  files: readonly NamedFile[],
  settings: CheckSettings,
  optionsFor: (file: string) => Omit<CheckInput, 'file' | 'settings'> = () => ({}),
): AsyncGenerator<readonly CheckedFile[]> {
  const inputs = files.map(({ file }) => ({ file, settings, ...optionsFor(file) }));
  if (files.some(({ size }) => size >= HUGE_BYTES)) io.saveMemory();
  // Other threads have no standard input.
  const isPiped = files.some(({ file }) => file === '-');
  await using progress = startProgress(io, files.length, 'sessions');
  let place = 0;
  const sizes = isPiped ? [] : files.map(({ size }) => size);
  const batch = { job: 'check', inputs, sizes, isRemembered: true, onDone: () => progress.step() } as const;
  for await (const results of runJobs(io, batch)) {
    await progress.clear();
    const from = place;
    place += results.length;
    yield results.map((result, at) => requireOutput(result, files[from + at]?.file));
    progress.again();
  }
}

/** The result of a job. A file that cannot be read is a finding; any other failure is a bug. */
function requireOutput(result: JobResult<CheckedFile>, file: string | undefined): CheckedFile {
  if (result.ok) return result.output;
  const bug = new CtxError('bug', `unexpected error: ${result.error}`, {
    where: file ?? '',
    hint: 'this is a bug in ctx; CTX_DEBUG=1 shows where',
  });
  if (result.cause instanceof Error) bug.stack = result.cause.stack ?? '';
  throw bug;
}
