import type { Grouping, StatsGroup } from '#analysis/stats/document.js';
import type { UsageGroups } from '#analysis/stats/usage-groups.js';
import { describeUsageCost, sumKnownCost } from '#analysis/stats/usage-sums.js';
import { sumBy } from '#base/lists.js';
import { formatCount } from '#base/numbers.js';
import { cutDistinctly } from './table-width.js';

export type GroupsReport = Pick<UsageGroups, 'usageRecorded' | 'tools' | 'groups'> & {
  readonly sessions: readonly unknown[];
};

/** The sums of all rows. A session may be in several rows and is counted once. */
export function sumGroups(
  { sessions, usageRecorded, tools = [] }: GroupsReport,
  rows: readonly StatsGroup[],
): StatsGroup {
  return {
    key: '',
    keys: [],
    sessions: sessions.length,
    usageRecorded,
    toolCalls: sumBy(tools, ({ calls }) => calls),
    toolErrors: sumBy(tools, ({ errors }) => errors),
    tokensEstimated: sumBy(rows, (row) => row.tokensEstimated ?? 0),
  };
}

/** Writes a number of tokens, in full or short. */
export type FormatTokens = (value: number) => string;

/** The numbers of the rows of a table. */
export interface Numbers {
  readonly titles: readonly string[];
  /** The number that is drawn, and the place of its bar. */
  value(group: StatsGroup): number;
  readonly drawn: number;
  texts(group: StatsGroup, format: FormatTokens): readonly string[];
}

/** The numbers of a row, led by its sessions where rows can differ in them. */
export function listNumbers(by: Grouping, { sessions }: GroupsReport): Numbers {
  const numbers = by === 'tool' ? TOOLS : PROVIDERS;
  if (by === 'session' || sessions.length < 2) return numbers;
  return {
    titles: ['sessions', ...numbers.titles],
    value: (group) => numbers.value(group),
    drawn: numbers.drawn + 1,
    texts: (group, format) => [formatCount(group.sessions), ...numbers.texts(group, format)],
  };
}

export const PROVIDERS: Numbers = {
  titles: ['calls', 'input', 'reads', 'writes', 'output', 'cost'],
  value: ({ usageRecorded }) => sumKnownCost(usageRecorded) + usageRecorded.total * FAR_BELOW,
  drawn: 6,
  texts({ usageRecorded }, format) {
    const { calls, input, cacheRead, cacheWrite, output } = usageRecorded;
    const tokens = [input, cacheRead, cacheWrite, output];
    return [formatCount(calls), ...tokens.map(format), describeUsageCost(usageRecorded, '?')];
  },
};

/** Dollars for a token where no cost is known, so that bars follow the tokens. */
const FAR_BELOW = 1e-12;

const TOOLS: Numbers = {
  titles: ['calls', 'errors', 'est. result tokens'],
  value: ({ tokensEstimated }) => tokensEstimated ?? 0,
  drawn: 3,
  texts: ({ toolCalls, toolErrors, tokensEstimated }) =>
    [toolCalls, toolErrors, tokensEstimated].map((count) => formatCount(count ?? 0)),
};

/** The cells of a bar. */
export const CELLS = { least: 4, enough: 8, most: 24 };

/** The names of keys in a number of cells. */
export function cutKeys(by: Grouping | undefined, names: readonly string[], cells: number): readonly string[] {
  return by === 'model' ? cutDistinctly(names, cells) : names.map((name) => cutStart(name, cells));
}

/** The end of a name, which distinguishes files of one folder. */
function cutStart(key: string, cells: number): string {
  return key.length <= cells ? key : `…${key.slice(1 - cells).replace(/^[\udc00-\udfff]/, '')}`;
}
