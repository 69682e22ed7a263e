import { assertJoinable, type CallGrouping, needsCalls, parseGroupings } from '#analysis/stats/call-groups.js';
import type { Cheaper } from '#analysis/stats/cheaper.js';
import { type Grouping, GROUPINGS, type StatsDocument, type StatsGroup } from '#analysis/stats/document.js';
import { groupUsage } from '#analysis/stats/groups.js';
import type { SessionStats, SessionUsage } from '#analysis/stats/session-stats.js';
import { statsReport } from '#analysis/stats/stats-report.js';
import { buildUsageGroups } from '#analysis/stats/usage-groups.js';
import { PARTIAL_USAGE } from '#analysis/stats/usage-sums.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import type { Period } from '#base/time.js';
import { readBaseline } from '#cli/read-json.js';
import { groupFamilies } from '#cli/sessions/families.js';
import { listFileWarnings, withSessionFile } from '#cli/sessions/file-result.js';
import { createHandles, type FindHandle } from '#cli/sessions/handles.js';
import type { Jobs } from '#cli/sessions/jobs.js';
import { buildNoneNamedError, findNamedFiles } from '#cli/sessions/named-files.js';
import { runJobsOrThrow } from '#cli/sessions/parallel.js';
import { isLimitedPeriod, toPeriod } from '#cli/sessions/period.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import {
  countClientUsage,
  type CountedFile,
  countsSubagentRuns,
  prepareGroups,
  type StatsInput,
  statsOfSession,
  type StatsResult,
} from '#cli/sessions/stats.js';
import { countSubagentUsage } from '#cli/sessions/subagents.js';
import type { Baseline } from '#context/replay/content.js';
import { type CsvColumns, fieldColumns, renderCsv } from '#ui/doc/csv.js';
import { type CommandInput, defineCommand, type Outcome, type OutcomeEnd } from '../define.js';
import { type Flag, timezoneFlag, toggleFlag } from '../flags.js';
import { openSessionFile } from '../session.js';
import * as shared from '../shared-flags.js';
import { renderStats, renderUsageGroups } from './view.js';

const by: Flag<readonly Grouping[]> = {
  placeholder: 'GROUP',
  help: `group the recorded usage, by one or several: ${GROUPINGS.join(', ')}; a week has the day of its Monday`,
  list: GROUPINGS,
  isMany: true,
  parse: parseGroupings,
};

