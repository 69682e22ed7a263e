import type { PriceList } from '#context/models/prices.js';
import { readHourCacheWrite, readUsageNumbers } from '#context/size/recorded-usage.js';
import { COST_PARTS, type CostPart, splitCost } from '../stats/cost-parts.js';
import { measureListedCost } from '../stats/listed-cost.js';
import type { UsageRecord } from '../stats/usage-records.js';
import { sumTokensUsed } from '../stats/usage-sums.js';
import type { RowOf } from './define.js';
import { toWhole, toWholeOrNull } from './entry-values.js';
import { COST_PART_COLUMNS, type usageTable } from './usage-table.js';
import type { QueriedColumns } from './index.js';

/** Listed prices are read only for the columns that need them. */
export function needsPrices(wanted: QueriedColumns): boolean {
  const columns = wanted.get('usage');
  return ['cost_listed', ...Object.values(COST_PART_COLUMNS)].some((column) => columns?.has(column));
}

/** The values of a call that is in the totals. */
export function readUsageValues(record: UsageRecord, prices: PriceList) {
  const numbers = readUsageNumbers(record.usage);
  const costListed = measureListedCost(record, prices);
  return {
    source: record.source,
    model: record.model,
    input_recorded: toWhole(numbers.input),
    output_recorded: toWhole(numbers.output),
    cache_read_recorded: toWhole(numbers.cacheRead),
    cache_write_recorded: toWhole(numbers.cacheWrite),
    cache_write_1h_recorded: toWholeOrNull(readHourCacheWrite(record.usage)),
    total_recorded: toWhole(sumTokensUsed(numbers)),
    cost_recorded: numbers.cost,
    cost_listed: costListed,
    ...readCostParts(record, costListed, prices),
  } satisfies Partial<RowOf<typeof usageTable>>;
}

/** The dollars of each part of a call's cost; null if it has neither a recorded nor a listed cost. */
function readCostParts(record: UsageRecord, costListed: number | null, prices: PriceList) {
  const isKnown = costListed !== null || readUsageNumbers(record.usage).cost !== null;
  const dollars = isKnown ? splitCost(record, costListed ?? 0, prices).dollars : null;
  return Object.fromEntries(
    COST_PARTS.map((part) => [COST_PART_COLUMNS[part], dollars && dollars[part]]),
  ) as CostPartValues;
}

type CostPartValues = Readonly<Record<(typeof COST_PART_COLUMNS)[CostPart], number | null>>;
