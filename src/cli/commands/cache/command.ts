import { hasNoCause, rebilledBy } from '#analysis/cache/breaks.js';
import type { CacheRequest } from '#analysis/cache/document.js';
import { type CacheOptions, DEFAULTS } from '#analysis/cache/recorded.js';
import { type CacheReport, reportCache } from '#analysis/cache/report.js';
import { shellWord } from '#base/visible.js';
import { shortCount } from '#base/words.js';
import { readBaseline } from '#cli/read-json.js';
import { priceList } from '#context/models/registry.js';
import { resolvePath } from '#session/tree/revision.js';
import { type CsvColumns, csvTable, membersOf } from '#ui/doc/csv.js';
import { type Block, type Doc, gap, heading, line, type Report, span, type View } from '#ui/doc/doc.js';
import { PROMPT } from '#ui/look.js';
import { defineCommand, type Outcome } from '../define.js';
import { type FlagValues, minutes, number, positive, toggle } from '../flags.js';
import { openNamed, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { breaksDoc, cacheSummaryDoc, priceOf, requestsDoc } from './view.js';

/** The caching rules of a provider. */
export const cacheFlags = {
  block: positive(
    'TOKENS',
    `the size of the blocks that the provider caches (default: ${DEFAULTS.block}; OpenAI: 128)`,
  ),
  minimum: number('TOKENS', `the shortest prompt that the provider caches (default: ${DEFAULTS.minimum})`),
  retention: minutes(
    'the lifetime of the prompt cache, such as 5m or 1h; without a unit, in minutes (default: what each request wrote, else 5m)',
  ),
};

const FLAGS = {
  at: shared.at,
  each: toggle('list every request'),
  chart: toggle('draw prompt sizes and cache reads (default: only on a terminal)'),
  ...cacheFlags,
  baseline: shared.baseline,
};

export default defineCommand({
  name: 'cache',
  summary: 'Show cache breaks, their causes and their cost',
  description:
    'Compares each request of a path with the one before it: the tokens that the provider could read from its cache, ' +
    'the tokens that it recorded, and the entry that broke the cache. Costs are those that the session records, else `~` at listed prices. ' +
    'To sum up the breaks of many sessions, query the table envelopes: see ctx query --tables.',
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
    const { path } = resolvePath(session, flags.at);
    const report = reportCache({ session, path, readPatch: session.readPatch, baseline }, options, priceList());
    const problems = [...session.problems, ...report.diagnostics];
    const ended = { problems, file: session.file };
    if (format === 'csv') return { kind: 'pieces', pieces: csvTable(CACHE_COLUMNS, report.requests), end: () => ended };
    const shown = { each: flags.each, isDrawn: flags.chart ?? io.stdout.isTerminal, name: args[0] ?? session.file };
    const items = format === 'json' ? jsonLines(report) : [textReport(report, shown)];
    return { kind: 'stream', items, end: () => ended } satisfies Outcome;
  },
});

function jsonLines({ requests, summary }: CacheReport): readonly Report[] {
  return [...requests, summary].map((data) => ({ data, doc: () => [] }));
}

/** `name`: of the session, for another command. */
function textReport(
  report: CacheReport,
  { each, isDrawn, name }: { readonly each?: boolean | undefined; readonly isDrawn: boolean; readonly name: string },
): Report {
  const { requests, summary } = report;
  return {
    data: null,
    doc: ({ columns }: View): Doc => [
      ...cacheSummaryDoc(summary),
      ...(isDrawn ? cacheChart(requests, columns) : []),
      ...(each ? requestsDoc(requests, columns) : []),
      ...breaksDoc(report, columns),
      ...comparing(requests, name),
    ],
  };
}

/** The command that compares the contexts of the most expensive break without a cause. It is never wrapped: it could not be copied. */
function comparing(requests: readonly CacheRequest[], name: string): Doc {
  const pairs = requests.flatMap((request, at) => {
    const before = requests[at - 1];
    return request.break && hasNoCause(request.break) && before?.entryId && request.entryId
      ? [{ before, request }]
      : [];
  });
  const [dearest] = pairs.toSorted((a, b) => priceOf(b.request) - priceOf(a.request));
  if (!dearest) return [];
  const { before, request } = dearest;
  const command = ['ctx', 'diff', name, `${before.entryId}~1`, `${request.entryId}~1`].map(shellWord).join(' ');
  const said = line(span(`To compare the contexts of #${before.request} and #${request.request}:`, 'faint'));
  return [gap, said, { kind: 'whole', text: `  ${command}` }];
}