const FLAGS = {
  by,
  since: shared.sinceTime,
  until: shared.until,
  cheaper: {
    ...toggleFlag('simulate earlier compactions of one session, and name what would have been cheaper'),
    excludes: ['by', 'format csv'],
  },
  full: {
    ...toggleFlag('list everything: parts, tool definitions, entry types, every tool and repeated call'),
    excludes: ['format json', 'format csv'],
  },
  'with-subagents': toggleFlag('add the usage of the subagents that a session started'),
  timezone: timezoneFlag('of days, hours and times without a zone, such as Europe/Berlin (default: UTC)'),
  tokenizer: shared.tokenizer,
  baseline: shared.baseline,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'stats',
  summary: 'Sum up tokens and cost by model, tool and day',
  description:
    "Sums up one session or many: the usage that providers recorded, by model, tool and day, with Pi's arithmetic, " +
    'and estimated tokens by category. States how far the estimates are from the recorded usage. Entries that forks ' +
    'share count once.',
  args: [
    {
      name: 'sessions',
      help: 'files, folders, patterns, session ids or prefixes of them, "latest" (the default), "all", "all:AGENT", or -',
      isMany: true,
    },
  ],
  flags: FLAGS,
  formats: [{ name: 'csv', summary: 'a row per group of --by, for spreadsheets' }],
  takesRedact: true,
  examples: [
    'ctx stats',
    'ctx stats session.jsonl --cheaper',
    'ctx stats all --since 7d --by project,model --timezone Europe/Berlin',
    'ctx stats session.jsonl --full',
    'ctx stats ~/.pi/agent/sessions --by project',
    'ctx stats sessions --by day --format csv > days.csv',
    'ctx stats session.jsonl --tokenizer o200k',
  ],
  async run(input) {
    const { io, args, flags, format } = input;
    const names = args.flatMap((name) => name ?? []);
    // A session that went on after the period has usage within it.
    const { since } = toPeriod(flags, io.now());
    const namedFiles = await findNamedFiles(io, names.length === 0 ? ['latest'] : names, { since });
    const subagents = await countSubagents(input, namedFiles);
    const files = flags['with-subagents'] ? addSubagentFiles(input, namedFiles, subagents) : namedFiles;
    const grouping = chooseGrouping(input, files.length === 1);
    if (grouping && isUsageEnough(input, files, grouping.by)) return groupRecordedUsage(input, files, grouping);
    const [only, ...others] = files;
    const how = await readStatsOptions(input, grouping);
    const count = only && others.length === 0 ? await countOne(input, only, how) : await countMany(input, files, how);
    const { results, end } = count;
    const isCounted = flags['with-subagents'] ?? false;
    const cheaper = flags.cheaper && only && others.length === 0 ? await seekCheaper(input, only, how.baseline) : null;
    const counted = statsReport(listStats(results), listUncounted(results), grouping ?? undefined, {
      sessions: subagents,
      isCounted,
    });
    const data = { ...counted, cheaper };
    if (format === 'csv' && data.groups) return toCsv(data.groups, end);
    const prompts = listStats(results).flatMap(({ samples }) => samples.map(({ recorded }) => recorded));
    const isFull = flags.full ?? false;
    const display = { isFull, prompts, handleOf: await createListHandles(input, files) };
    return { kind: 'single', item: { data, doc: (view) => renderStats(data, display, view) }, ...end };
  },
});

/** Whether only recorded usage is shown: JSON has everything, and rows of projects and sessions in CSV have estimates too. */
function isUsageEnough({ format, flags }: Input, files: readonly NamedFile[], groupings: readonly Grouping[]): boolean {
  // Only the results of tools tell of some subagents.
  if (files.length === 1 || format === 'json' || flags['with-subagents'] || groupings[0] === 'tool') return false;
  return format !== 'csv' || needsCalls(groupings) || !['project', 'session'].includes(groupings[0] ?? '');
}

/** The grouping of `--by`, or that of CSV; null if neither is given. Throws a CtxError (usage) for what cannot be joined. */
function chooseGrouping({ flags, format }: Input, isOne: boolean): CallGrouping | null {
  const timezone = flags.timezone === 'UTC' ? null : (flags.timezone ?? null);
  if (flags.by) {
    assertJoinable(flags.by);
    return { by: flags.by, timezone };
  }
  return format === 'csv' ? { by: [isOne ? 'model' : 'session'], timezone } : null;
}

async function groupRecordedUsage(input: Input, files: readonly NamedFile[], grouping: CallGrouping): Promise<Outcome> {
  const period = toLimitedPeriod(input);
  const results = await countAll(input, files, 'usage', (names) => ({ files: names, period, grouping }));
  const end = buildEnd(results);
  const sessions = listStats(results);
  const data = buildUsageGroups(sessions, listUncounted(results), grouping);
  if (input.format === 'csv') return toCsv(data.groups, end);
  const handleOf = await createListHandles(input, grouping.by.includes('session') ? files : []);
  const models = groupUsage(sessions, 'model').map(({ usageRecorded }) => usageRecorded);
  return {
    kind: 'single',
    item: { data, doc: (view) => renderUsageGroups(data, { models, handleOf }, view) },
    ...end,
  };
}

/** The names of the sessions in a text, which lists several. */
function createListHandles({ io, format }: Input, files: readonly NamedFile[]): FindHandle | Promise<FindHandle> {
  return format === 'json' || files.length < 2 ? (file) => file : createHandles(io);
}

