import type { CallGrouping } from '#analysis/stats/call-groups.js';
import type { SessionStats, SessionUsage } from '#analysis/stats/session-stats.js';
import { PARTIAL_USAGE } from '#analysis/stats/usage-sums.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import type { Period } from '#base/time.js';
import { groupFamilies, listFamilyFiles, sumFamilyBytes } from '#cli/sessions/families.js';
import { listFileWarnings, listUnreadable, withSessionFile } from '#cli/sessions/file-result.js';
import type { Jobs } from '#cli/sessions/jobs/jobs.js';
import {
  countClientUsage,
  type CountedFile,
  countsSubagentRuns,
  prepareGroups,
  type StatsInput,
  statsOfSession,
  type StatsResult,
  type UsageResult,
} from '#cli/sessions/jobs/stats.js';
import { buildNoneNamedError } from '#cli/sessions/named-files.js';
import { runJobsOrThrow } from '#cli/sessions/parallel.js';
import { isLimitedPeriod, toPeriod } from '#cli/sessions/period.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import { countSubagentUsage } from '#cli/sessions/subagents.js';
import type { OutcomeEnd, SessionOpener } from '../define.js';
import type { ReadTime } from '../flags.js';
import { openSessionFile } from '../session.js';

/** The part of the command's input that decides what is counted. */
interface CountInput extends SessionOpener {
  readonly flags: {
    readonly since?: ReadTime | undefined;
    readonly until?: ReadTime | undefined;
    readonly timezone?: string | undefined;
    readonly 'with-subagents'?: boolean | undefined;
  };
}

/** The counts of the files, and the warnings about them. */
interface CountedSessions<Result> {
  readonly results: readonly Result[];
  readonly end: OutcomeEnd;
}

/** The period whose usage is counted; null for all. */
export function toLimitedPeriod({ io, flags }: CountInput): Period | null {
  const period = toPeriod(flags, io.now());
  return isLimitedPeriod(period) ? period : null;
}

/** Counts one session, which stays open until it is printed. */
export async function countOne(
  input: CountInput,
  { file }: NamedFile,
  how: Omit<StatsInput, 'files'>,
): Promise<CountedSessions<StatsResult>> {
  const session = await openSessionFile(input, file);
  const { files } = input.io;
  const subagents = await countClientUsage(files, session);
  const stats = await statsOfSession(session, {
    ...how,
    subagents,
    findGroup: prepareGroups(files, session, how),
    withSubagents: countsSubagentRuns(files, session, how),
  });
  const results = [{ file, ok: true, stats } as const];
  const damage = [...session.problems, ...stats.diagnostics];
  const problems = [...damage, ...listPartialUsage(results)];
  // `ctx check` has details only of damage.
  const hasDetails = damage.some(({ severity }) => severity !== 'note');
  return { results, end: hasDetails ? { file, problems } : { problems } };
}

/** Counts many sessions. */
export async function countMany(
  input: CountInput,
  files: readonly NamedFile[],
  how: Omit<StatsInput, 'files'>,
): Promise<CountedSessions<StatsResult>> {
  const results = await countAll(input, files, 'stats', (names) => ({ files: names, ...how }));
  return { results, end: buildEnd(results) };
}

/** Counts only the recorded usage of many sessions. */
export async function countUsageOfMany(
  input: CountInput,
  files: readonly NamedFile[],
  grouping: CallGrouping,
): Promise<CountedSessions<UsageResult>> {
  const period = toLimitedPeriod(input);
  const results = await countAll(input, files, 'usage', (names) => ({ files: names, period, grouping }));
  return { results, end: buildEnd(results) };
}

