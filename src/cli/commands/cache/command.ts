import { isUnexplained } from '#analysis/cache/break-classes.js';
import type { CacheRequest } from '#analysis/cache/document.js';
import { type CacheOptions, DEFAULT_CACHE_OPTIONS } from '#analysis/cache/options.js';
import { type CacheReport, reportCache } from '#analysis/cache/report-cache.js';
import { collectMisses } from '#analysis/cache/session-misses.js';
import { batchItems } from '#base/batches.js';
import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { readBaseline } from '#cli/read-json.js';
import { createHandles } from '#cli/sessions/handles.js';
import { mayMeanMany } from '#cli/sessions/named-files.js';
import { buildPriceList } from '#context/models/registry.js';
import { resolvePath } from '#session/tree/revision.js';
import { type CsvColumns, fieldColumns, renderCsv } from '#ui/doc/csv.js';
import { commandLine, type Doc, gap, line, span } from '#ui/doc/doc.js';
import type { Printable, View } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand } from '../define.js';
import { type FlagValues, minutesFlag, numberFlag, positiveFlag, rareFlag, toggleFlag } from '../flags.js';
import { openNamedSession, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { breakCost, renderBreaks, renderCacheRequests } from './breaks-view.js';
import { renderCacheChart } from './chart-view.js';
import { sumUpMisses, toReport } from './sessions.js';
import { renderCacheSummary } from './view.js';

/** The caching rules of a provider. */
export const cacheFlags = {
  block: rareFlag(
    positiveFlag(
      'TOKENS',
      `the size of the blocks that the provider caches (default: ${DEFAULT_CACHE_OPTIONS.block}; OpenAI: 128)`,
    ),
  ),
  minimum: rareFlag(
    numberFlag('TOKENS', `the shortest prompt that the provider caches (default: ${DEFAULT_CACHE_OPTIONS.minimum})`),
  ),
  retention: minutesFlag(
    'the lifetime of the prompt cache, such as 5m or 1h; without a unit, in minutes (default: what each request wrote, else 5m)',
  ),
};

const FLAGS = {
  each: rareFlag(toggleFlag('list every request, not only those that broke the cache')),
  chart: toggleFlag('draw prompt sizes and cache reads (default: only on a terminal)'),
  report: {
    ...toggleFlag('print paragraphs for a bug report: numbers, dates and versions, and no word of a session'),
    excludes: ['format json', 'format csv', 'each', 'chart'],
  },
  at: shared.at,
  ...cacheFlags,
  baseline: shared.baseline,
};

export default defineCommand({
  name: 'cache',
  summary: 'Show cache breaks, their causes and their cost',
  description:
    'Compares each request of a path with the one before it: the tokens that the provider could read from its cache, ' +
    'the tokens that it recorded, and the entry that broke the cache. Costs are those that the session records, else `~` at listed prices. ' +
    'A folder, a pattern, "all" or "all:AGENT" sums up the breaks of many sessions: by cause, client version, day and project.',
  args: [sessionArgument, revisionArgument],
  flags: FLAGS,
  formats: [{ name: 'csv', summary: 'a row per request, for spreadsheets' }],
  takesRedact: true,
  examples: [
    'ctx cache',
    'ctx cache all',
    'ctx cache all:claude-code --report',
    'ctx cache session.jsonl --each',
    'ctx cache session.jsonl --retention 1h --chart',
    'ctx cache session.jsonl --format csv > cache.csv',
  ],
  async run(input) {
    const { io, args, flags, format } = input;
    const options = toCacheOptions(flags);
    const baseline = await readBaseline(io.files, flags.baseline);
    const [name] = args;
    if (name !== undefined && mayMeanMany(io, name)) {
      refuseFlagsOfOne(input);
      return sumUpMisses(input, name, { options, baseline });
    }

    const session = await openNamedSession(input, name);
    const { path } = resolvePath(session, flags.at);
    const report = reportCache({ session, path, baseline }, options, buildPriceList());
    const problems = [...session.problems, ...report.diagnostics];
    if (flags.report) return toReport([collectMisses(session, report)], { problems, file: session.file });
    const end = { problems, file: session.file };
    if (format === 'csv') return { kind: 'pieces', pieces: renderCsv(CACHE_COLUMNS, report.requests), end: () => end };
    const hasAll = flags.each ?? false;
    if (format === 'json') {
      // The last line is the summary, so that is what remains with --max-tokens.
      const batches = batchItems(listJsonLines(report, hasAll));
      return { kind: 'stream', batches, newestLast: { titles: 0 }, end: () => end };
    }

    const hasChart = flags.chart ?? io.stdout.isTerminal;
    const shown = { hasAll, hasChart, name: await nameSession(input, session.file) };
    return { kind: 'stream', batches: [[toPrintable(report, shown)]], end: () => end };
  },
});

/** The session as another command names it on a line of a screen: an id instead of a long path, where it has one. */
async function nameSession({ io, args: [name] }: CacheInput, file: string): Promise<string> {
  const isShort = name !== undefined && name.length <= LONGEST_NAME;
  if (isShort || file === '-') return toShellWord(name ?? file);
  const findHandle = await createHandles(io);
  return findHandle(file);
}

/** Leaves room for two revisions on a line of 80 columns. */
const LONGEST_NAME = 36;

/** Throws a CtxError (usage) for what only one session has. */
function refuseFlagsOfOne({ flags, format }: CacheInput): void {
  const given = (['at', 'each', 'chart'] as const).find((name) => flags[name] !== undefined);
  if (given === undefined && format !== 'csv') return;
  const what = given === undefined ? '--format csv' : `--${given}`;
  throw new CtxError('usage', `${what} is of one session`, { hint: 'name a session file' });
}

type CacheInput = CommandInput<typeof FLAGS>;

/** The requests that broke the cache or have a reason from the provider, or all requests. */
function listJsonLines({ requests, summary }: CacheReport, isAll: boolean): readonly Printable[] {
  const listed = isAll ? requests : requests.filter(isTold);
  const requestsLeftOut = requests.length - listed.length;
  const end = requestsLeftOut === 0 ? summary : { ...summary, requestsLeftOut };
  return [...listed, end].map((data) => ({ data, doc: () => [] }));
}

function isTold({ break: broken, providerReason, providerEdits, providerDrops }: CacheRequest): boolean {
  const isReported = [providerReason, providerEdits, providerDrops].some(Boolean);
  return broken !== null || isReported;
}

interface CacheView {
  /** All requests are listed. */
  readonly hasAll: boolean;
  readonly hasChart: boolean;
  /** The name of the session for another command. */
  readonly name: string;
}

function toPrintable(report: CacheReport, { hasAll, hasChart, name }: CacheView): Printable {
  const { requests, summary } = report;
  return {
    data: null,
    doc: ({ columns }: View): Doc => [
      ...renderCacheSummary(summary),
      ...(hasChart ? renderCacheChart(requests, columns) : []),
      ...(hasAll ? renderCacheRequests(requests, columns) : []),
      ...renderBreaks(report, columns),
      ...renderComparison(requests, name),
    ],
  };
}

/**
 * The command that compares the contexts of the most expensive break without a cause. It is never wrapped: it could not
 * be copied.
 */
function renderComparison(requests: readonly CacheRequest[], name: string): Doc {
  const pairs = requests.flatMap((request, at) => {
    const before = requests[at - 1];
    if (!before?.entryId || !request.entryId) return [];
    return request.break && isUnexplained(request.break) ? [{ before, request }] : [];
  });
  const [dearest] = pairs.toSorted((a, b) => breakCost(b.request) - breakCost(a.request));
  if (!dearest) return [];
  const { before, request } = dearest;
  const revisions = [before, request].map(({ entryId }) => toShellWord(`${entryId}~1`));
  const command = ['ctx diff', name, ...revisions].join(' ');
  const note = line(span(`To compare the contexts of #${before.request} and #${request.request}:`, 'faint'));
  return [gap, note, commandLine('  ', command)];
}

/** A row for every request, under the names of the JSON. */
const CACHE_COLUMNS: CsvColumns<CacheRequest> = {
  ...fieldColumns('request', 'entryId', 'line', 'time', 'model'),
  ...fieldColumns('promptTokensEstimated', 'prefixTokensEstimated', 'expectedCacheReadEstimated'),
  promptTokens: ({ recorded }) => recorded?.promptTokens,
  input: ({ recorded }) => recorded?.input,
  cacheRead: ({ recorded }) => recorded?.cacheRead,
  cacheWrite: ({ recorded }) => recorded?.cacheWrite,
  cacheWrite1h: ({ recorded }) => recorded?.cacheWrite1h,
  piMissTokens: ({ piMiss }) => piMiss?.tokens,
  piMissCost: ({ piMiss }) => piMiss?.cost,
  ...fieldColumns('naiveMiss', 'idleMilliseconds', 'retentionMinutes', 'expiredTokens'),
  break: (request) => request.break?.class,
  causeEntryId: (request) => request.break?.entryId,
  undeclared: (request) => request.break?.undeclared,
  rebilledTokens: (request) => request.break?.rebilledTokens,
  rebilledTokensEstimated: (request) => request.break?.rebilledTokensEstimated,
  rebilledCost: (request) => request.break?.rebilledCost,
  rebilledCostListed: (request) => request.break?.rebilledCostListed,
};

export function toCacheOptions({ block, minimum, retention }: FlagValues<typeof cacheFlags>): CacheOptions {
  return {
    block: block ?? DEFAULT_CACHE_OPTIONS.block,
    minimum: minimum ?? DEFAULT_CACHE_OPTIONS.minimum,
    retention: retention ?? DEFAULT_CACHE_OPTIONS.retention,
  };
}
