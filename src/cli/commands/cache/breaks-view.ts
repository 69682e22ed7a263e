import { formatBreakClass, isUnexplained } from '#analysis/cache/break-classes.js';
import { describeBreak } from '#analysis/cache/describe-break.js';
import type { CacheBreak, CacheRequest } from '#analysis/cache/document.js';
import { describeRebilledCost, rebilledTokensOf, sumBreakCosts } from '#analysis/cache/rebilled.js';
import type { CacheReport } from '#analysis/cache/report-cache.js';
import { formatDuration } from '#base/duration.js';
import { formatCount, pluralize } from '#base/numbers.js';
import {
  type Block,
  type Cell,
  type Doc,
  gap,
  hangingLine,
  heading,
  line,
  listingRow,
  proseRow,
  span,
} from '#ui/doc/doc.js';
import { buildRowCells, buildTitleCells, fitColumns, type ListingColumn } from '#ui/doc/listing.js';
import { formatRebilled } from './view.js';

/** The breaks, one a line; of many full misses only the most expensive, and one sentence about all of them. */
export function renderBreaks({ requests, isPromptRecorded }: CacheReport, columns: number): Doc {
  const { listed, fullMisses } = splitBreaks(requests);
  if (listed.length + fullMisses.length === 0) return [];
  return [
    gap,
    heading(2, 'Breaks'),
    ...(listed.length === 0 ? [] : renderBreakRows(listed, columns)),
    ...(fullMisses.length === 0 ? [] : [renderFullMisses(fullMisses, isPromptRecorded)]),
  ];
}

type RequestColumn = ListingColumn<CacheRequest>;

const NUMBER: RequestColumn = { title: '#', width: -5, tone: 'plain', text: ({ request }) => `#${request}` };
const ANSWER: RequestColumn = {
  title: 'answer',
  width: 8,
  tone: 'id',
  text: ({ entryId, line: at }) => entryId ?? `line ${at}`,
};

const BREAK_COLUMNS: readonly RequestColumn[] = [
  NUMBER,
  ANSWER,
  {
    title: 'cause',
    width: 14,
    tone: 'warning',
    text: ({ break: broken }) => (broken ? formatBreakClass(broken.class) : ''),
  },
  { title: 're-billed', width: -9, tone: 'plain', text: ({ break: broken }) => describeRebilled(broken) },
  { title: 'cost', width: -8, tone: 'faint', text: describeCost },
];

const WHAT: RequestColumn = {
  title: 'what',
  width: 0,
  tone: 'plain',
  text: (each) => (each.break ? describeBreak(each, each.break) : ''),
};

/** The width at which a sentence has room beside its row. */
const WIDE = 110;
const INDENT_OF_WHAT = 7;

/** A row for each break. On a narrow screen, the sentence about it has its own lines below the row. */
function renderBreakRows(shown: readonly CacheRequest[], columns: number): Doc {
  if (columns >= WIDE) return renderListing([...BREAK_COLUMNS, WHAT], shown, columns, proseRow);
  return [
    listingRow(buildTitleCells(BREAK_COLUMNS)),
    ...shown.flatMap((each) => [
      listingRow(buildRowCells(BREAK_COLUMNS, each)),
      hangingLine(0, ' '.repeat(INDENT_OF_WHAT), span(WHAT.text(each), 'faint')),
    ]),
  ];
}

function describeCost({ break: broken }: CacheRequest): string {
  return broken === null || broken.rebilledTokens === null ? '' : describeRebilledCost(broken, '?');
}

function describeRebilled(broken: CacheBreak | null): string {
  return broken ? formatRebilled(rebilledTokensOf(broken), broken.rebilledTokens !== null) : '';
}

/** Cells that are left for the last column, which is a sentence or a name of a cause. */
const LEAST_CELLS = 26;

function renderListing(
  all: readonly RequestColumn[],
  requests: readonly CacheRequest[],
  cells: number,
  rowOf: (cells: readonly Cell[]) => Block,
): Doc {
  const columns = fitColumns(all, cells, () => LEAST_CELLS);
  return [listingRow(buildTitleCells(columns)), ...requests.map((request) => rowOf(buildRowCells(columns, request)))];
}

/** Every request, one a line. */
export function renderCacheRequests(requests: readonly CacheRequest[], columns: number): Doc {
  const isSplit = requests.some(({ recorded }) => recorded?.cacheWrite1h !== undefined);
  const all = REQUEST_COLUMNS.flatMap((column) => (column === WRITTEN && isSplit ? WRITTEN_PARTS : column));
  return [gap, heading(2, 'Requests'), ...renderListing(all, requests, columns, listingRow)];
}

const WRITTEN: RequestColumn = {
  title: 'written',
  width: -9,
  tone: 'plain',
  rank: 1,
  text: ({ recorded }) => formatKnown(recorded?.cacheWrite),
};

