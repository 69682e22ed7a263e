import type { CostData } from '../data.js';
import { bar, count, dollars, type DomColumn, el, type PageView, plural, table, tiles, visibleLine } from './dom.js';
import { entryLink } from './entry-detail.js';
import type { Store } from './store.js';

/** The view of the recorded cost of all branches, and of the tokens of tool results. */
export function costView(store: Store): PageView {
  const { cost } = store.data;
  const { usageRecorded: usage } = cost;
  return {
    element: el(
      'div',
      {},
      tiles([
        { title: 'Cost', value: dollars(usage.cost), note: `recorded, ${plural(usage.calls, 'call')}` },
        { title: 'Input', value: count(usage.input), note: 'tokens at full price' },
        { title: 'Cache read', value: count(usage.cacheRead), note: 'tokens' },
        { title: 'Cache write', value: count(usage.cacheWrite), note: 'tokens' },
        { title: 'Output', value: count(usage.output), note: 'tokens' },
      ]),
      usageTable('By model', 'Model', cost.usageRecordedByModel, ({ model }) => model),
      usageTable('By day (UTC)', 'Day', cost.usageRecordedByDay, ({ day }) => day ?? 'no date'),
      usageTable('By purpose', 'Purpose', cost.usageRecordedBySource, ({ source }) => source),
      toolsTable(cost),
      cost.repeats.length > 0 && repeatsTable(store),
    ),
  };
}

function usageTable<Row extends CostData['usageRecorded']>(
  caption: string,
  first: string,
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): HTMLElement | null {
  if (rows.length === 0) return null;
  const most = rows.reduce((max, row) => Math.max(max, row.cost ?? row.total), 0);
  const number = (title: string, of: (row: Row) => number): DomColumn<Row> => ({
    title,
    isNumber: true,
    cell: (row) => count(of(row)),
  });
  return table<Row>(
    caption,
    [
      { title: first, cell: (row) => visibleLine(nameOf(row)) },
      number('Calls', ({ calls }) => calls),
      number('Input', ({ input }) => input),
      number('Cache read', ({ cacheRead }) => cacheRead),
      number('Cache write', ({ cacheWrite }) => cacheWrite),
      number('Output', ({ output }) => output),
      {
        title: 'Cost',
        isNumber: true,
        cell: (row) =>
          el('span', { class: 'share' }, dollars(row.cost), bar(most === 0 ? 0 : (row.cost ?? row.total) / most)),
      },
    ],
    rows,
  );
}

function toolsTable({ tools }: CostData): HTMLElement | null {
  if (tools.length === 0) return null;
  const most = tools.reduce((max, { resultTokensEstimated: { sum } }) => Math.max(max, sum), 0);
  return table(
    'By tool (estimated tokens of the results)',
    [
      { title: 'Tool', cell: ({ name }) => visibleLine(name) },
      { title: 'Calls', isNumber: true, cell: ({ calls }) => count(calls) },
      { title: 'Failed', isNumber: true, cell: ({ errors }) => count(errors) },
      { title: 'Largest', isNumber: true, cell: ({ resultTokensEstimated: { max } }) => count(max) },
      {
        title: 'Total',
        isNumber: true,
        cell: ({ resultTokensEstimated: { sum } }) =>
          el('span', { class: 'share' }, count(sum), bar(most === 0 ? 0 : sum / most, 'var(--results)')),
      },
    ],
    tools,
  );
}

function repeatsTable(store: Store): HTMLElement {
  return table(
    'Repeated calls with identical results',
    [
      {
        title: 'Call',
        cell: ({ tool, arguments: given }) => el('span', { class: 'clamp' }, visibleLine(`${tool} ${given}`)),
      },
      { title: 'First', cell: ({ entry }) => entryLink(store, entry) },
      { title: 'Repeats', isNumber: true, cell: ({ repeats }) => count(repeats) },
      { title: 'Tokens', isNumber: true, cell: ({ tokensEstimated }) => count(tokensEstimated) },
    ],
    store.data.cost.repeats,
  );
}
