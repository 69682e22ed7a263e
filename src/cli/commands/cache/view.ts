import { whatHappened } from '#analysis/cache/cache-words.js';
import type { CacheReport, CacheTotals } from '#analysis/cache/report.js';
import type { CacheBreak, CacheRequest } from '#analysis/cache/request.js';
import { count, dollars, percent, plural } from '#base/words.js';
import { shortened } from '#context/words/message-text.js';
import { type Doc, gap, heading, left, line, right, listingRow, type Span, span } from '#ui/doc/doc.js';
import { fittingColumns, type ListingColumn, rowCells, titleCells } from '#ui/doc/listing.js';

/** How much of the prompts was read from the cache, and what broke it how often: half a screen. */
export function cacheSummaryDoc({ totals, declaredForNothing, volatile }: CacheReport, file: string): Doc {
  return [
    line(
      span(plural(totals.requests, 'request'), 'strong'),
      `, ${plural(totals.breaks, 'break')}`,
      span(`, ${file}`, 'faint'),
    ),
    ...recordedLines(totals),
    ...classTable(totals),
    ...(declaredForNothing.length === 0 ? [] : [gap, heading(2, 'Declared, but nothing that was sent changed')]),
    ...declaredForNothing.map(({ entryId, line: at, reasons }) =>
      line('  ', span(entryId ?? `line ${at}`, 'id'), `  ${shortened(reasons.join('; '))}`),
    ),
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

function recordedLines({
  recorded,
  prompt,
  cacheRead,
  requests,
  rebilled,
  piMisses,
  naiveMisses,
  undeclared,
}: CacheTotals): Doc {
  if (recorded === 0) return [line(label('recorded'), 'nothing: no provider reported what it read from a cache')];
  const some = recorded === requests ? '' : span(` in ${plural(recorded, 'request')}`, 'faint');
  return [
    line(label('cached'), `${percent(cacheRead, prompt)} of ${count(prompt)} prompt tokens`, some),
    line(label('re-billed'), `${count(rebilled.tokens)} tokens, ${dollars(rebilled.cost)}`),
    line(label('misses'), `${count(piMisses)} by Pi's rule, ${count(naiveMisses)} by the rule of thumb`),
    ...(undeclared === 0 ? [] : [line(label('undeclared'), plural(undeclared, 'break'))]),
  ];
}

function classTable({ byClass }: CacheTotals): Doc {
  if (byClass.length === 0) return [];
  const rows = byClass.map((of): readonly Span[] => [
    span(of.class, 'warning'),
    span(count(of.breaks)),
    span(
      rebilledText(of.tokens > 0 || of.estimated === 0 ? of.tokens : of.estimated, of.tokens > 0 || of.estimated === 0),
    ),
    span(of.tokens > 0 || of.estimated === 0 ? dollars(of.cost) : '', 'faint'),
  ]);
  return [
    gap,
    {
      kind: 'table',
      hasTitles: true,
      columns: [left('cause'), right('breaks'), right('re-billed'), right('cost')],
      rows,
    },
  ];
}

function label(name: string): Span {
  return span(name.padEnd(11), 'faint');
}

/** Estimated numbers have a mark. */
function rebilledText(tokens: number, isRecorded: boolean): string {
  return `${isRecorded ? '' : '~'}${count(tokens)}`;
}

/** The breaks, one a line. */
export function breaksDoc(requests: readonly CacheRequest[], columns: number): Doc {
  const broken = requests.filter((request) => request.broken !== null);
  if (broken.length === 0) return [];
  return [gap, heading(2, 'Breaks'), ...listed(BREAK_COLUMNS, broken, columns)];
}

type RequestColumn = ListingColumn<CacheRequest>;

const NUMBER: RequestColumn = { title: '#', width: -5, tone: 'plain', text: ({ number }) => `#${number}` };
const ANSWER: RequestColumn = {
  title: 'answer',
  width: 8,
  tone: 'id',
  text: ({ entryId, line: at }) => entryId ?? `line ${at}`,
};

const BREAK_COLUMNS: readonly RequestColumn[] = [
  NUMBER,
  ANSWER,
  { title: 'cause', width: 14, tone: 'warning', text: ({ broken }) => broken?.class ?? '' },
  {
    title: 're-billed',
    width: -9,
    tone: 'plain',
    text: ({ broken }) => (broken ? rebilledText(broken.rebilled.tokens, broken.rebilled.isRecorded) : ''),
  },
  { title: 'cost', width: -8, tone: 'faint', rank: 1, text: ({ broken }) => costText(broken) },
  {
    title: 'what',
    width: 0,
    tone: 'plain',
    text: (request) => (request.broken ? whatHappened(request, request.broken) : ''),
  },
];

function costText(broken: CacheBreak | null): string {
  if (!broken?.rebilled.isRecorded) return '';
  return dollars(broken.rebilled.cost, '?');
}

/** Cells that are left for the last column, which is a sentence or a name of a cause. */
const LEAST_CELLS = 29;

function listed(all: readonly RequestColumn[], requests: readonly CacheRequest[], cells: number): Doc {
  const columns = fittingColumns(all, cells, () => LEAST_CELLS);
  return [listingRow(titleCells(columns)), ...requests.map((request) => listingRow(rowCells(columns, request)))];
}

/** Every request, one a line. */
export function requestsDoc(requests: readonly CacheRequest[], columns: number): Doc {
  return [gap, heading(2, 'Requests'), ...listed(REQUEST_COLUMNS, requests, columns)];
}

const REQUEST_COLUMNS: readonly RequestColumn[] = [
  NUMBER,
  ANSWER,
  {
    title: 'prompt',
    width: -9,
    tone: 'plain',
    text: ({ usage, prompt }) => (usage ? count(usage.prompt) : `~${count(prompt)}`),
  },
  { title: 'expected', width: -9, tone: 'faint', text: ({ expectedRead }) => known(expectedRead) },
  { title: 'read', width: -9, tone: 'plain', text: ({ usage }) => known(usage?.cacheRead) },
  { title: 'written', width: -9, tone: 'plain', rank: 1, text: ({ usage }) => known(usage?.cacheWrite) },
  { title: 'miss', width: -8, tone: 'error', text: ({ piMiss }) => known(piMiss) },
  {
    title: 'break',
    width: 0,
    tone: 'warning',
    text: ({ broken, isUnbilled }) => broken?.class ?? (isUnbilled ? 'failed, not billed' : ''),
  },
];

function known(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : count(value);
}