/** The tokens of each lifetime; of a request that does not record it, all tokens are in the first column. */
const WRITTEN_PARTS: readonly RequestColumn[] = [
  { ...WRITTEN, title: 'wrote 5m', rank: 2, text: ({ recorded }) => formatShortWrites(recorded) },
  { ...WRITTEN, title: 'wrote 1h', text: ({ recorded }) => formatKnown(recorded?.cacheWrite1h) },
];

const REQUEST_COLUMNS: readonly RequestColumn[] = [
  NUMBER,
  ANSWER,
  {
    title: 'prompt',
    width: -9,
    tone: 'plain',
    text: ({ recorded, promptTokensEstimated }) =>
      recorded ? formatCount(recorded.promptTokens) : `~${formatCount(promptTokensEstimated)}`,
  },
  {
    title: 'expected',
    width: -9,
    tone: 'faint',
    text: ({ expectedCacheReadEstimated: expected }) => formatKnown(expected),
  },
  { title: 'read', width: -9, tone: 'plain', text: ({ recorded }) => formatKnown(recorded?.cacheRead) },
  WRITTEN,
  { title: 'miss', width: -8, tone: 'error', text: ({ piMiss }) => formatKnown(piMiss?.tokens) },
  {
    title: 'cache',
    width: 0,
    tone: ({ break: broken }) => (broken ? 'warning' : 'faint'),
    text: describeCache,
  },
];

function describeCache({ break: broken, unbilled, recorded }: CacheRequest): string {
  if (broken) return formatBreakClass(broken.class);
  if (unbilled) return 'failed, not billed';
  return recorded && recorded.cacheRead > 0 ? 'hit' : '';
}

function formatShortWrites(recorded: CacheRequest['recorded']): string {
  if (!recorded) return '';
  const { cacheWrite, cacheWrite1h } = recorded;
  return cacheWrite1h === undefined ? `${formatCount(cacheWrite)} ?` : formatCount(cacheWrite - cacheWrite1h);
}

function formatKnown(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : formatCount(value);
}

/** Whether nothing of a request was read from the cache and no recorded change explains it. */
function isFullMiss({ break: broken, recorded }: CacheRequest): boolean {
  return broken !== null && isUnexplained(broken) && broken.divergence === null && recorded?.cacheRead === 0;
}

interface SplitBreaks {
  /** The breaks to list one by one. */
  readonly listed: readonly CacheRequest[];
  /** All full misses, if one sentence sums them up. */
  readonly fullMisses: readonly CacheRequest[];
}

function splitBreaks(requests: readonly CacheRequest[]): SplitBreaks {
  const broken = requests.filter((request) => request.break !== null);
  const fullMisses = broken.filter(isFullMiss);
  if (fullMisses.length < 2) return { listed: broken, fullMisses: [] };
  const dearest = new Set(fullMisses.toSorted((a, b) => breakCost(b) - breakCost(a)).slice(0, MOST_MISSES));
  return { listed: broken.filter((request) => !isFullMiss(request) || dearest.has(request)), fullMisses };
}

const MOST_MISSES = 5;

/** The cost of a break, to order breaks by it; re-billed tokens, far below a dollar each, where no cost is recorded. */
export function breakCost({ break: broken }: CacheRequest): number {
  return broken === null ? 0 : (broken.rebilledCostListed ?? 0) + rebilledTokensOf(broken) * FAR_BELOW;
}

/** Dollars for a token where no cost is known. */
const FAR_BELOW = 1e-12;

/** The count, the likely reason and the price of full misses. */
function renderFullMisses(misses: readonly CacheRequest[], isPromptRecorded: boolean): Block {
  const total = sumBreakCosts(misses.flatMap(({ break: broken }) => broken ?? []));
  const cost = total.rebilledCostListed === null ? '' : ` cost ${describeRebilledCost(total)} and`;
  const shown = misses.length > MOST_MISSES ? `; the ${MOST_MISSES} most expensive are listed` : '';
  const why = isPromptRecorded
    ? ''
    : ' The prompt or the tools may have changed: the session does not record them all.';
  return line(
    span(pluralize(misses.length, 'full miss', 'full misses'), 'warning'),
    `${cost} have no recorded cause${shown}.${why} ${describePauses(misses)}--each lists all requests.`,
  );
}

function describePauses(misses: readonly CacheRequest[]): string {
  const pauses = misses.flatMap(({ idleMilliseconds }) => idleMilliseconds ?? []).toSorted((a, b) => a - b);
  const least = pauses.at(0);
  const most = pauses.at(-1);
  if (least === undefined || most === undefined) return '';
  const shortest = formatDuration(least / 1000);
  const longest = formatDuration(most / 1000);
  return shortest === longest ? `Pauses of ${shortest}; ` : `Pauses of ${shortest} to ${longest}; `;
}
