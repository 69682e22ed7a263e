import { rebilledBy } from '#analysis/cache/breaks.js';
import { whatHappened } from '#analysis/cache/cache-words.js';
import type { CacheBreak, CacheRequest, CacheSummary } from '#analysis/cache/document.js';
import type { CacheReport } from '#analysis/cache/report.js';
import { count, dollars, percent, plural } from '#base/words.js';
import { shortened } from '#context/words/message-text.js';
import {
  type Block,
  type Cell,
  type Doc,
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
import { fittingColumns, type ListingColumn, rowCells, titleCells } from '#ui/doc/listing.js';
import { fullMissesLine, splitBreaks } from './full-misses.js';

/** Half a screen: the cached share of the prompts, and the causes of cache breaks with their counts. */
export function cacheSummaryDoc(summary: CacheSummary): Doc {
  const { requests, breaks, session } = summary;
  return [
    line(
      span(plural(requests, 'request'), 'strong'),
      `, ${plural(breaks, 'break')}`,
      span(`, ${session.file}`, 'faint'),
    ),
    ...recordedLines(summary),
    ...classTable(summary),
    ...idleLines(summary),
    ...volatileLines(summary),
  ];
}

function idleLines({ declaredForNothing }: CacheSummary): Doc {
  return [
    ...(declaredForNothing.length === 0 ? [] : [gap, heading(2, 'Declared, but nothing that was sent changed')]),
    ...declaredForNothing.map(({ entryId, line: at, reasons }) =>
      line('  ', span(entryId ?? `line ${at}`, 'id'), `  ${shortened(reasons.join('; '))}`),
    ),
  ];
}

function volatileLines({ volatile }: CacheSummary): Doc {
  return [
    ...(volatile.length === 0 ? [] : [gap, heading(2, 'What changes by itself, at the beginning of every request')]),
    ...volatile
      .slice(0, MOST_VOLATILE)
      .map(({ section, name, kind, text }) =>
        line(
          '  ',
          span(section === 'tools' ? 'tool' : 'system part', section),
          ` ${name}: ${kind} `,
          span(shortened(text), 'strong'),
        ),
      ),
    ...(volatile.length > MOST_VOLATILE
      ? [line(span(`  … ${volatile.length - MOST_VOLATILE} more, --json lists all`, 'faint'))]
      : []),
  ];
}

const MOST_VOLATILE = 8;

function recordedLines(summary: CacheSummary): Doc {
  const { requestsRecorded, promptTokens, cacheRead, requests, breaks, piMisses, undeclared, session } = summary;
  if (requestsRecorded === 0) return [labelled('recorded', 'nothing: no provider reported what it read from a cache')];
  const some = requestsRecorded === requests ? '' : span(` in ${plural(requestsRecorded, 'request')}`, 'faint');
  return [
    labelled('cached', `${percent(cacheRead, promptTokens)} of ${count(promptTokens)} prompt tokens`, some),
    labelled('re-billed', `${count(summary.rebilledTokens)} tokens, ${dollars(summary.rebilledCost)}`),
    ...(piMisses.requests === breaks || session.agent !== undefined
      ? []
      : [
          labelled(
            'Pi counts',
            `${plural(piMisses.requests, 'miss', 'misses')}; it ignores small ones and those after a compaction`,
          ),
        ]),
    ...agreementLines(summary),
    ...(undeclared === 0 ? [] : [labelled('reasons', reasonsText(undeclared))]),
  ];
}

function agreementLines({ providerReasons: reasons }: CacheSummary): Doc {
  if (!reasons) return [];
  const { reported, compared, agreed } = reasons;
  const unnamed = reported === compared ? '' : `; ${count(reported - compared)} name no cause`;
  return [
    labelled('provider', `agrees with ${count(agreed)} of ${plural(compared, 'cause')} that it reports${unnamed}`),
  ];
}

function classTable({ byClass }: CacheSummary): Doc {
  if (byClass.length === 0) return [];
  const columns = [left('cause'), right('breaks'), right('re-billed'), right('cost')];
  return [gap, table(columns, byClass.map(classRow))];
}

function classRow(of: CacheSummary['byClass'][number]): readonly Span[] {
  const isRecorded = of.rebilledTokens > 0 || of.rebilledTokensEstimated === 0;
  const tokens = isRecorded ? of.rebilledTokens : of.rebilledTokensEstimated;
  const cost = isRecorded ? dollars(of.rebilledCost) : '';
  return [
    span(of.class, 'warning'),
    span(count(of.breaks)),
    span(rebilledText(tokens, isRecorded)),
    span(cost, 'faint'),
  ];
}

const LABEL = 11;

function labelled(name: string, ...what: readonly (Span | string)[]): Block {
  return hangingLine(LABEL, span(name.padEnd(LABEL), 'faint'), ...what);
}

function reasonsText(breaks: number): string {
  const [are, were] = breaks === 1 ? ['break was', 'it'] : ['breaks were', 'them'];
  return `${count(breaks)} ${are} caused by an entry that declares no reason for ${were}`;
}

/** Estimated numbers have a mark. */
function rebilledText(tokens: number, isRecorded: boolean): string {
  return `${isRecorded ? '' : '~'}${count(tokens)}`;
}

/** The breaks, one a line; of many full misses only the most expensive, and one sentence about all of them. */
export function breaksDoc({ requests, isPromptRecorded }: CacheReport, columns: number): Doc {
  const { listed: shown, fullMisses } = splitBreaks(requests);
  if (shown.length + fullMisses.length === 0) return [];
  const all = shown.length === 0 ? [] : listed(BREAK_COLUMNS, shown, columns, proseRow);
  const misses = fullMisses.length === 0 ? [] : [fullMissesLine(fullMisses, isPromptRecorded)];
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
  { title: 'cause', width: 14, tone: 'warning', text: ({ break: broken }) => broken?.class ?? '' },
  {
    title: 're-billed',
    width: -9,
    tone: 'plain',
    text: ({ break: broken }) => (broken ? rebilledText(rebilledBy(broken), broken.rebilledTokens !== null) : ''),
  },
  { title: 'cost', width: -8, tone: 'faint', rank: 1, text: ({ break: broken }) => costText(broken) },
  {
    title: 'what',
    width: 0,
    tone: 'plain',
    text: (request) => (request.break ? `${whatHappened(request, request.break)}${reasonText(request)}` : ''),
  },
];

function reasonText({ providerReason: reason }: CacheRequest): string {
  return reason ? `; the provider reports ${reason.type}` : '';
}

function costText(broken: CacheBreak | null): string {
  return broken === null || broken.rebilledTokens === null ? '' : dollars(broken.rebilledCost, '?');
}

/** Cells that are left for the last column, which is a sentence or a name of a cause. */
const LEAST_CELLS = 26;

function listed(
  all: readonly RequestColumn[],
  requests: readonly CacheRequest[],
  cells: number,
  rowOf: (cells: readonly Cell[]) => Block,
): Doc {
  const columns = fittingColumns(all, cells, () => LEAST_CELLS);
  return [listingRow(titleCells(columns)), ...requests.map((request) => rowOf(rowCells(columns, request)))];
}

/** Every request, one a line. */
export function requestsDoc(requests: readonly CacheRequest[], columns: number): Doc {
  return [gap, heading(2, 'Requests'), ...listed(REQUEST_COLUMNS, requests, columns, listingRow)];
}

const REQUEST_COLUMNS: readonly RequestColumn[] = [
  NUMBER,
  ANSWER,
  {
    title: 'prompt',
    width: -9,
    tone: 'plain',
    text: ({ recorded, promptTokensEstimated }) =>
      recorded ? count(recorded.promptTokens) : `~${count(promptTokensEstimated)}`,
  },
  { title: 'expected', width: -9, tone: 'faint', text: ({ expectedCacheReadEstimated: expected }) => known(expected) },
  { title: 'read', width: -9, tone: 'plain', text: ({ recorded }) => known(recorded?.cacheRead) },
  { title: 'written', width: -9, tone: 'plain', rank: 1, text: ({ recorded }) => known(recorded?.cacheWrite) },
  { title: 'miss', width: -8, tone: 'error', text: ({ piMiss }) => known(piMiss?.tokens) },
  {
    title: 'break',
    width: 0,
    tone: 'warning',
    text: ({ break: broken, unbilled }) => broken?.class ?? (unbilled ? 'failed, not billed' : ''),
  },
];

function known(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : count(value);
}
