import { sumBy } from '#base/lists.js';
import { formatTime } from '#base/time.js';
import { CONTENT_KINDS } from '#context/contents/kinds.js';
import { CATEGORIES } from '#context/size/categories.js';
import { buildCalibration } from './calibration.js';
import type { CallGrouping } from './call-groups.js';
import { addCostParts, COST_PARTS, type CostParts, NO_COST_PARTS, sumDollars } from './cost-parts.js';
import type {
  CategoryTokens,
  ContentTokens,
  Grouping,
  Repeats,
  StatsCostParts,
  StatsDocument,
  StatsSession,
  StatsTool,
  SubagentFigures,
} from './document.js';
import { groupStats, toGroups } from './groups.js';
import type { MeasuredContext } from './path-tally.js';
import { findQuantile, sortAscending } from './quantiles.js';
import type { SessionCounts, SessionStats, SessionUsage } from './session-stats.js';
import { sumCounts } from './sum-counts.js';
import { sumBreakdown } from './token-breakdown.js';
import type { ToolUsage } from './tool-tally.js';
import { sumKnownCost, sumTokensUsed, sumUsage, toUsageDocument } from './usage-sums.js';

/** The counts of one session or of many, as `ctx stats --json` prints them. */
export function statsReport(
  sessions: readonly SessionStats[],
  unreadable: StatsDocument['unreadable'],
  by: Grouping | CallGrouping | undefined,
  subagents: SubagentUsage = NO_SUBAGENTS,
): StatsDocument {
  const total = sumCounts(sessions);
  const { shared } = total;
  const [only, ...others] = sessions;
  const context = only && others.length === 0 ? only.context : null;
  const { results = [], systemParts = [], tools = [] } = context?.composition ?? {};
  return {
    schema: 'ctx/stats',
    schemaVersion: 1,
    tokenizer: [...new Set(sessions.map(({ tokenizer }) => tokenizer))],
    sessions: sessions.map(buildSession),
    subagents: buildSubagents(sessions, subagents),
    unreadable,
    entries: total.entries,
    messages: total.messages,
    ...buildUsage(total),
    costParts: buildCostParts(total),
    cheaper: null,
    ledger: listCategories(total, context),
    tokensEstimated: sumBreakdown(total.ledger),
    contextTokensEstimated: context && context.tokensEstimated,
    contents: listContents(total, context),
    contextTokensNotItemised: context && context.composition.notItemised,
    scale: context && context.scale,
    contextResults: [...results],
    systemParts: [...systemParts],
    toolDefinitions: [...tools],
    entryTypes: [...total.entryTypes],
    tools: total.tools.map(buildTool).toSorted(compareResultTokens),
    largest: [...total.largest],
    repeats: buildRepeats(total),
    calibration: buildCalibration(total.samples),
    shared: {
      entries: shared.entries,
      tokensEstimated: shared.tokens,
      usageRecorded: toUsageDocument(shared.usage),
    },
    groups: by === undefined ? null : toGroups(groupStats(sessions, by), by, sessions),
  };
}

/** The categories of tokens of all entries, and of the context at the leaf. */
function listCategories({ ledger }: SessionCounts, context: MeasuredContext | null): CategoryTokens[] {
  const inContext = new Map(context?.composition.categories.map((each) => [each.category, each]));
  return CATEGORIES.map((category) => ({
    category,
    tokensEstimated: ledger.categories[category],
    contextTokens: context && (inContext.get(category)?.tokens ?? 0),
    contextTokensEstimated: context && (inContext.get(category)?.tokensEstimated ?? 0),
  }));
}

/** The kinds of contents of all entries, and of the context at the leaf. */
function listContents({ ledger }: SessionCounts, context: MeasuredContext | null): ContentTokens[] {
  return CONTENT_KINDS.map((kind, at) => {
    const inContext = context?.composition.contents.filter((content) => content.kind === kind);
    return {
      kind,
      tokensEstimated: (ledger.declared[at] ?? 0) + (ledger.messages[at] ?? 0),
      messageTokensEstimated: ledger.messages[at] ?? 0,
      contextTokens: inContext ? sumBy(inContext, ({ tokens }) => tokens) : null,
      contextTokensEstimated: inContext ? sumBy(inContext, ({ tokensEstimated }) => tokensEstimated) : null,
    };
  }).filter(({ tokensEstimated, contextTokens }) => tokensEstimated > 0 || (contextTokens ?? 0) > 0);
}