function toCsv({ groupings, rows }: NonNullable<StatsDocument['groups']>, end: OutcomeEnd): Outcome {
  return { kind: 'pieces', pieces: renderCsv(groupColumns(groupings), rows), end: () => end };
}

function listStats<Stats>(results: readonly CountedFile<Stats>[]): readonly Stats[] {
  return results.flatMap((of) => (of.ok ? of.stats : []));
}

function listUncounted(results: readonly CountedFile<unknown>[]): StatsDocument['unreadable'] {
  return results.flatMap((of) => (of.ok ? [] : { file: of.file, error: of.error }));
}

/** Simulates earlier compactions. The session is read once more, since it is a rare question. */
async function seekCheaper(input: Input, { file }: NamedFile, baseline: Baseline): Promise<Cheaper | null> {
  const { findCheaper } = await import('#cli/sessions/simulate.js');
  return findCheaper(await openSessionFile(input, file), baseline);
}

interface ManyCounted {
  readonly results: readonly StatsResult[];
  readonly end: OutcomeEnd;
}

/** The period whose usage is counted; null for all. */
function toLimitedPeriod({ io, flags }: Input): Period | null {
  const period = toPeriod(flags, io.now());
  return isLimitedPeriod(period) ? period : null;
}

async function readStatsOptions(input: Input, given: CallGrouping | null): Promise<Omit<StatsInput, 'files'>> {
  const { io, flags } = input;
  const baseline = await readBaseline(io.files, flags.baseline);
  const period = toLimitedPeriod(input);
  // Also without `--by`, days are those of the time zone.
  const grouping = given ?? (flags.timezone === undefined ? null : { by: [], timezone: flags.timezone });
  const withSubagents = flags['with-subagents'] ?? false;
  return { tokenizer: flags.tokenizer ?? 'chars', baseline, period, grouping, withSubagents };
}

async function countOne(input: Input, { file }: NamedFile, how: Omit<StatsInput, 'files'>): Promise<ManyCounted> {
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
  // Only damage has details in `ctx check`.
  const of = damage.some(({ severity }) => severity !== 'note') ? { file } : {};
  const end = { ...of, problems: [...damage, ...listPartialUsage(results)] };
  return { results, end };
}

/** The recorded usage of the subagents of the one named session, or with `--with-subagents` of all that are named. */
async function countSubagents(input: Input, namedFiles: readonly NamedFile[]): Promise<readonly SessionUsage[]> {
  const { io, flags } = input;
  if (namedFiles.length !== 1 && !flags['with-subagents']) return [];
  const known = new Set(namedFiles.map(({ file }) => file));
  const all: SessionUsage[] = [];
  for (const { file } of namedFiles) {
    const found =
      file === '-'
        ? null
        : await withSessionFile(io.files, file, async (session) => ({
            usages: await countSubagentUsage(io.files, session, toLimitedPeriod(input)),
          }));
    for (const usage of found?.ok ? found.usages : []) {
      // A folder contains those of its sessions.
      if (known.has(usage.file)) continue;
      known.add(usage.file);
      all.push(usage);
    }
  }
  return all;
}

function addSubagentFiles(
  { io }: Input,
  namedFiles: readonly NamedFile[],
  subagents: readonly SessionUsage[],
): readonly NamedFile[] {
  return [...namedFiles, ...subagents.flatMap(({ file }) => io.files.walk(file).files)];
}

async function countMany(
  input: Input,
  files: readonly NamedFile[],
  how: Omit<StatsInput, 'files'>,
): Promise<ManyCounted> {
  const results = await countAll(input, files, 'stats', (names) => ({ files: names, ...how }));
  return { results, end: buildEnd(results) };
}

