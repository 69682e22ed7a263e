import { formatBreakClass, isUnexplained } from '#analysis/cache/break-classes.js';
import { describeBreak, describeProviderReason } from '#analysis/cache/describe-break.js';
import { describeRemovals } from '#analysis/cache/describe-removals.js';
import type { CacheBreak, CacheRequest, CacheSummary } from '#analysis/cache/document.js';
import { describeLifetime } from '#analysis/cache/lifetime.js';
import { describeRebilledCost, describeRebilledSum, isCostListed, rebilledTokensOf } from '#analysis/cache/rebilled.js';
import { type CacheReport, sumBreakCosts } from '#analysis/cache/report-cache.js';
import { LISTED_PRICES_NOTE } from '#base/dollars.js';
import { formatDuration } from '#base/duration.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { shorten } from '#context/words/message-text.js';
import {
  type Block,
  type Cell,
  type Doc,
  fileSpan,
  gap,
  hangingLine,
  heading,
  left,
  line,
  listingRow,
  proseRow,
  right,
  type Span,
  span,
  table,
} from '#ui/doc/doc.js';
import { buildRowCells, buildTitleCells, fitColumns, type ListingColumn } from '#ui/doc/listing.js';
import { renderCauseNotes } from './cause-notes.js';

/** Half a screen: the cached share of the prompts, and the causes of cache breaks with their counts. */
export function renderCacheSummary(summary: CacheSummary): Doc {
  const { requests, breaks, session } = summary;
  const file = fileSpan(session.file, session.file, 'faint');
  return [
    line(span(pluralize(requests, 'request'), 'strong'), `, ${pluralize(breaks, 'break')}, `, file),
    ...renderRecorded(summary),
    ...renderCauses(summary),
    ...renderNeedless(summary),
    ...renderVolatile(summary),
  ];
}

function renderNeedless({ declaredForNothing }: CacheSummary): Doc {
  if (declaredForNothing.length === 0) return [];
  return [
    gap,
    heading(2, 'Declared, but nothing that was sent changed'),
    ...declaredForNothing.map(({ entryId, line: at, reasons }) =>
      line('  ', span(entryId ?? `line ${at}`, 'id'), `  ${shorten(reasons.join('; '))}`),
    ),
  ];
}

function renderVolatile({ volatile }: CacheSummary): Doc {
  if (volatile.length === 0) return [];
  const more = volatile.length - MOST_VOLATILE;
  return [
    gap,
    heading(2, 'What changes by itself, at the beginning of every request'),
    ...volatile.slice(0, MOST_VOLATILE).map(({ section, name, kind, text }) => {
      const what = span(section === 'tools' ? 'tool' : 'system part', section);
      return line('  ', what, ` ${name}: ${kind} `, span(shorten(text), 'strong'));
    }),
    ...(more > 0 ? [line(span(`  … ${more} more, --json lists all`, 'faint'))] : []),
  ];
}

const MOST_VOLATILE = 8;

function renderRecorded(summary: CacheSummary): Doc {
  const { requestsRecorded, promptTokens, cacheRead, requests, breaks, piMisses, undeclared, session } = summary;
  if (requestsRecorded === 0)
    return [renderLabelled('recorded', 'nothing: no provider reported what it read from a cache')];
  const counted = `${pluralize(piMisses.requests, 'miss', 'misses')}, without small ones and those after a compaction`;
  const some = requestsRecorded === requests ? '' : span(` in ${pluralize(requestsRecorded, 'request')}`, 'faint');
  return [
    renderLabelled(
      'cached',
      `${formatPercent(cacheRead, promptTokens)} of ${formatCount(promptTokens)} prompt tokens`,
      some,
    ),
    ...renderWritten(summary),
    renderLabelled('re-billed', describeRebilledSum(summary)),
    ...(piMisses.requests === breaks || session.agent !== undefined ? [] : [renderLabelled('Pi shows', counted)]),
    ...renderProviderReasons(summary),
    ...describeRemovals(summary).map(({ verb, text }) => renderLabelled(verb, text)),
    ...(undeclared === 0 ? [] : [renderLabelled('reasons', describeUndeclared(undeclared))]),
  ];
}

/** The line of the tokens that were written to the cache, by the lifetime that was recorded for them. */
function renderWritten({ cacheWrite, cacheWrite5m, cacheWrite1h, options }: CacheSummary): Doc {
  if (cacheWrite === 0) return [];
  const rest = cacheWrite - cacheWrite5m - cacheWrite1h;
  const parts = [
    ...(cacheWrite5m > 0 ? [`${formatCount(cacheWrite5m)} tokens for 5 minutes`] : []),
    ...(cacheWrite1h > 0 ? [`${formatCount(cacheWrite1h)} tokens for 1 hour`] : []),
    ...(rest > 0 ? [`${formatCount(rest)} tokens without a recorded lifetime`] : []),
  ];
  const { retentionMinutes: minutes, retentionBasis: basis } = options;
  const used = basis === 'recorded' ? '' : span(`; ${describeLifetime(minutes, basis)}`, 'faint');
  return [renderLabelled('wrote', parts.join(', '), used)];
}

