import { countUp } from '#base/lists.js';
import { count, plural, shortCount } from '#base/words.js';
import type { EngineSummary, Simulation, SimulationSummary, Sums } from '#engines/simulate/document.js';
import { csvRow } from '#ui/doc/csv.js';
import { type Doc, flexible, gap, heading, line, paragraphs, right, span, table, type View } from '#ui/doc/doc.js';
import { labelOf, moneyOf, ranked, signedPercent, spreadWords } from './verdict.js';
import { costLines, countsTable, optionLines, sumsTable, validationLines } from './view.js';

/** The budget by default. */
const EACH_ITS_OWN = span('budget: the context window of each model, where it is known');

interface SummaryLayout {
  /** The sums that providers have recorded. */
  readonly billed: Sums | null;
  readonly isFull: boolean;
}

/** Many sessions under each engine: the sums, and how much sessions differ. */
export function simulationSummaryDoc(summary: SimulationSummary, { billed, isFull }: SummaryLayout, view: View): Doc {
  const { sessions, withoutRequests, withCost, withListedPrices, unreadable, validation, verdict, options } = summary;
  const engines = ranked(summary.engines);
  const [base, ...others] = engines;
  const asked = sessions - withoutRequests;
  const money = moneyOf(summary.listedPrices);
  const title = [span(plural(sessions, 'session'), 'strong')];
  if (withoutRequests > 0) title.push(span(`, ${count(withoutRequests)} of them without a request`, 'faint'));
  if (unreadable.length > 0) title.push(span(`, ${plural(unreadable.length, 'file')} unreadable`, 'warning'));
  if (asked === 0 || !base) return [line(...title), line('Nothing was asked.')];
  const unknown = asked - withCost;
  return [
    line(...title),
    ...optionLines(options, EACH_ITS_OWN),
    ...validationLines(validation, isFull, view),
    ...paragraphs(verdict, view),
    gap,
    sumsTable(engines, billed, money),
    ...costLines(engines, money, view),
    ...(unknown === 0 && withListedPrices === 0 ? [] : [line(span(whoseCosts(summary), 'faint'))]),
    ...others.flatMap(({ name, failed }) =>
      failed === 0 ? [] : [line(span(`${name} failed in ${plural(failed, 'session')}`, 'error'))],
    ),
    gap,
    countsTable(engines),
    gap,
    heading(2, 'Sessions, each counting the same: median (p10..p90)'),
    spreadTable(engines),
  ];
}

function whoseCosts({ withCost, withListedPrices }: SimulationSummary): string {
  const how = withListedPrices === 0 ? ' that record them' : `, ${count(withListedPrices)} of them at listed prices`;
  return `costs are those of ${plural(withCost, 'session')}${how}`;
}

function spreadTable(engines: readonly EngineSummary[]): Doc[number] {
  return table(
    [flexible('engine'), ...['peak', 'input', 'billed', 'cost'].map(right)],
    engines.map(({ name, spread }, at) => [
      span(labelOf(name), 'strong'),
      span(spreadWords(spread.peakTokens, (value) => shortCount(Math.round(value)))),
      ...[spread.inputChange, spread.billedChange, spread.costChange].map((change) =>
        at === 0 ? span('') : span(spreadWords(change, shortPercent)),
      ),
    ]),
  );
}

function shortPercent(share: number): string {
  const text = signedPercent(share);
  return text.replace(/\.\d%$/, '%').replace(/^[+-]0%$/, '0%');
}

const COLUMNS =
  'file sessionId engine request entryId time model tokens cachedTokens rebilledTokens cost overBudget compactions ' +
  'prunes rereads promptTokensRecorded cacheReadRecorded listedPrices';

export function simulationCsvHead(): string {
  return csvRow(COLUMNS.split(' '));
}

/** A row for every request of a session under every engine, under the names that the JSON has. */
export function simulationCsv({ session, requests, engines, listedPrices }: Simulation): string {
  return engines
    .flatMap(({ name, series, overflowed, shrinks, rereads }) => {
      const over = new Set(overflowed);
      const compactions = counted(shrinks.filter(({ kind }) => kind === 'compaction'));
      const prunes = counted(shrinks.filter(({ kind }) => kind === 'prune'));
      const again = counted(rereads);
      return series.tokens.map((tokens, at) => {
        const request = requests[at];
        const number = request?.number ?? 0;
        return csvRow([
          session.file,
          session.id,
          name,
          number,
          request?.entryId,
          request?.time,
          request?.model,
          tokens,
          series.cachedTokens[at],
          series.rebilledTokens[at],
          series.costs[at],
          over.has(number),
          compactions.get(number) ?? 0,
          prunes.get(number) ?? 0,
          again.get(number) ?? 0,
          request?.promptTokensRecorded,
          request?.cacheReadRecorded,
          request !== undefined && listedPrices.includes(request.model),
        ]);
      });
    })
    .join('');
}

function counted(all: readonly { readonly request: number | null }[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { request } of all) if (request !== null) countUp(counts, request);
  return counts;
}
