import type { ReactNode } from 'react';
import type { CostData } from '#analysis/report/document.js';
import { describeUsageCost, PARTIAL_USAGE, sumKnownCost } from '#analysis/stats/usage-sums.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { useStore } from './store-context.js';
import { PageTable } from './table.js';
import { Tiles } from './tiles.js';
import { capitalize } from './words.js';

/** The view of the recorded cost of all branches, and of the tokens of tool results. */
export function CostView(): ReactNode {
  const store = useStore();
  const { cost, agent } = store.data;
  const { usageRecorded: usage } = cost;
  return (
    <>
      <Tiles
        all={[
          {
            title: 'Cost',
            value: describeUsageCost(usage, 'not recorded'),
            note: `${usage.costListed === null ? 'recorded' : 'with listed prices'}, ${pluralize(usage.calls, 'call')}`,
          },
          { title: 'Input', value: formatCount(usage.input), note: 'tokens at full price' },
          { title: 'Cache read', value: formatCount(usage.cacheRead), note: 'tokens' },
          { title: 'Cache write', value: formatCount(usage.cacheWrite), note: 'tokens' },
          { title: 'Output', value: formatCount(usage.output), note: 'tokens' },
        ]}
      />
      {agent?.parts.usage === 'approximate' && <p>{`${capitalize(PARTIAL_USAGE)}.`}</p>}
      <Usage caption="By model" first="Model" rows={cost.usageRecordedByModel} nameOf={({ model }) => model} />
      <Usage caption="By day (UTC)" first="Day" rows={cost.usageRecordedByDay} nameOf={({ day }) => day ?? 'no date'} />
      <Usage caption="By purpose" first="Purpose" rows={cost.usageRecordedBySource} nameOf={({ source }) => source} />
      <Tools cost={cost} />
      <PageTable
        caption="Repeated calls with identical results"
        columns={[
          { title: 'Call', text: ({ tool, arguments: given }) => `${tool} ${given}` },
          { title: 'First', entry: ({ entry }) => entry },
          { title: 'Repeats', figure: ({ repeats: times }) => times },
          { title: 'Tokens', figure: ({ tokensEstimated }) => store.sizes.scale(tokensEstimated) },
        ]}
        rows={cost.repeats}
      />
    </>
  );
}

function Tools({ cost: { tools } }: { cost: CostData }): ReactNode {
  const store = useStore();
  return (
    <PageTable
      caption="By tool (estimated tokens of the results)"
      columns={[
        { title: 'Tool', cell: ({ name }) => toVisibleLine(name) },
        { title: 'Calls', figure: ({ calls }) => calls },
        { title: 'Failed', figure: ({ errors }) => errors },
        { title: 'Largest', figure: ({ resultTokensEstimated: { max } }) => store.sizes.scale(max) },
        {
          title: 'Total',
          figure: ({ resultTokensEstimated: { sum } }) => store.sizes.scale(sum),
          bar: ({ resultTokensEstimated: { sum } }) => sum,
          color: 'tool-results',
        },
      ]}
      rows={tools}
    />
  );
}

interface UsageProps<Row> {
  readonly caption: string;
  readonly first: string;
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
}

function Usage<Row extends CostData['usageRecorded']>({ caption, first, rows, nameOf }: UsageProps<Row>): ReactNode {
  const isPriced = rows.some((row) => row.cost !== null || row.costListed !== null);
  return (
    <PageTable<Row>
      caption={caption}
      columns={[
        { title: first, cell: (row) => toVisibleLine(nameOf(row)) },
        { title: 'Calls', figure: ({ calls }) => calls },
        { title: 'Input', figure: ({ input }) => input },
        { title: 'Cache read', figure: ({ cacheRead }) => cacheRead },
        { title: 'Cache write', figure: ({ cacheWrite }) => cacheWrite },
        { title: 'Output', figure: ({ output }) => output },
        {
          title: 'Cost',
          figure: (row) => describeUsageCost(row, 'not recorded'),
          bar: (row) => (isPriced ? sumKnownCost(row) : row.total),
        },
      ]}
      rows={rows}
    />
  );
}
