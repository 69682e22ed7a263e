import { assertJoinable, type CallGrouping, needsCalls, parseGroupings } from '#analysis/stats/call-groups.js';
import type { Cheaper } from '#analysis/stats/cheaper.js';
import { type Grouping, GROUPINGS, type StatsGroup, type StatsGroups } from '#analysis/stats/document.js';
import { groupUsage } from '#analysis/stats/groups.js';
import type { SessionUsage } from '#analysis/stats/session-stats.js';
import { statsReport } from '#analysis/stats/stats-report.js';
import { buildUsageGroups } from '#analysis/stats/usage-groups.js';
import { readBaseline } from '#cli/read-json.js';
import { listUnreadable } from '#cli/sessions/file-result.js';
import { createHandles, type FindHandle } from '#cli/sessions/handles.js';
import type { StatsInput } from '#cli/sessions/jobs/stats.js';
import { findNamedFiles } from '#cli/sessions/named-files.js';
import { toPeriod } from '#cli/sessions/period.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import type { Baseline } from '#context/replay/content.js';
import { type CsvColumns, fieldColumns, renderCsv } from '#ui/doc/csv.js';
import type { View } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand, type Outcome, type OutcomeEnd } from '../define.js';
import { type Flag, timezoneFlag, toggleFlag } from '../flags.js';
import { openSessionFile } from '../session.js';
import * as shared from '../shared-flags.js';
import {
  addSubagentFiles,
  countMany,
  countOne,
  countSubagents,
  countUsageOfMany,
  listStats,
  toLimitedPeriod,
} from './count-sessions.js';
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
    const { io, args, flags } = input;
    const names = args.filter((name) => name !== undefined);
    // A session that went on after the period has usage within it.
    const { since } = toPeriod(flags, io.now());
    const namedFiles = await findNamedFiles(io, names.length === 0 ? ['latest'] : names, { since });
    const subagents = await countSubagents(input, namedFiles);
    const files = flags['with-subagents'] ? addSubagentFiles(input, namedFiles, subagents) : namedFiles;
    const grouping = chooseGrouping(input, files.length === 1);
    if (grouping && isUsageEnough(input, files, grouping.by)) return groupRecordedUsage(input, files, grouping);
    return countEverything(input, files, { grouping, subagents });
  },
});

/**
 * Whether only recorded usage is shown: JSON has everything, and rows of projects and sessions in CSV have estimates
 * too.
 */
function isUsageEnough({ format, flags }: Input, files: readonly NamedFile[], groupings: readonly Grouping[]): boolean {
  const [first = ''] = groupings;
  // Some subagents are named only by the results of tools.
  if (files.length === 1 || format === 'json' || flags['with-subagents'] || first === 'tool') return false;
  const hasEstimates = format === 'csv' && !needsCalls(groupings) && ['project', 'session'].includes(first);
  return !hasEstimates;
}

/**
 * The grouping of `--by`, or that of CSV; null if neither is given. Throws a CtxError (usage) for what cannot be
 * joined.
 */
function chooseGrouping({ flags, format }: Input, isOne: boolean): CallGrouping | null {
  const { by: groupings, timezone: zone = 'UTC' } = flags;
  const timezone = zone === 'UTC' ? null : zone;
  if (groupings) {
    assertJoinable(groupings);
    return { by: groupings, timezone };
  }
  return format === 'csv' ? { by: [isOne ? 'model' : 'session'], timezone } : null;
}

/** Sums the recorded usage by group, without reading what the sessions contain. */
async function groupRecordedUsage(input: Input, files: readonly NamedFile[], grouping: CallGrouping): Promise<Outcome> {
  const { results, end } = await countUsageOfMany(input, files, grouping);
  const sessions = listStats(results);
  const data = buildUsageGroups(sessions, listUnreadable(results), grouping);
  if (input.format === 'csv') return toCsv(data.groups, end);

  const handleOf = await createListHandles(input, grouping.by.includes('session') ? files : []);
  const models = groupUsage(sessions, 'model').map(({ usageRecorded }) => usageRecorded);
  const item = { data, doc: (view: View) => renderUsageGroups(data, { models, handleOf }, view) };
  return { kind: 'single', item, ...end };
}

/** Sums everything up: the recorded usage, and estimated tokens of what the sessions contain. */
async function countEverything(
  input: Input,
  files: readonly NamedFile[],
  { grouping, subagents }: { readonly grouping: CallGrouping | null; readonly subagents: readonly SessionUsage[] },
): Promise<Outcome> {
  const { io, flags, format } = input;
  const [only, ...others] = files;
  const isOne = only !== undefined && others.length === 0;
  const baseline = await readBaseline(io.files, flags.baseline);
  const how = buildStatsInput(input, grouping, baseline);
  const { results, end } = isOne ? await countOne(input, only, how) : await countMany(input, files, how);
  const counts = listStats(results);
  const report = statsReport(counts, listUnreadable(results), grouping ?? undefined, {
    sessions: subagents,
    isCounted: flags['with-subagents'] ?? false,
  });
  const cheaper = flags.cheaper && isOne ? await seekCheaper(input, only, baseline) : null;
  const data = { ...report, cheaper };
  if (format === 'csv' && data.groups) return toCsv(data.groups, end);

  const display = {
    isFull: flags.full ?? false,
    prompts: counts.flatMap(({ samples }) => samples.map(({ recorded }) => recorded)),
    handleOf: await createListHandles(input, files),
  };
  return { kind: 'single', item: { data, doc: (view) => renderStats(data, display, view) }, ...end };
}

function buildStatsInput(input: Input, given: CallGrouping | null, baseline: Baseline): Omit<StatsInput, 'files'> {
  const { timezone, tokenizer = 'chars', 'with-subagents': withSubagents = false } = input.flags;
  // The days are those of the time zone even without `--by`.
  const grouping = given ?? (timezone === undefined ? null : { by: [], timezone });
  return { tokenizer, baseline, period: toLimitedPeriod(input), grouping, withSubagents };
}

/** The names of the sessions in a text, which lists several. */
function createListHandles({ io, format }: Input, files: readonly NamedFile[]): FindHandle | Promise<FindHandle> {
  return format === 'json' || files.length < 2 ? (file) => file : createHandles(io);
}

function toCsv({ groupings, rows }: StatsGroups, end: OutcomeEnd): Outcome {
  return { kind: 'pieces', pieces: renderCsv(buildGroupColumns(groupings), rows), end: () => end };
}

/** Simulates earlier compactions. The session is read once more, since it is a rare question. */
async function seekCheaper(input: Input, { file }: NamedFile, baseline: Baseline): Promise<Cheaper | null> {
  const { findCheaper } = await import('#cli/sessions/jobs/simulate.js');
  return findCheaper(await openSessionFile(input, file), baseline);
}

/** The columns of a row for every group, under the names of the JSON. */
function buildGroupColumns(groupings: readonly string[]): CsvColumns<StatsGroup> {
  return {
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
  };
}
