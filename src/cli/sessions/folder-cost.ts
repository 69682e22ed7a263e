import type { UsageDocument } from '#analysis/stats/document.js';
import { usageRecorded } from '#analysis/stats/usage-sums.js';
import type { Io } from '#platform/io.js';
import { familiesOf } from './families.js';
import { resultsOf } from './parallel.js';

type Costs = Pick<UsageDocument, 'cost' | 'costListed'>;

interface PricedFile extends Costs {
  readonly file: string;
  readonly size: number;
}

/** The cost of several sessions together, as `ctx stats` has it: entries that forks share count once. */
export async function costTogether(io: Io, sessions: readonly PricedFile[]): Promise<Costs> {
  const families = await familiesOf(io, sessions);
  const forked = families.filter(({ length }) => length > 1);
  const files = new Set(forked.flatMap((family) => family.map(({ file }) => file)));
  const costs: Costs[] = sessions.filter(({ file }) => !files.has(file));
  const inputs = forked.map((family) => ({ files: family.map(({ file }) => file) }));
  const sizes = forked.map((family) => family.reduce((sum, { size }) => sum + size, 0));
  for await (const results of resultsOf(io, { job: 'usage', inputs, sizes, isRemembered: true })) {
    for (const result of results) {
      if (!result.ok) throw result.cause;
      for (const of of result.output) if (of.ok) costs.push(usageRecorded(of.stats.usage, of.stats.isCostRecorded));
    }
  }
  return { cost: sumOfKnown(costs, 'cost'), costListed: sumOfKnown(costs, 'costListed') };
}

function sumOfKnown(costs: readonly Costs[], key: keyof Costs): number | null {
  const known = costs.flatMap((of) => of[key] ?? []);
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
}