/** The subagents of the counted sessions that have sessions of their own. */
export interface SubagentUsage {
  readonly sessions: readonly SessionUsage[];
  /** Whether the sums include the usage of subagents, including runs that only results record. */
  readonly isCounted: boolean;
}

const NO_SUBAGENTS: SubagentUsage = { sessions: [], isCounted: false };

/** Builds the figures of subagents. An agent has either sessions of their own or runs that results record. */
function buildSubagents(
  sessions: readonly SessionStats[],
  { sessions: own, isCounted }: SubagentUsage,
): SubagentFigures | null {
  const usage = sumUsage(own.length > 0 ? own.map((one) => one.usage) : sessions.map(({ runs }) => runs));
  if (own.length === 0 && usage.calls === 0) return null;
  return { sessions: own.length, isCounted, usageRecorded: toUsageDocument(usage) };
}

function buildSession(stats: SessionStats): StatsSession {
  const { file, id, cwd, title, first, last, entries, usage, ledger, context, shared } = stats;
  return {
    file,
    id,
    cwd,
    title,
    first: formatTime(first),
    last: formatTime(last),
    entries,
    usageRecorded: toUsageDocument(usage),
    tokensEstimated: sumBreakdown(ledger),
    contextTokensEstimated: context.tokensEstimated,
    contextTokens: context.size.tokens,
    contextTokensSource: context.size.isRecorded ? 'recorded' : 'estimated',
    sharedEntries: shared.entries,
    tokenizer: stats.tokenizer,
    preambleKnown: stats.preambleKnown,
    problems: stats.problems,
    client: stats.client && { cost: stats.client.cost, notInFile: toUsageDocument(stats.client.notInFile) },
  };
}

type UsageIn = Pick<StatsDocument, `usageRecorded${'' | 'BySource' | 'ByModel' | 'ByDay'}`>;

function buildUsage({ usage, bySource, byModel, byDay }: SessionCounts): UsageIn {
  const models = [...byModel].filter(([, of]) => (of.cost ?? 0) > 0 || sumTokensUsed(of) > 0);
  return {
    usageRecorded: toUsageDocument(usage),
    usageRecordedBySource: [...bySource].map(([source, of]) => ({ source, ...toUsageDocument(of) })),
    usageRecordedByModel: models
      .toSorted(([, a], [, b]) => sumKnownCost(b) - sumKnownCost(a))
      .map(([model, of]) => ({ model, ...toUsageDocument(of) })),
    usageRecordedByDay: [...byDay]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, of]) => ({ day: day === '' ? null : day, ...toUsageDocument(of) })),
  };
}

function buildCostParts({ partsByModel }: SessionCounts): StatsCostParts {
  const all = [...partsByModel.values()].reduce(addCostParts, NO_COST_PARTS);
  return {
    all: listParts(all),
    byModel: [...partsByModel]
      .toSorted(([, a], [, b]) => sumDollars(b) - sumDollars(a))
      .map(([model, parts]) => ({ model, parts: listParts(parts) }))
      .filter(({ parts }) => parts.length > 0),
    inferred: all.inferred,
  };
}

function listParts({ tokens, dollars }: CostParts): StatsCostParts['all'] {
  return COST_PARTS.map((part) => ({ part, tokens: tokens[part], dollars: dollars[part] })).filter(
    (part) => part.tokens > 0 || part.dollars > 0,
  );
}

function compareResultTokens(a: StatsTool, b: StatsTool): number {
  return b.resultTokensEstimated.sum - a.resultTokensEstimated.sum || b.calls - a.calls;
}

function buildTool({ name, calls, errors, resultTokens, usage }: ToolUsage): StatsTool {
  const sorted = sortAscending(resultTokens);
  return {
    name,
    calls,
    errors,
    results: sorted.length,
    resultTokensEstimated: {
      sum: sorted.reduce((sum, tokens) => sum + tokens, 0),
      p50: findQuantile(sorted, 0.5) ?? 0,
      p95: findQuantile(sorted, 0.95) ?? 0,
      max: sorted.at(-1) ?? 0,
    },
    usageRecorded: toUsageDocument(usage),
  };
}

const MOST_REPEATS = 20;

function buildRepeats({ repeats }: SessionCounts): Repeats {
  return {
    results: sumBy(repeats, (call) => call.repeats),
    tokensEstimated: sumBy(repeats, ({ tokensEstimated }) => tokensEstimated),
    calls: repeats.toSorted((a, b) => b.tokensEstimated - a.tokensEstimated).slice(0, MOST_REPEATS),
  };
}