/** A row for every request, under the names of the JSON. */
const CACHE_COLUMNS: CsvColumns<CacheRequest> = {
  ...membersOf('request', 'entryId', 'line', 'time', 'model'),
  ...membersOf('promptTokensEstimated', 'prefixTokensEstimated', 'expectedCacheReadEstimated'),
  promptTokens: ({ recorded }) => recorded?.promptTokens,
  input: ({ recorded }) => recorded?.input,
  cacheRead: ({ recorded }) => recorded?.cacheRead,
  cacheWrite: ({ recorded }) => recorded?.cacheWrite,
  cacheWrite1h: ({ recorded }) => recorded?.cacheWrite1h,
  piMissTokens: ({ piMiss }) => piMiss?.tokens,
  piMissCost: ({ piMiss }) => piMiss?.cost,
  ...membersOf('naiveMiss', 'idleMilliseconds', 'retentionMinutes', 'expiredTokens'),
  break: (request) => request.break?.class,
  causeEntryId: (request) => request.break?.entryId,
  undeclared: (request) => request.break?.undeclared,
  rebilledTokens: (request) => request.break?.rebilledTokens,
  rebilledTokensEstimated: (request) => request.break?.rebilledTokensEstimated,
  rebilledCost: (request) => request.break?.rebilledCost,
  rebilledCostListed: (request) => request.break?.rebilledCostListed,
};

export function cacheOptionsOf({ block, minimum, retention }: FlagValues<typeof cacheFlags>): CacheOptions {
  return {
    block: block ?? DEFAULTS.block,
    minimum: minimum ?? DEFAULTS.minimum,
    retention: retention ?? DEFAULTS.retention,
  };
}

const LEGEND = [PROMPT.cached, PROMPT.fresh, PROMPT.again];
const MOST_ROWS = 24;
const LABELS = 34;

/** One bar for each prompt, as long as its size: the shares that were cached, new, and re-sent uncached. */
function cacheChart(requests: readonly CacheRequest[], columns: number): Doc {
  const bars = barsOf(requests);
  if (bars.length === 0) return [];
  const cells = Math.max(10, Math.min(60, (columns === Infinity ? 80 : columns) - LABELS));
  const biggest = Math.max(...bars.map(({ prompt }) => prompt), 1);
  const scale = (tokens: number): number => Math.round((tokens / biggest) * cells);
  return [
    gap,
    heading(2, 'Prompt size'),
    line(...LEGEND.flatMap(({ sign, tone, title }, at) => [span(sign, tone), ` ${title}${at === 2 ? '' : '  '}`])),
    ...bars.map((bar) => barLine(bar, scale)),
  ];
}

function barLine({ prompt, read, rebilled, label, note }: Bar, scale: (tokens: number) => number): Block {
  const all = Math.max(1, scale(prompt));
  const [readCells, rebilledCells] = [scale(read), rebilled === 0 ? 0 : Math.max(1, scale(rebilled))];
  const again = Math.min(rebilledCells, all - Math.min(readCells, all));
  const kept = Math.min(readCells, all - again);
  return line(
    span(label, 'faint'),
    `  ${shortCount(Math.round(prompt)).padStart(5)}  `,
    span(PROMPT.cached.sign.repeat(kept), PROMPT.cached.tone),
    span(PROMPT.again.sign.repeat(again), PROMPT.again.tone),
    span(PROMPT.fresh.sign.repeat(all - kept - again), PROMPT.fresh.tone),
    span(note === '' ? '' : `  ${note}`, 'warning'),
  );
}

interface Bar {
  readonly prompt: number;
  readonly read: number;
  readonly rebilled: number;
  readonly label: string;
  readonly note: string;
}

/** A bar for each request. Too many requests are grouped; a group shows the one with the most re-billed tokens, else its last. */
function barsOf(requests: readonly CacheRequest[]): readonly Bar[] {
  const recorded = requests.filter((request) => request.recorded !== null);
  const shown = recorded.length > 0 ? recorded : requests;
  const size = Math.ceil(shown.length / MOST_ROWS);
  const width = `#${shown.at(-1)?.request ?? 0}`.length;
  const bars: Bar[] = [];
  for (let start = 0; start < shown.length; start += size) {
    const group = shown.slice(start, start + size);
    const worst = group.reduce((most, request) => (rebilledOf(request) >= rebilledOf(most) ? request : most));
    bars.push({
      prompt: worst.recorded?.promptTokens ?? worst.promptTokensEstimated,
      read: worst.recorded?.cacheRead ?? 0,
      rebilled: rebilledOf(worst),
      label: `#${worst.request}`.padStart(width),
      note: worst.break?.class ?? '',
    });
  }
  return bars;
}

function rebilledOf({ break: broken }: CacheRequest): number {
  return broken ? rebilledBy(broken) : 0;
}
