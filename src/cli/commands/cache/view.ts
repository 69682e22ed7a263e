import { whatHappened } from '#analysis/cache/cache-words.js';
import type { CacheReport, CacheTotals } from '#analysis/cache/report.js';
import type { CacheBreak, CacheRequest } from '#analysis/cache/request.js';
import { count, dollars, percent, plural } from '#base/words.js';
import { shortened } from '#context/words/message-text.js';
import {
  type Block,
  cell,
  type Doc,
  gap,
  heading,
  left,
  line,
  right,
  type Span,
  span,
  type Tone,
} from '#ui/doc/doc.js';

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

/** The breaks, one a line. A narrow line has no room for all columns. */
export function breaksDoc(requests: readonly CacheRequest[], columns: number): Doc {
  const broken = requests.filter((request) => request.broken !== null);
  if (broken.length === 0) return [];
  const shown = BREAK_COLUMNS.filter(({ isWide }) => !isWide || columns >= WIDE);
  return [gap, heading(2, 'Breaks'), titles(shown), ...broken.map((request) => rowOf(shown, request))];
}

const WIDE = 100;

interface RequestColumn {
  readonly title: string;
  /** Negative: aligned to the right. */
  readonly width: number;
  readonly tone: Tone;
  readonly isWide?: true;
  text(request: CacheRequest): string;
}

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
  { title: 'cost', width: -8, tone: 'faint', isWide: true, text: ({ broken }) => costText(broken) },
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

function titles(columns: readonly RequestColumn[]): Block {
  return { kind: 'row', cells: columns.map(({ title, width }) => cell(title, width, 'faint')) };
}

function rowOf(columns: readonly RequestColumn[], request: CacheRequest): Block {
  return { kind: 'row', cells: columns.map(({ width, tone, text }) => cell(text(request), width, tone)) };
}

/** Every request, one a line. */
export function requestsDoc(requests: readonly CacheRequest[], columns: number): Doc {
  const shown = REQUEST_COLUMNS.filter(({ isWide }) => !isWide || columns >= WIDE);
  return [gap, heading(2, 'Requests'), titles(shown), ...requests.map((request) => rowOf(shown, request))];
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
  { title: 'written', width: -9, tone: 'plain', isWide: true, text: ({ usage }) => known(usage?.cacheWrite) },
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
