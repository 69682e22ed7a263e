import type { CacheRequest } from '#analysis/cache/document.js';
import { type CacheOptions, DEFAULTS } from '#analysis/cache/recorded.js';
import { type CacheReport, reportCache } from '#analysis/cache/report.js';
import { readBaseline } from '#cli/read-json.js';
import { type CsvColumns, csvTable } from '#ui/doc/csv.js';
import type { Report, View } from '#ui/doc/define.js';
import type { Doc } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { type FlagValues, minutes, number, positive, toggle } from '../flags.js';
import { openNamed, pathAt, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { cacheChart } from './chart.js';
import { breaksDoc, cacheSummaryDoc, requestsDoc } from './view.js';

/** The caching rules of a provider. */
export const cacheFlags = {
  block: positive('TOKENS', `the size of the blocks that the provider caches (default ${DEFAULTS.block}; OpenAI: 128)`),
  minimum: number('TOKENS', `the shortest prompt that the provider caches (default ${DEFAULTS.minimum})`),
  retention: minutes(
    `the lifetime of the prompt cache, such as 5m or 1h; without a unit, in minutes (default ${DEFAULTS.retention}m; 1h for extended caching)`,
  ),
};

const FLAGS = {
  at: shared.at,
  each: toggle('list every request'),
  chart: toggle('draw prompt sizes and cache reads (default: only on a terminal)'),
  ...cacheFlags,
  baseline: shared.baseline,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'cache',
  summary: 'Show cache breaks, their causes and their cost',
  description:
    'Compares each request of a path with the one before it: the tokens that the provider could read from its cache, ' +
    'the tokens that it recorded, and the entry that broke the cache. Costs are those that the session records.',
  args: [sessionArgument, revisionArgument],
  flags: FLAGS,
  formats: [{ name: 'csv', summary: 'a row per request, for spreadsheets' }],
  takesRedact: true,
  examples: [
    'ctx cache',
    'ctx cache session.jsonl --each',
    'ctx cache session.jsonl --retention 1h --chart',
    'ctx cache session.jsonl --format csv > cache.csv',
  ],
  async run(input) {
    const { io, args, flags, format } = input;
    const options = cacheOptionsOf(flags);
    const baseline = await readBaseline(io.files, flags.baseline);
    const session = await openNamed(input, args[0]);
    const { path } = pathAt(session, flags.at);
    const report = reportCache({ session, path, readPatch: session.readPatch, baseline }, options);
    const problems = [...session.problems, ...report.diagnostics];
    const ended = { problems, file: session.file };
    if (format === 'csv') return { kind: 'pieces', pieces: csvTable(CACHE_COLUMNS, report.requests), end: () => ended };
    const isDrawn = flags.chart ?? io.stdout.isTerminal;
    const items = format === 'json' ? jsonLines(report) : [textReport(report, flags, isDrawn)];
    return { kind: 'stream', items, end: () => ended } satisfies Outcome;
  },
});

function jsonLines({ requests, summary }: CacheReport): readonly Report[] {
  return [...requests, summary].map((data) => ({ data, doc: () => [] }));
}

function textReport(report: CacheReport, flags: Input['flags'], isDrawn: boolean): Report {
  const { requests, summary } = report;
  return {
    data: null,
    doc: ({ columns }: View): Doc => [
      ...cacheSummaryDoc(summary),
      ...(isDrawn ? cacheChart(requests, columns) : []),
      ...(flags.each ? requestsDoc(requests, columns) : []),
      ...breaksDoc(report, columns),
    ],
  };
}

/** A row for every request, under the names of the JSON. */
const CACHE_COLUMNS: CsvColumns<CacheRequest> = {
  request: ({ request }) => request,
  entryId: ({ entryId }) => entryId,
  line: ({ line }) => line,
  time: ({ time }) => time,
  model: ({ model }) => model,
  promptTokensEstimated: ({ promptTokensEstimated }) => promptTokensEstimated,
  prefixTokensEstimated: ({ prefixTokensEstimated }) => prefixTokensEstimated,
  expectedCacheReadEstimated: ({ expectedCacheReadEstimated }) => expectedCacheReadEstimated,
  promptTokens: ({ recorded }) => recorded?.promptTokens,
  input: ({ recorded }) => recorded?.input,
  cacheRead: ({ recorded }) => recorded?.cacheRead,
  cacheWrite: ({ recorded }) => recorded?.cacheWrite,
  piMissTokens: ({ piMiss }) => piMiss?.tokens,
  piMissCost: ({ piMiss }) => piMiss?.cost,
  naiveMiss: ({ naiveMiss }) => naiveMiss,
  idleMilliseconds: ({ idleMilliseconds }) => idleMilliseconds,
  break: (request) => request.break?.class,
  causeEntryId: (request) => request.break?.entryId,
  undeclared: (request) => request.break?.undeclared,
  rebilledTokens: (request) => request.break?.rebilledTokens,
  rebilledTokensEstimated: (request) => request.break?.rebilledTokensEstimated,
  rebilledCost: (request) => request.break?.rebilledCost,
};

export function cacheOptionsOf({ block, minimum, retention }: FlagValues<typeof cacheFlags>): CacheOptions {
  return {
    block: block ?? DEFAULTS.block,
    minimum: minimum ?? DEFAULTS.minimum,
    retention: retention ?? DEFAULTS.retention,
  };
}
