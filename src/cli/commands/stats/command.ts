import type { StatsGroup } from '#analysis/stats/document.js';
import { GROUPINGS } from '#analysis/stats/names.js';
import { statsReport } from '#analysis/stats/report.js';
import type { SessionStats } from '#analysis/stats/session-stats.js';
import { CtxError, type Problem, warning } from '#base/errors.js';
import { plural } from '#base/words.js';
import { readBaseline } from '#cli/read-json.js';
import { familiesOf } from '#cli/sessions/families.js';
import { type NamedFile, namedFiles } from '#cli/sessions/named-files.js';
import { resultsOf } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import { type StatsInput, type StatsOf, statsOfSession } from '#cli/sessions/stats.js';
import { type CsvColumns, csvTable } from '#ui/doc/csv.js';
import { type CommandInput, defineCommand, type End } from '../define.js';
import { choice, toggle } from '../flags.js';
import { openFile } from '../session.js';
import * as shared from '../shared-flags.js';
import { statsDoc } from './view.js';

const FLAGS = {
  by: choice('GROUP', GROUPINGS, 'group the recorded usage; days are in UTC'),
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
      help: 'files, folders, patterns, session ids or prefixes of them, "latest" (the default), or -',
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
    const files = await namedFiles(io, names.length === 0 ? ['latest'] : names);
    const [only, ...others] = files;
    const { results, end } = only && others.length === 0 ? await one(input, only) : await many(input, files);
    const by = flags.by ?? (format === 'csv' ? (files.length === 1 ? 'model' : 'session') : undefined);
    const sessions = results.flatMap((of) => (of.ok ? of.stats : []));
    const unreadable = results.flatMap((of) => (of.ok ? [] : { file: of.file, error: of.error }));
    const data = statsReport(sessions, unreadable, by);
    if (format === 'csv' && data.groups)
      return { kind: 'pieces', pieces: csvTable(groupColumns(data.groups.by), data.groups.rows), end: () => end };
    const prompts = sessions.flatMap(({ samples }) => samples.map(({ recorded }) => recorded));
    const isFull = flags.full ?? false;
    return { kind: 'report', report: { data, doc: (view) => statsDoc(data, { isFull, prompts }, view) }, ...end };
  },
});

interface Counted {
  readonly results: readonly StatsOf[];
  readonly end: End;
}

async function howOf({ io, flags }: Input): Promise<Omit<StatsInput, 'files'>> {
  const baseline = await readBaseline(io.files, flags.baseline);
  return { tokenizer: flags.tokenizer ?? 'chars', baseline };
}

async function one(input: Input, { file }: NamedFile): Promise<Counted> {
  const how = await howOf(input);
  const session = await openFile(input, file);
  const stats = await statsOfSession(session, how);
  return { results: [{ file, ok: true, stats }], end: { file, problems: [...session.problems, ...stats.diagnostics] } };
}

/** Below this size, starting threads takes longer than they save. */
const BIG_BYTES = 20e6;

async function many(input: Input, files: readonly NamedFile[]): Promise<Counted> {
  const { io } = input;
  const how = await howOf(input);
  const families = familiesOf(io, files);
  const isBig = families.length > 1 && files.reduce((sum, { size }) => sum + size, 0) >= BIG_BYTES;
  const progress = startProgress(io, families.length, 'families of sessions');
  const inputs = families.map((family) => ({ files: family.map(({ file }) => file), ...how }));
  const results: StatsOf[] = [];
  try {
    for await (const done of resultsOf(io, { job: 'stats', inputs, isBig, onDone: () => progress.step() })) {
      for (const result of done) {
        if (!result.ok) throw result.cause;
        for (const of of result.output) results.push(of);
      }
    }
  } finally {
    await progress.clear();
  }
  const places = new Map(files.map(({ file }, at) => [file, at]));
  const inOrder = results.toSorted((a, b) => (places.get(a.file) ?? 0) - (places.get(b.file) ?? 0));
  if (!inOrder.some(({ ok }) => ok)) throw nothing(inOrder);
  return { results: inOrder, end: { problems: problemsOf(inOrder) } };
}

function nothing([first]: readonly StatsOf[]): CtxError {
  const where = first && !first.ok ? `${first.file}: ${first.error}` : null;
  return new CtxError('input', 'no session could be counted', where === null ? {} : { where });
}

function problemsOf(results: readonly StatsOf[]): readonly Problem[] {
  const unreadable = results.flatMap((of) => (of.ok ? [] : warning('unreadable-session', `${of.file}: ${of.error}`)));
  const damaged = results.filter((of) => of.ok && isDamaged(of.stats));
  const [first] = damaged;
  if (!first) return unreadable;
  const what = `${plural(damaged.length, 'session')} with damaged places, the first: ${first.file}; see ctx check`;
  return [...unreadable, warning('damaged-session', what)];
}

function isDamaged({ problems, diagnostics }: SessionStats): boolean {
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
  toolCalls: ({ toolCalls }) => toolCalls,
  toolErrors: ({ toolErrors }) => toolErrors,
  tokensEstimated: ({ tokensEstimated }) => tokensEstimated,
  costListed: ({ usageRecorded }) => usageRecorded.costListed,
});