/** Counts sessions family by family; the results come in the order of the files. */
async function countAll<Name extends 'stats' | 'usage'>(
  input: CountInput,
  files: readonly NamedFile[],
  job: Name,
  toInput: (names: readonly string[]) => Jobs[Name]['input'],
): Promise<Jobs[Name]['output']> {
  const { io } = input;
  const period = toLimitedPeriod(input);
  const families = await groupFamilies(io, files);
  await using progress = startProgress(io, families.length, 'families of sessions');
  const running = runJobsOrThrow(io, {
    job,
    inputs: families.map((family) => toInput(listFamilyFiles(family))),
    sizes: families.map(sumFamilyBytes),
    isRemembered: period === null,
    isLight: job === 'usage',
    onDone: () => progress.step(),
  });
  const results: Jobs[Name]['output'][number][] = [];
  for await (const output of running) results.push(...output);

  const began = results.filter((result) => !result.ok || (result.stats.first ?? 0) <= (period?.until ?? Infinity));
  if (began.length === 0 && results.length > 0) throw buildNoneNamedError(files.map(({ file }) => file).join(' '));
  const places = new Map(files.map(({ file }, at) => [file, at]));
  return began.toSorted((a, b) => (places.get(a.file) ?? 0) - (places.get(b.file) ?? 0));
}

/** Throws a CtxError (input) if no session was counted. */
function buildEnd(results: readonly CountedFile<Damage>[]): OutcomeEnd {
  if (!results.some(({ ok }) => ok)) throw buildNothingCountedError(results);
  const damaged = results.filter((result) => result.ok && isDamaged(result.stats)).map(({ file }) => file);
  return { problems: [...listFileWarnings(listUnreadable(results), damaged), ...listPartialUsage(results)] };
}

/** A warning about the sessions whose recorded usage is too low. */
function listPartialUsage(results: readonly CountedFile<Damage>[]): readonly Problem[] {
  const [first, ...others] = results.filter((result) => result.ok && result.stats.isUsagePartial);
  if (!first) return [];
  const whose =
    others.length === 0 ? first.file : `${pluralize(others.length + 1, 'session')}, the first: ${first.file}`;
  // A session that is counted alone is named already.
  return [buildWarning('partial-usage', results.length === 1 ? PARTIAL_USAGE : `${PARTIAL_USAGE}; in ${whose}`)];
}

function buildNothingCountedError([first]: readonly CountedFile<unknown>[]): CtxError {
  const where = first && !first.ok ? `${first.file}: ${first.error}` : null;
  return new CtxError('input', 'no session could be counted', { where });
}

type Damage = Pick<SessionStats, 'problems' | 'isUsagePartial'> & Partial<Pick<SessionStats, 'diagnostics'>>;

/** Errors of the replay are known only if there was one. */
function isDamaged({ problems, diagnostics = [] }: Damage): boolean {
  return problems > 0 || diagnostics.some(({ severity }) => severity === 'error');
}

/** The counts of the files that could be counted. */
export function listStats<Stats>(results: readonly CountedFile<Stats>[]): readonly Stats[] {
  return results.flatMap((result) => (result.ok ? result.stats : []));
}

/** The recorded usage of the subagents of the one named session, or with `--with-subagents` of all that are named. */
export async function countSubagents(
  input: CountInput,
  namedFiles: readonly NamedFile[],
): Promise<readonly SessionUsage[]> {
  const { io, flags } = input;
  if (namedFiles.length !== 1 && !flags['with-subagents']) return [];
  const period = toLimitedPeriod(input);
  const countedFiles = new Set(namedFiles.map(({ file }) => file));
  const all: SessionUsage[] = [];
  for (const { file } of namedFiles) {
    if (file === '-') continue;
    const found = await withSessionFile(io.files, file, async (session) => {
      return { usages: await countSubagentUsage(io.files, session, period) };
    });
    for (const usage of found.ok ? found.usages : []) {
      // A folder contains those of its sessions.
      if (countedFiles.has(usage.file)) continue;
      countedFiles.add(usage.file);
      all.push(usage);
    }
  }
  return all;
}

/** The named files, and those of their subagents. */
export function addSubagentFiles(
  { io }: CountInput,
  namedFiles: readonly NamedFile[],
  subagents: readonly SessionUsage[],
): readonly NamedFile[] {
  return [...namedFiles, ...subagents.flatMap(({ file }) => io.files.walk(file).files)];
}
