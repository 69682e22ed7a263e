import { buildUnreadableFile, type CheckedFile } from '#analysis/check/checked-file.js';
import { FindingTally } from '#analysis/check/finding-tally.js';
import type { Finding } from '#analysis/check/finding.js';
import type { KnownFindings } from '#analysis/check/known-findings.js';
import type { StoredSnapshot } from '#analysis/check/policy/snapshot.js';
import { CheckRun, checkSession } from '#analysis/check/run.js';
import { type CheckSettings, loadActiveRules } from '#analysis/check/settings.js';
import { CtxError, toInputError } from '#base/errors.js';
import { memoizeByObject } from '#base/memoize.js';
import { findAssumedWindow } from '#context/models/registry.js';
import { HUGE_BYTES, type OpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import type { NamedFile } from './named-files.js';
import { type JobResult, runJobs } from './parallel.js';
import { startProgress } from './progress.js';

/** A file to check. */
export interface CheckInput {
  readonly file: string;
  readonly settings: CheckSettings;
  /** Findings that do not count any more. */
  readonly known?: KnownFindings | undefined;
  /** Whether to record the findings. */
  readonly isRecorded?: boolean | undefined;
  /** The snapshots that replays must equal. */
  readonly snapshots?: readonly StoredSnapshot[] | undefined;
}

/** Opens a session, also one without a header. */
export type OpenToCheck = (file: string) => Promise<OpenSession>;

/** Checks one session. A file that cannot be read has that as its only finding. */
export async function checkFile(input: CheckInput, open: OpenToCheck): Promise<CheckedFile> {
  try {
    return await checkOpen(input, await open(input.file));
  } catch (error) {
    // An error of this kind would not be known as one on its way out of a thread.
    const why = toInputError(error);
    if (why) return buildUnreadableFile(input.file, why.message, why.hint);
    throw error;
  }
}

/** All checks of this thread. */
const run = new CheckRun();

/** Most sessions have the same settings, and loading the rules for each takes longer than some rules do. */
const rulesOf = memoizeByObject((settings: CheckSettings) => loadActiveRules(settings));

async function checkOpen(input: CheckInput, session: OpenSession): Promise<CheckedFile> {
  const { file, settings } = input;
  try {
    const tally = new FindingTally();
    const { requests, limit, configuredLimit, baseline } = settings;
    const rules = await rulesOf(withSnapshots(input));
    const recording = await recordingOf(input, tally);
    const envelope = { limit, configuredLimit, baseline, assumedWindow: findAssumedWindow };
    checkSession({ session, rules, requests, envelope, report: recording.report }, run);
    return {
      file,
      size: session.scan.size,
      bytesAccountedFor: bytesAccountedFor(session.scan),
      entries: session.tree.heads.length,
      counts: Object.fromEntries(tally.counts),
      findings: tally.findings(),
      ...recording.result(),
    };
  } finally {
    session.close();
  }
}

/** Adds the snapshots of a session to the settings. */
function withSnapshots({ settings, snapshots }: CheckInput): CheckSettings {
  if (!snapshots) return settings;
  return {
    ...settings,
    rules: settings.rules.map((rule) => (rule.name === 'snapshot' ? { ...rule, options: { snapshots } } : rule)),
  };
}

/** The recipient of findings, which compares them with the known ones or records them. */
interface Recording {
  report(finding: Finding): void;
  result(): Pick<CheckedFile, 'known' | 'recorded'>;
}

async function recordingOf({ settings, known, isRecorded }: CheckInput, tally: FindingTally): Promise<Recording> {
  if (!known && !isRecorded) return { report: tally.add, result: () => ({}) };
  const { FindingRecorder, KnownFindingFilter } = await import('#analysis/check/known-findings.js');
  const sieve = known && new KnownFindingFilter(known);
  const recorder = isRecorded ? new FindingRecorder() : null;
  const ran = new Set(settings.rules.map(({ name }) => name));
  return {
    report(finding) {
      recorder?.add(finding);
      if (!sieve?.takes(finding)) tally.add(finding);
    },
    result: () => ({
      ...(sieve && { known: sieve.result(ran) }),
      ...(recorder && { recorded: recorder.findings() }),
    }),
  };
}

/** Checks sessions in their order, several at a time, with progress on a terminal. */
export async function* checkSessions(
  io: Io,
  files: readonly NamedFile[],
  settings: CheckSettings,
  ofFile: (file: string) => Omit<CheckInput, 'file' | 'settings'> = () => ({}),
): AsyncGenerator<readonly CheckedFile[]> {
  const inputs = files.map(({ file }) => ({ file, settings, ...ofFile(file) }));
  if (files.some(({ size }) => size >= HUGE_BYTES)) io.saveMemory();
  // Only this thread has a standard input.
  const isPiped = files.some(({ file }) => file === '-');
  await using progress = startProgress(io, files.length, 'sessions');
  let place = 0;
  const sizes = isPiped ? [] : files.map(({ size }) => size);
  const batch = { job: 'check', inputs, sizes, isRemembered: true, onDone: () => progress.step() } as const;
  for await (const results of runJobs(io, batch)) {
    await progress.clear();
    const from = place;
    place += results.length;
    yield results.map((result, at) => outputOf(result, files[from + at]?.file));
    progress.again();
  }
}

/** The result of a job. A file that cannot be read is a finding; any other failure is a bug. */
function outputOf(result: JobResult<CheckedFile>, file: string | undefined): CheckedFile {
  if (result.ok) return result.output;
  const bug = new CtxError('bug', `unexpected error: ${result.error}`, {
    where: file ?? '',
    hint: 'this is a bug in ctx; CTX_DEBUG=1 shows where',
  });
  if (result.cause instanceof Error) bug.stack = result.cause.stack ?? '';
  throw bug;
}
