import { formatBreakClass, isUnexplained } from '#analysis/cache/break-classes.js';
import type { CacheRequest } from '#analysis/cache/document.js';
import { type CacheOptions, DEFAULT_CACHE_OPTIONS } from '#analysis/cache/options.js';
import { rebilledTokensOf } from '#analysis/cache/rebilled.js';
import { type CacheReport, reportCache } from '#analysis/cache/report-cache.js';
import { collectMisses } from '#analysis/cache/session-misses.js';
import { CtxError } from '#base/errors.js';
import { formatShortCount } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { readBaseline } from '#cli/read-json.js';
import { createHandles } from '#cli/sessions/handles.js';
import { mayMeanMany } from '#cli/sessions/named-files.js';
import { buildPriceList } from '#context/models/registry.js';
import { resolvePath } from '#session/tree/revision.js';
import { type CsvColumns, fieldColumns, renderCsv } from '#ui/doc/csv.js';
import { type Block, commandLine, type Doc, gap, heading, line, span } from '#ui/doc/doc.js';
import type { Printable, View } from '#ui/doc/renderer.js';
import { PROMPT_PARTS } from '#ui/palette.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { type FlagValues, minutesFlag, numberFlag, positiveFlag, rareFlag, toggleFlag } from '../flags.js';
import { openNamedSession, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { sumUpMisses, toReport } from './sessions.js';
import { breakCost, renderBreaks, renderCacheRequests, renderCacheSummary } from './view.js';

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
    const session = await openNamedSession(input, args[0]);
    const { path } = resolvePath(session, flags.at);
    const report = reportCache({ session, path, baseline }, options, buildPriceList());
    const problems = [...session.problems, ...report.diagnostics];
    if (flags.report) return toReport([collectMisses(session, report)], { problems, file: session.file });
    const end = { problems, file: session.file };
    if (format === 'csv') return { kind: 'pieces', pieces: renderCsv(CACHE_COLUMNS, report.requests), end: () => end };
    const named = await nameSession(input, session.file);
    const layout = { each: flags.each, isDrawn: flags.chart ?? io.stdout.isTerminal, name: named };
    const isJson = format === 'json';
    const items = isJson ? listJsonLines(report, flags.each ?? false) : [toPrintable(report, layout)];
    // The last line is the summary, so that is what remains with --max-tokens.
    return { kind: 'stream', items, newestLast: isJson ? { titles: 0 } : undefined, end: () => end } satisfies Outcome;
  },
});

/** The session as another command names it on a line of a screen: an id instead of a long path, where it has one. */
async function nameSession({ io, args: [name], format }: CacheInput, file: string): Promise<string> {
  const isShort = name !== undefined && name.length <= LONGEST_NAME;
  return isShort || file === '-' || format === 'json' ? toShellWord(name ?? file) : (await createHandles(io))(file);
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

/** The requests that broke the cache and those of which the provider reports something, or all of them. */
function listJsonLines({ requests, summary }: CacheReport, isAll: boolean): readonly Printable[] {
  const listed = isAll ? requests : requests.filter(isTold);
  const requestsLeftOut = requests.length - listed.length;
  const end = requestsLeftOut === 0 ? summary : { ...summary, requestsLeftOut };
  return [...listed, end].map((data) => ({ data, doc: () => [] }));
}

function isTold({ break: broken, ...request }: CacheRequest): boolean {
  return broken !== null || [request.providerReason, request.providerEdits, request.providerDrops].some(Boolean);
}

/** `name`: of the session, for another command. */
function toPrintable(
  report: CacheReport,
  { each, isDrawn, name }: { readonly each?: boolean | undefined; readonly isDrawn: boolean; readonly name: string },
): Printable {
  const { requests, summary } = report;
  return {
    data: null,
    doc: ({ columns }: View): Doc => [
      ...renderCacheSummary(summary),
      ...(isDrawn ? renderCacheChart(requests, columns) : []),
      ...(each ? renderCacheRequests(requests, columns) : []),
      ...renderBreaks(report, columns),
      ...renderComparison(requests, name),
    ],
  };
}

/** The command that compares the contexts of the most expensive break without a cause. It is never wrapped: it could not be copied. */
function renderComparison(requests: readonly CacheRequest[], name: string): Doc {
  const pairs = requests.flatMap((request, at) => {
    const before = requests[at - 1];
    return request.break && isUnexplained(request.break) && before?.entryId && request.entryId
      ? [{ before, request }]
      : [];
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

const LEGEND = [PROMPT_PARTS.cached, PROMPT_PARTS.fresh, PROMPT_PARTS.again];
const MOST_ROWS = 24;
const LABELS = 34;

/** One bar for each prompt, as long as its size: the shares that were cached, new, and re-sent uncached. */
function renderCacheChart(requests: readonly CacheRequest[], columns: number): Doc {
  const bars = buildBars(requests);
  if (bars.length === 0) return [];
  const cells = Math.max(10, Math.min(60, (columns === Infinity ? 80 : columns) - LABELS));
  const biggest = Math.max(...bars.map(({ prompt }) => prompt), 1);
  const scale = (tokens: number): number => Math.round((tokens / biggest) * cells);
  return [
    gap,
    heading(2, 'Prompt size'),
    line(...LEGEND.flatMap(({ sign, tone, title }, at) => [span(sign, tone), ` ${title}${at === 2 ? '' : '  '}`])),
    ...bars.map((bar) => renderBar(bar, scale)),
  ];
}

function renderBar({ prompt, read, rebilled, label, note }: Bar, scale: (tokens: number) => number): Block {
  const all = Math.max(1, scale(prompt));
  const readCells = scale(read);
  const rebilledCells = rebilled === 0 ? 0 : Math.max(1, scale(rebilled));
  const again = Math.min(rebilledCells, all - Math.min(readCells, all));
  const kept = Math.min(readCells, all - again);
  return line(
    span(label, 'faint'),
    `  ${formatShortCount(Math.round(prompt)).padStart(5)}  `,
    span(PROMPT_PARTS.cached.sign.repeat(kept), PROMPT_PARTS.cached.tone),
    span(PROMPT_PARTS.again.sign.repeat(again), PROMPT_PARTS.again.tone),
    span(PROMPT_PARTS.fresh.sign.repeat(all - kept - again), PROMPT_PARTS.fresh.tone),
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
function buildBars(requests: readonly CacheRequest[]): readonly Bar[] {
  const recorded = requests.filter((request) => request.recorded !== null);
  const layout = recorded.length > 0 ? recorded : requests;
  const size = Math.ceil(layout.length / MOST_ROWS);
  const width = `#${layout.at(-1)?.request ?? 0}`.length;
  const bars: Bar[] = [];
  for (let start = 0; start < layout.length; start += size) {
    const group = layout.slice(start, start + size);
    const worst = group.reduce((most, request) =>
      sumRebilledTokens(request) >= sumRebilledTokens(most) ? request : most,
    );
    bars.push({
      prompt: worst.recorded?.promptTokens ?? worst.promptTokensEstimated,
      read: worst.recorded?.cacheRead ?? 0,
      rebilled: sumRebilledTokens(worst),
      label: `#${worst.request}`.padStart(width),
      note: worst.break ? formatBreakClass(worst.break.class) : '',
    });
  }
  return bars;
}

function sumRebilledTokens({ break: broken }: CacheRequest): number {
  return broken ? rebilledTokensOf(broken) : 0;
}
