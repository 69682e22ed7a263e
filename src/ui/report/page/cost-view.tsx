import { type ReactNode, useState } from 'react';
import type { CostData, ReportPiece } from '#analysis/report/document.js';
import { describeUsageCost, PARTIAL_USAGE, sumKnownCost } from '#analysis/stats/usage-sums.js';
import { sumBy } from '#base/lists.js';
import { formatBytes, formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { Select } from './controls.js';
import { NameTag, PageTable, Tiles, useStore } from './parts.js';
import type { Store } from './store.js';
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
          [
            'Cost',
            describeUsageCost(usage, 'not recorded'),
            `${usage.costListed === null ? 'recorded' : 'with listed prices'}, ${pluralize(usage.calls, 'call')}`,
          ],
          ['Input', formatCount(usage.input), 'tokens at full price'],
          ['Cache read', formatCount(usage.cacheRead), 'tokens'],
          ['Cache write', formatCount(usage.cacheWrite), 'tokens'],
          ['Output', formatCount(usage.output), 'tokens'],
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
          { title: 'Tokens', figure: ({ tokensEstimated }) => store.scaled(tokensEstimated) },
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
        { title: 'Largest', figure: ({ resultTokensEstimated: { max } }) => store.scaled(max) },
        {
          title: 'Total',
          figure: ({ resultTokensEstimated: { sum } }) => store.scaled(sum),
          bar: ({ resultTokensEstimated: { sum } }) => sum,
          color: 'results',
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

const MOST = 100;

interface Item {
  readonly entry: number;
  readonly name: string;
  readonly tokens: number;
  readonly text: () => string;
}

const SCOPES = [
  ['context', 'Current context'],
  ['session', 'All branches'],
] as const;

/** The view of the largest messages, parts and tools. */
export function LargestView(): ReactNode {
  const store = useStore();
  const [scope, setScope] = useState<(typeof SCOPES)[number][0]>('context');
  const items = scope === 'context' ? listContextItems(store) : listSessionItems(store);
  const total = sumBy(items, ({ tokens }) => tokens);
  const { sizes } = store.data.entries;
  const hasSizes = sizes.some((size) => size !== null);
  const sizeText = (entry: number): string => (entry === -1 ? '' : formatBytes(sizes[entry] ?? 0));
  return (
    <>
      <div className="controls">
        <Select label="Scope" options={SCOPES} value={scope} onChange={setScope} />
      </div>
      <PageTable
        caption={`${scope === 'context' ? 'Next request' : 'All branches'}: largest of ${pluralize(items.length, 'item')}`}
        columns={[
          { title: 'Tokens', figure: ({ tokens }) => tokens },
          { title: 'Share', figure: ({ tokens }) => formatPercent(tokens, total), bar: ({ tokens }) => tokens },
          { title: 'Kind', cell: ({ name }) => <NameTag name={name} /> },
          { title: 'Entry', entry: ({ entry }) => entry },
          ...(hasSizes ? [{ title: 'Size', figure: ({ entry }: Item) => sizeText(entry) }] : []),
          { title: 'Preview', text: ({ text }) => text() },
        ]}
        rows={items.toSorted((a, b) => b.tokens - a.tokens).slice(0, MOST)}
      />
    </>
  );
}

function listContextItems(store: Store): readonly Item[] {
  const { messages, parts, tools, requests } = store.data;
  const last = requests.onPath - 1;
  const { messages: list, preamble } = store.envelope(last);
  const shares = store.shares(last);
  const piece =
    (name: string, all: readonly ReportPiece[], tokens: readonly number[]) =>
    (number: number, at: number): Item => ({
      entry: -1,
      name,
      tokens: tokens[at] ?? 0,
      text: () => all[number]?.name ?? '',
    });
  return [
    ...preamble.parts.map(piece('system', parts, shares.parts)),
    ...preamble.tools.map(piece('tool', tools, shares.tools)),
    ...list.flatMap((number, at): readonly Item[] => {
      const message = messages[number];
      if (!message) return [];
      const { entry, preview } = message;
      return [{ entry, name: store.kindOf(message), tokens: shares.messages[at] ?? 0, text: () => preview }];
    }),
  ];
}

function listSessionItems(store: Store): readonly Item[] {
  return store.data.entries.tokens.map((tokens, entry) => {
    return { entry, name: store.name(entry), tokens: store.scaled(tokens), text: () => store.preview(entry) };
  });
}
