import { CATEGORIES, type Category } from '#analysis/stats/names.js';
import type { StatsReport } from '#analysis/stats/report.js';
import { breakdownTotal } from '#analysis/stats/token-breakdown.js';
import { tokensUsed, type UsageSums } from '#analysis/stats/usage-sums.js';
import { count, percent, plural, shortCount } from '#base/words.js';
import type { View } from '#ui/doc/define.js';
import { type Block, type Doc, flexible, gap, heading, left, line, right, type Span, span } from '#ui/doc/doc.js';
import { bar, sparkline } from '#ui/parts/sparkline.js';
import { groupsTable, largestTable, listedNote, moreTables, sessionsTable, toolsTable, usageCost } from './tables.js';

/** One session on a screen; `isFull` leaves nothing out. */
export function statsDoc(report: StatsReport, isFull: boolean, { columns }: View): Doc {
  const { groups } = report;
  const wide = columns === Infinity ? USUAL_COLUMNS : columns;
  if (groups) return [...titleLines(report), gap, ...groupsTable(groups, report.total, wide)];
  return [
    ...titleLines(report),
    ...usageDoc(report, isFull, columns),
    ...ledgerDoc(report, wide),
    ...toolsTable(report, isFull),
    ...(report.sessions.length > 1 ? sessionsTable(report, isFull) : []),
    ...largestTable(report, isFull),
    ...(isFull ? moreTables(report) : []),
    ...sparkDoc(report, wide),
  ];
}

const USUAL_COLUMNS = 80;

function titleLines({ sessions, total, unreadable }: StatsReport): Doc {
  const [only, ...others] = sessions;
  const { messages, entries, shared } = total;
  const counts = line(
    `${plural(entries, 'entry', 'entries')}, ${plural(messages.user, 'user message')}, `,
    `${plural(messages.assistant, 'answer')}, ${plural(messages.toolCalls, 'tool call')}`,
  );
  const times = timesText(sessions);
  const title =
    only && others.length === 0
      ? [heading(1, only.title), line(span([...times, only.file].join(', '), 'faint')), contextLine(only)]
      : [heading(1, [plural(sessions.length, 'session'), ...times].join(', ')), ...unread(unreadable.length)];
  if (shared.entries === 0) return [...title, counts];
  const leftOut = `${plural(shared.entries, 'entry', 'entries')} that forks share counted once`;
  const known = usageCost(shared.usage, total.isCostRecorded);
  const cost = known === '?' ? '' : `, ${known}`;
  return [
    ...title,
    counts,
    line(span(`${leftOut}: ${count(tokensUsed(shared.usage))} recorded tokens${cost} left out`, 'faint')),
  ];
}

/** The size of the context at the leaf; the table below has its parts as the tokenizer counts them. */
function contextLine({ size: { tokens, isRecorded } }: StatsReport['sessions'][number]): Block {
  const how = isRecorded ? 'recorded' : 'estimated, in whole or in part';
  return line(`context now: ${isRecorded ? '' : '~'}${plural(tokens, 'token')}, ${how}`);
}

function unread(files: number): Doc {
  return files === 0 ? [] : [line(span(`${plural(files, 'file')} could not be counted`, 'warning'))];
}

/** From when to when, where anything says so. */
function timesText(sessions: StatsReport['sessions']): readonly string[] {
  const first = sessions.reduce((least, one) => Math.min(least, one.first ?? least), Infinity);
  const last = sessions.reduce((most, one) => Math.max(most, one.last ?? most), -Infinity);
  const [from, to] = [new Date(first), new Date(last)];
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return [];
  const [start, end] = [from.toISOString(), to.toISOString()];
  const isOneDay = start.slice(0, 10) === end.slice(0, 10);
  return [`${minute(start)} to ${isOneDay ? end.slice(11, 16) : minute(end)} UTC`];
}

function minute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}

function usageDoc({ models, total }: StatsReport, isFull: boolean, columns: number): Doc {
  if (total.usage.calls === 0) return [gap, heading(2, 'Recorded by providers'), line(span('  nothing', 'faint'))];
  const shown = isFull ? models : models.slice(0, MOST_MODELS);
  const rest = models.length - shown.length;
  const sources = [...total.bySource].filter(([source]) => source !== 'requests' || total.bySource.size > 1);
  const sums: readonly UsageLine[] = [
    ...shown.map(([model, of]): UsageLine => [span(model, 'strong'), of]),
    ...(models.length > 1 || sources.length > 0 ? [[span('all'), total.usage] as const] : []),
    ...sources.map(([source, of]): UsageLine => [span(`  ${source}`, 'faint'), of]),
  ];
  const { titles, rows } = usageTable(sums, total.isCostRecorded, columns);
  const more: Row[] = rest > 0 ? [[span(`… ${plural(rest, 'more model')}, --full shows them`, 'faint')]] : [];
  return [
    gap,
    heading(2, 'Recorded by providers'),
    {
      kind: 'table',
      hasTitles: true,
      // Only what is cut may be flexible: without a terminal, such a column has no width.
      columns: [columns === Infinity ? left('model') : flexible('model'), ...titles.map(right)],
      rows: [...rows.slice(0, shown.length), ...more, ...rows.slice(shown.length)],
    },
    ...listedNote(total.usage),
  ];
}

const MOST_MODELS = 5;
const USAGE_TITLES = ['calls', 'input', 'output', 'read', 'written', 'total', 'cost'];

type Row = readonly Span[];
type UsageLine = readonly [name: Span, sums: UsageSums];

