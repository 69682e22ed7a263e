import { rebilledBy } from '#analysis/cache/breaks.js';
import type { CacheRequest } from '#analysis/cache/document.js';
import { type CacheReport, reportCache } from '#analysis/cache/report.js';
import { shortCount } from '#base/words.js';
import { readBaseline } from '#cli/read-json.js';
import { csvTable } from '#ui/doc/csv.js';
import type { Report, View } from '#ui/doc/define.js';
import { type Doc, gap, heading, line, span } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { toggle } from '../flags.js';
import { openNamed, pathAt, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { CACHE_COLUMNS } from './csv.js';
import { cacheFlags, cacheOptionsOf } from './options.js';
import { breaksDoc, cacheSummaryDoc, requestsDoc } from './view.js';

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
    const items = format === 'json' ? jsonLines(report) : [textReport(report, { flags, isDrawn })];
    return { kind: 'stream', items, end: () => ended } satisfies Outcome;
  },
});

function jsonLines({ requests, summary }: CacheReport): readonly Report[] {
  return [...requests, summary].map((data) => ({ data, doc: () => [] }));
}

interface Layout {
  readonly flags: Input['flags'];
  readonly isDrawn: boolean;
}

function textReport(report: CacheReport, { flags, isDrawn }: Layout): Report {
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

const READ = '█';
const NEW = '▒';
const REBILLED = '░';
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
    line(
      span(READ, 'good'),
      ' read from the cache  ',
      span(NEW, 'messages'),
      ' new  ',
      span(REBILLED, 'error'),
      ' sent before, billed again',
    ),
    ...bars.map(({ prompt, read, rebilled, label, note }) => {
      const all = Math.max(1, scale(prompt));
      const [readCells, rebilledCells] = [scale(read), rebilled === 0 ? 0 : Math.max(1, scale(rebilled))];
      const again = Math.min(rebilledCells, all - Math.min(readCells, all));
      const kept = Math.min(readCells, all - again);
      return line(
        span(label, 'faint'),
        `  ${shortCount(Math.round(prompt)).padStart(5)}  `,
        span(READ.repeat(kept), 'good'),
        span(REBILLED.repeat(again), 'error'),
        span(NEW.repeat(all - kept - again), 'messages'),
        span(note === '' ? '' : `  ${note}`, 'warning'),
      );
    }),
  ];
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
