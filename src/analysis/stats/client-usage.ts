import type { JsonObject } from '#base/json.js';
import { formatDay } from '#base/local-time.js';
import type { Period } from '#base/time.js';
import type { PriceList } from '#context/models/prices.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { FindGroup } from './call-groups.js';
import { addClientTotals, type ClientFigure } from './client-totals.js';
import type { UsageCounts } from './usage-sums.js';
import { UsageTally } from './usage-tally.js';

/** Counts the calls before the record in which a client states its own sums; null for a session without one. */
class CoveredTally extends UsageTally {
  constructor(
    priceList: PriceList,
    private readonly line: number,
  ) {
    super(priceList);
  }

  override take(head: Head, entry: JsonObject): void {
    if (head.line < this.line) super.take(head, entry);
  }
}

/** The sums of a client say nothing of a period. */
export function startCoveredTally(
  { agent }: Session,
  priceList: PriceList,
  period: Period | null,
): CoveredTally | null {
  return period === null && agent?.clientTotals ? new CoveredTally(priceList, agent.clientTotals.line) : null;
}

/** Completes the usage of a session with the sums of its client, if it records them. */
export function addClientUsage(
  own: UsageCounts,
  { agent }: Session,
  { covered, subagents = [], last, timezone = null, findGroup = null, priceList }: ClientUsageSource,
): UsageCounts & { readonly client: ClientFigure | null } {
  const totals = agent?.clientTotals ?? null;
  if (totals === null || covered === null) return { ...own, client: null };
  const end = last ?? Number.NaN;
  const { counts, client } = addClientTotals(own, totals, {
    covered: covered.sums(),
    elsewhere: subagents,
    day: formatDay(end, timezone),
    findGroup: findGroup && ((model) => findGroup({ model, source: 'side calls' }, end, totals.line)),
    priceList,
  });
  return { ...counts, client };
}

interface ClientUsageSource {
  readonly covered: UsageTally | null;
  readonly subagents?: readonly UsageCounts[] | undefined;
  /** The time of the last entry. */
  readonly last: number | null;
  readonly timezone?: string | null | undefined;
  readonly findGroup?: FindGroup | null | undefined;
  readonly priceList: PriceList;
}