/** Counts sessions family by family; the results come in the order of the files. */
async function countAll<Name extends 'stats' | 'usage'>(
  input: Input,
  files: readonly NamedFile[],
  job: Name,
  toInput: (names: readonly string[]) => Jobs[Name]['input'],
): Promise<Jobs[Name]['output']> {
  const { io } = input;
  const period = toLimitedPeriod(input);
  const families = await groupFamilies(io, files);
  const sizes = families.map((family) => family.reduce((sum, { size }) => sum + size, 0));
  await using progress = startProgress(io, families.length, 'families of sessions');
  const inputs = families.map((family) => toInput(family.map(({ file }) => file)));
  const results: Jobs[Name]['output'][number][] = [];
  const how = { isRemembered: period === null, isLight: job === 'usage', onDone: () => progress.step() };
  for await (const output of runJobsOrThrow(io, { job, inputs, sizes, ...how })) results.push(...output);
  const places = new Map(files.map(({ file }, at) => [file, at]));
  const began = results.filter((of) => !of.ok || (of.stats.first ?? 0) <= (period?.until ?? Infinity));
  if (began.length === 0 && results.length > 0) throw buildNoneNamedError(files.map(({ file }) => file).join(' '));
  return began.toSorted((a, b) => (places.get(a.file) ?? 0) - (places.get(b.file) ?? 0));
}

/** Throws a CtxError (input) if no session was counted. */
function buildEnd(results: readonly CountedFile<Damage>[]): OutcomeEnd {
  if (!results.some(({ ok }) => ok)) throw buildNothingCountedError(results);
  const damaged = results.filter((of) => of.ok && isDamaged(of.stats)).map(({ file }) => file);
  return { problems: [...listFileWarnings(listUncounted(results), damaged), ...listPartialUsage(results)] };
}

/** A warning about the sessions whose recorded usage is too low. */
function listPartialUsage(results: readonly CountedFile<Damage>[]): readonly Problem[] {
  const [first, ...others] = results.filter((of) => of.ok && of.stats.isUsagePartial);
  if (!first) return [];
  const whose =
    others.length === 0 ? first.file : `${pluralize(others.length + 1, 'session')}, the first: ${first.file}`;
  // A session that is counted alone is named already.
  return [buildWarning('partial-usage', results.length === 1 ? PARTIAL_USAGE : `${PARTIAL_USAGE}; in ${whose}`)];
}

function buildNothingCountedError([first]: readonly CountedFile<unknown>[]): CtxError {
  const where = first && !first.ok ? `${first.file}: ${first.error}` : null;
  return new CtxError('input', 'no session could be counted', where === null ? {} : { where });
}

type Damage = Pick<SessionStats, 'problems' | 'isUsagePartial'> & Partial<Pick<SessionStats, 'diagnostics'>>;

/** Errors of the replay are known only if there was one. */
function isDamaged({ problems, diagnostics = [] }: Damage): boolean {
  return problems > 0 || diagnostics.some(({ severity }) => severity === 'error');
}

/** A row for every group, under the names of the JSON. */
const groupColumns = (groupings: readonly string[]): CsvColumns<StatsGroup> => ({
  ...Object.fromEntries(groupings.map((name, at) => [name, ({ keys }: StatsGroup) => keys[at]])),
  sessions: ({ sessions }) => sessions,
  callsRecorded: ({ usageRecorded }) => usageRecorded.calls,
  inputRecorded: ({ usageRecorded }) => usageRecorded.input,
  outputRecorded: ({ usageRecorded }) => usageRecorded.output,
  cacheReadRecorded: ({ usageRecorded }) => usageRecorded.cacheRead,
  cacheWriteRecorded: ({ usageRecorded }) => usageRecorded.cacheWrite,
  totalRecorded: ({ usageRecorded }) => usageRecorded.total,
  costRecorded: ({ usageRecorded }) => usageRecorded.cost,
  ...fieldColumns('toolCalls', 'toolErrors', 'tokensEstimated'),
  costListed: ({ usageRecorded }) => usageRecorded.costListed,
});
