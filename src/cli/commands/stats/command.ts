import type { StatsDocument, StatsGroup } from '#analysis/stats/document.js';
import { usageGroups } from '#analysis/stats/groups.js';
import { statsReport, usageReport } from '#analysis/stats/report.js';
import { type Grouping, GROUPINGS, type SessionStats } from '#analysis/stats/session-stats.js';
import { CtxError } from '#base/errors.js';
import { readBaseline } from '#cli/read-json.js';
import { familiesOf } from '#cli/sessions/families.js';
import { fileWarnings, type HandleOf, handlesOf, type NamedFile, namedFiles } from '#cli/sessions/named-files.js';
import { type Jobs, resultsOf } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import { type Counted, type StatsInput, type StatsOf, statsOfSession } from '#cli/sessions/stats.js';
import { type CsvColumns, csvTable, membersOf } from '#ui/doc/csv.js';
import { type CommandInput, defineCommand, type End, type Outcome } from '../define.js';
import { choice, toggle } from '../flags.js';
import { openFile } from '../session.js';
import * as shared from '../shared-flags.js';
import { statsDoc, usageGroupsDoc } from './view.js';

const FLAGS = {
  by: choice('GROUP', GROUPINGS, 'group the recorded usage; days are in UTC'),
  since: shared.since,
  tokenizer: shared.tokenizer,
  full: {
    ...toggle('list everything: parts, tool definitions, entry types, every tool and repeated call'),
    excludes: ['format json', 'format csv'],
  },
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
    'ctx stats session.jsonl --full',
    'ctx stats ~/.pi/agent/sessions --by project',
    'ctx stats sessions --by day --format csv > days.csv',
    'ctx stats session.jsonl --tokenizer o200k',
  ],
  async run(input) {
    const { io, args, flags, format } = input;
    const names = args.flatMap((name) => name ?? []);
    const files = await namedFiles(io, names.length === 0 ? ['latest'] : names, flags.since?.(io.now()));
    const by = flags.by ?? (format === 'csv' ? (files.length === 1 ? 'model' : 'session') : undefined);
    if (by !== undefined && by !== 'tool' && isUsageEnough(input, files, by)) return groupedUsage(input, files, by);
    const [only, ...others] = files;
    const { results, end } = only && others.length === 0 ? await one(input, only) : await many(input, files);
    const data = statsReport(statsIn(results), unreadableIn(results), by);
    if (format === 'csv' && data.groups) return csvOf(data.groups, end);
    const prompts = statsIn(results).flatMap(({ samples }) => samples.map(({ recorded }) => recorded));
    const isFull = flags.full ?? false;
    const shown = { isFull, prompts, handleOf: await handlesFor(input, files) };
    return { kind: 'report', report: { data, doc: (view) => statsDoc(data, shown, view) }, ...end };
  },
});

/** Whether only recorded usage is shown: JSON has everything, and rows of projects and sessions in CSV have estimates too. */
function isUsageEnough({ format }: Input, files: readonly NamedFile[], by: Grouping): boolean {
  if (files.length === 1 || format === 'json') return false;
  return format !== 'csv' || by === 'model' || by === 'day';
}

async function groupedUsage(
  input: Input,
  files: readonly NamedFile[],
  by: Exclude<Grouping, 'tool'>,
): Promise<Outcome> {
  const results = await countAll(input, files, 'usage', (names) => ({ files: names }));
  const end = endOf(results);
  const sessions = statsIn(results);
  const data = usageReport(sessions, unreadableIn(results), by);
  if (input.format === 'csv') return csvOf(data.groups, end);
  const handleOf = await handlesFor(input, by === 'session' ? files : []);
  const models = usageGroups(sessions, 'model').map(({ usageRecorded }) => usageRecorded);
  return { kind: 'report', report: { data, doc: (view) => usageGroupsDoc(data, { models, handleOf }, view) }, ...end };
}

/** The names of the sessions in a text, which lists several. */
function handlesFor({ io, format }: Input, files: readonly NamedFile[]): HandleOf | Promise<HandleOf> {
  return format === 'json' || files.length < 2 ? (file) => file : handlesOf(io);
}

function csvOf({ by, rows }: NonNullable<StatsDocument['groups']>, end: End): Outcome {
  return { kind: 'pieces', pieces: csvTable(groupColumns(by), rows), end: () => end };
}