interface UsageTable {
  readonly titles: readonly string[];
  readonly rows: readonly Row[];
}

/** The usage with as much detail as fits: exact numbers, short ones, short ones without their total. */
function usageTable(all: readonly UsageLine[], isCostRecorded: boolean, columns: number): UsageTable {
  const room = columns === Infinity ? USUAL_COLUMNS : columns;
  const tableOf = (text: (value: number) => string): UsageTable => ({
    titles: USAGE_TITLES,
    rows: all.map((each) => usageRow(each, isCostRecorded, text)),
  });
  const short = tableOf(shortCount);
  const fitting = [tableOf(count), short].find((table) => widthOf(table) <= room);
  return fitting ?? (columns === Infinity ? short : withoutTotal(short));
}

function usageRow([name, sums]: UsageLine, isCostRecorded: boolean, text: (value: number) => string): Row {
  const { calls, input, output, cacheRead, cacheWrite } = sums;
  const numbers = [input, output, cacheRead, cacheWrite, tokensUsed(sums)];
  const cells = [count(calls), ...numbers.map(text), usageCost(sums, isCostRecorded)];
  return [name, ...cells.map((cell) => span(cell))];
}

function withoutTotal({ titles, rows }: UsageTable): UsageTable {
  const at = titles.indexOf('total');
  return { titles: titles.toSpliced(at, 1), rows: rows.map((row) => row.toSpliced(at + 1, 1)) };
}

/** The cells that a table takes of a line, the margin included. */
function widthOf({ titles, rows }: UsageTable): number {
  const widths = ['model', ...titles].map((title, at) =>
    rows.reduce((most, row) => Math.max(most, row[at]?.text.length ?? 0), title.length),
  );
  return widths.reduce((sum, width) => sum + 2 + width, 0);
}

/** What the tokens are spent on; the context at the leaf beside all that was ever written. */
function ledgerDoc(report: StatsReport, width: number): Doc {
  const { total, context } = report;
  const all = breakdownTotal(total.ledger);
  const now = context ? breakdownTotal(context.ledger) : 0;
  const shown = CATEGORIES.filter((name) => total.ledger[name] > 0 || (context?.ledger[name] ?? 0) > 0);
  const main = context?.ledger ?? total.ledger;
  const longest = shown.reduce((most, name) => Math.max(most, main[name]), 0);
  const cells = Math.max(6, Math.min(30, width - (context ? 56 : 42)));
  // The bar stands beside the number that it draws: of one session that is what is in the context.
  const rows = shown.map((name): readonly Span[] => {
    const drawn = span(bar(main[name], longest, cells), toneOf(name));
    const entries = [span(count(total.ledger[name])), span(percent(total.ledger[name], all), 'faint')];
    if (!context) return [span(name, toneOf(name)), ...entries, drawn];
    const inContext = [span(count(context.ledger[name])), span(percent(context.ledger[name], now), 'faint')];
    return [span(name, toneOf(name)), ...inContext, drawn, ...entries];
  });
  const none = span('');
  const sums = [span('total'), ...(context ? [span(count(now)), none, none] : []), span(count(all)), none];
  const entryColumns = [right('all entries'), right('')];
  const columns = context
    ? [left('tokens'), right('in context'), right(''), left(''), ...entryColumns]
    : [left('tokens'), ...entryColumns, left('')];
  return [
    gap,
    line(span('Estimated', 'strong'), span(` (${report.methods.join(', ')})`, 'faint')),
    ...calibrationDoc(report),
    { kind: 'table', hasTitles: true, columns, rows: [...rows, sums] },
  ];
}

function toneOf(category: Category): Span['tone'] {
  if (category === 'system') return 'system';
  return category === 'tool definitions' ? 'tools' : 'messages';
}

/** How far the estimates are from what providers counted. */
function calibrationDoc({ calibration, sessions }: StatsReport): Doc {
  if (calibration === null) return [line(span('  no request tells how good that is', 'faint'))];
  const { requests, median, p10, p90 } = calibration;
  const spread = requests > 1 ? ` (${p10.toFixed(2)} to ${p90.toFixed(2)})` : '';
  const isKnown = sessions.every(({ isPreambleKnown }) => isPreambleKnown);
  return [
    line(
      span(
        `  providers counted ${median.toFixed(2)} times as many tokens${spread} in ${plural(requests, 'request')}`,
        'faint',
      ),
    ),
    ...(isKnown ? [] : [line(span('  also of prompt and tools, which are not recorded: see --baseline', 'faint'))]),
  ];
}

/** The prompts of one session, or the days of many. */
function sparkDoc({ total, sessions }: StatsReport, columns: number): Doc {
  const cells = Math.min(60, columns - 30);
  if (sessions.length === 1) {
    const prompts = total.samples.map(({ recorded }) => recorded);
    const most = prompts.reduce((top, prompt) => Math.max(top, prompt), 0);
    if (prompts.length < 2) return [];
    return [
      gap,
      line('Prompts  ', span(sparkline(prompts, cells), 'messages'), span(`  up to ${count(most)}`, 'faint')),
    ];
  }
  const days = [...total.byDay].filter(([day]) => day !== '').toSorted(([a], [b]) => (a < b ? -1 : 1));
  const [first, last] = [days[0]?.[0], days.at(-1)?.[0]];
  if (days.length < 2) return [];
  const used = days.map(([, sums]) => tokensUsed(sums));
  return [gap, line('Days  ', span(sparkline(used, cells), 'messages'), span(`  ${first} to ${last}`, 'faint'))];
}