/** The misses that the provider itself reports, each of them if there are few. */
function renderProviderReasons({ providerReasons: reasons }: CacheSummary): Doc {
  if (!reasons) return [];
  const { misses } = reasons;
  const listed = misses.slice(0, MOST_REPORTED).map((miss) => {
    const found = miss.class === null ? 'its numbers show no break' : formatBreakClass(miss.class);
    return renderLabelled('', span(`#${miss.request}`), ` ${describeProviderReason(miss)}: `, span(found, 'faint'));
  });
  const more = misses.length - MOST_REPORTED;
  return [
    renderLabelled('provider', describeAgreement(reasons)),
    ...listed,
    ...(more > 0 ? [renderLabelled('', span(`… ${more} more: --json lists all`, 'faint'))] : []),
  ];
}

const MOST_REPORTED = 5;

function describeAgreement({ reported, compared, agreed }: NonNullable<CacheSummary['providerReasons']>): string {
  const all = `reports ${pluralize(reported, 'miss', 'misses')}`;
  if (compared === 0) return `${all}, and names no cause`;
  const rest = reported - compared;
  const unnamed = rest === 0 ? '' : `; ${pluralize(rest, 'more report names', 'more reports name')} no cause`;
  return `${all}; the session shows the same cause for ${formatCount(agreed)} of ${formatCount(compared)}${unnamed}`;
}

function renderCauses({ byClass }: CacheSummary): Doc {
  if (byClass.length === 0) return [];
  const columns = [left('cause'), right('breaks'), right('re-billed'), right('cost')];
  const note = byClass.some(isCostListed) ? [line(span(`  ${LISTED_PRICES_NOTE}`, 'faint'))] : [];
  const causes = byClass.map((of) => of.class);
  const next = 'for a bug report with these breaks: --report';
  return [gap, table(columns, byClass.map(buildCauseRow)), ...note, ...renderCauseNotes(causes, next)];
}

function buildCauseRow(of: CacheSummary['byClass'][number]): readonly Span[] {
  const isRecorded = of.rebilledTokens > 0 || of.rebilledTokensEstimated === 0;
  const tokens = isRecorded ? of.rebilledTokens : of.rebilledTokensEstimated;
  const cost = isRecorded ? describeRebilledCost(of) : '';
  const rebilled = span(formatRebilled(tokens, isRecorded));
  return [span(formatBreakClass(of.class), 'warning'), span(formatCount(of.breaks)), rebilled, span(cost, 'faint')];
}

const LABEL = 11;

function renderLabelled(name: string, ...what: readonly (Span | string)[]): Block {
  return hangingLine(LABEL, span(name.padEnd(LABEL), 'faint'), ...what);
}

function describeUndeclared(breaks: number): string {
  if (breaks === 1) return '1 break was caused by an entry that declares no reason for it';
  return `${formatCount(breaks)} breaks were caused by an entry that declares no reason for them`;
}

/** Estimated numbers have a mark. */
function formatRebilled(tokens: number, isRecorded: boolean): string {
  return `${isRecorded ? '' : '~'}${formatCount(tokens)}`;
}

/** The breaks, one a line; of many full misses only the most expensive, and one sentence about all of them. */
export function renderBreaks({ requests, isPromptRecorded }: CacheReport, columns: number): Doc {
  const { listed: shown, fullMisses } = splitBreaks(requests);
  if (shown.length + fullMisses.length === 0) return [];
  const all = shown.length === 0 ? [] : renderBreakRows(shown, columns);
  const misses = fullMisses.length === 0 ? [] : [renderFullMisses(fullMisses, isPromptRecorded)];
  return [gap, heading(2, 'Breaks'), ...all, ...misses];
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
    text: ({ break: broken, unbilled, recorded }) => {
      if (broken) return formatBreakClass(broken.class);
      return unbilled ? 'failed, not billed' : recorded && recorded.cacheRead > 0 ? 'hit' : '';
    },
  },
];

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

/** Breaks to list one by one, and all full misses if one sentence sums them up. */
function splitBreaks(requests: readonly CacheRequest[]): {
  readonly listed: readonly CacheRequest[];
  readonly fullMisses: readonly CacheRequest[];
} {
  const broken = requests.filter((request) => request.break !== null);
  const fullMisses = broken.filter(isFullMiss);
  if (fullMisses.length < 2) return { listed: broken, fullMisses: [] };
  const dearest = new Set(fullMisses.toSorted((a, b) => breakCost(b) - breakCost(a)).slice(0, MOST_MISSES));
  return { listed: broken.filter((request) => !isFullMiss(request) || dearest.has(request)), fullMisses };
}

const MOST_MISSES = 5;

/** The cost of a break; re-billed tokens, far below a dollar each, where no cost is recorded. */
export function breakCost({ break: broken }: CacheRequest): number {
  return broken === null ? 0 : (broken.rebilledCostListed ?? 0) + rebilledTokensOf(broken) * 1e-12;
}

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