function statsIn<Stats>(results: readonly Counted<Stats>[]): readonly Stats[] {
  return results.flatMap((of) => (of.ok ? of.stats : []));
}

function unreadableIn(results: readonly Counted<unknown>[]): StatsDocument['unreadable'] {
  return results.flatMap((of) => (of.ok ? [] : { file: of.file, error: of.error }));
}

interface ManyCounted {
  readonly results: readonly StatsOf[];
  readonly end: End;
}

async function howOf({ io, flags }: Input): Promise<Omit<StatsInput, 'files'>> {
  const baseline = await readBaseline(io.files, flags.baseline);
  return { tokenizer: flags.tokenizer ?? 'chars', baseline };
}

async function one(input: Input, { file }: NamedFile): Promise<ManyCounted> {
  const how = await howOf(input);
  const session = await openFile(input, file);
  const stats = await statsOfSession(session, how);
  return { results: [{ file, ok: true, stats }], end: { file, problems: [...session.problems, ...stats.diagnostics] } };
}

async function many(input: Input, files: readonly NamedFile[]): Promise<ManyCounted> {
  const how = await howOf(input);
  const results = await countAll(input, files, 'stats', (names) => ({ files: names, ...how }));
  return { results, end: endOf(results) };
}

/** Counts sessions family by family; the results come in the order of the files. */
async function countAll<Name extends 'stats' | 'usage'>(
  { io }: Input,
  files: readonly NamedFile[],
  job: Name,
  inputOf: (names: readonly string[]) => Jobs[Name]['input'],
): Promise<Jobs[Name]['output']> {
  const families = await familiesOf(io, files);
  const sizes = families.map((family) => family.reduce((sum, { size }) => sum + size, 0));
  const progress = startProgress(io, families.length, 'families of sessions');
  const inputs = families.map((family) => inputOf(family.map(({ file }) => file)));
  const results: Jobs[Name]['output'][number][] = [];
  try {
    for await (const done of resultsOf(io, {
      job,
      inputs,
      sizes,
      isRemembered: true,
      isLight: job === 'usage',
      onDone: () => progress.step(),
    })) {
      for (const result of done) {
        if (!result.ok) throw result.cause;
        for (const of of result.output) results.push(of);
      }
    }
  } finally {
    await progress.clear();
  }
  const places = new Map(files.map(({ file }, at) => [file, at]));
  return results.toSorted((a, b) => (places.get(a.file) ?? 0) - (places.get(b.file) ?? 0));
}

/** Throws a CtxError (input) if no session was counted. */
function endOf(results: readonly Counted<Damage>[]): End {
  if (!results.some(({ ok }) => ok)) throw nothing(results);
  const damaged = results.filter((of) => of.ok && isDamaged(of.stats)).map(({ file }) => file);
  return { problems: fileWarnings(unreadableIn(results), damaged) };
}

function nothing([first]: readonly Counted<unknown>[]): CtxError {
  const where = first && !first.ok ? `${first.file}: ${first.error}` : null;
  return new CtxError('input', 'no session could be counted', where === null ? {} : { where });
}

type Damage = Pick<SessionStats, 'problems'> & Partial<Pick<SessionStats, 'diagnostics'>>;

/** Errors of the replay are known only if there was one. */
function isDamaged({ problems, diagnostics = [] }: Damage): boolean {
  return problems > 0 || diagnostics.some(({ severity }) => severity === 'error');
}

/** A row for every group, under the names of the JSON. */
const groupColumns = (by: string): CsvColumns<StatsGroup> => ({
  [by]: ({ key }) => key,
  sessions: ({ sessions }) => sessions,
  callsRecorded: ({ usageRecorded }) => usageRecorded.calls,
  inputRecorded: ({ usageRecorded }) => usageRecorded.input,
  outputRecorded: ({ usageRecorded }) => usageRecorded.output,
  cacheReadRecorded: ({ usageRecorded }) => usageRecorded.cacheRead,
  cacheWriteRecorded: ({ usageRecorded }) => usageRecorded.cacheWrite,
  totalRecorded: ({ usageRecorded }) => usageRecorded.total,
  costRecorded: ({ usageRecorded }) => usageRecorded.cost,
  ...membersOf('toolCalls', 'toolErrors', 'tokensEstimated'),
  costListed: ({ usageRecorded }) => usageRecorded.costListed,
});
