import { timeText } from '#base/time.js';
import type { StatsDocument, UsageDocument } from './document.js';
import { CATEGORIES } from './names.js';
import type { StatsReport, ToolSummary } from './report.js';
import type { LargeEntry, SessionStats } from './session-stats.js';
import { breakdownTotal, type NamedTokens } from './token-breakdown.js';
import { tokensUsed, type UsageSums } from './usage-sums.js';

/** The report as `--json` prints it. */
export function statsDocumentOf(report: StatsReport): StatsDocument {
  const { total, context } = report;
  const usageOf = (sums: UsageSums): UsageDocument => usageDocument(sums, total.isCostRecorded);
  return {
    schema: 'ctx/stats',
    schemaVersion: 1,
    tokenizer: [...report.methods],
    sessions: report.sessions.map(sessionDocument),
    unreadable: [...report.unreadable],
    entries: total.entries,
    messages: { ...total.messages },
    ...usageDocuments(report, usageOf),
    ledger: CATEGORIES.map((category) => ({
      category,
      tokensEstimated: total.ledger[category],
      contextTokensEstimated: context && context.ledger[category],
    })),
    tokensEstimated: breakdownTotal(total.ledger),
    contextTokensEstimated: context && breakdownTotal(context.ledger),
    systemParts: (context?.parts ?? []).map(namedDocument),
    toolDefinitions: (context?.tools ?? []).map(namedDocument),
    entryTypes: total.kinds.map(({ tokens, ...kind }) => ({ ...kind, tokensEstimated: tokens })),
    tools: report.tools.map((tool) => toolDocument(tool, usageOf(tool.usage))),
    largest: total.largest.map(largeDocument),
    repeats: repeatsDocument(report),
    calibration: calibrationDocument(report),
    shared: {
      entries: total.shared.entries,
      tokensEstimated: total.shared.tokens,
      usageRecorded: usageOf(total.shared.usage),
    },
    groups: groupsDocument(report, usageOf),
  };
}

type UsageOf = (sums: UsageSums) => UsageDocument;

function usageDocuments(
  { total, models }: StatsReport,
  usageOf: UsageOf,
): Pick<StatsDocument, `usageRecorded${'' | 'BySource' | 'ByModel' | 'ByDay'}`> {
  return {
    usageRecorded: usageOf(total.usage),
    usageRecordedBySource: [...total.bySource].map(([source, of]) => ({ source, ...usageOf(of) })),
    usageRecordedByModel: models.map(([model, of]) => ({ model, ...usageOf(of) })),
    usageRecordedByDay: [...total.byDay]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, of]) => ({ day: day === '' ? null : day, ...usageOf(of) })),
  };
}

function repeatsDocument({ repeats: { results, tokens, calls } }: StatsReport): StatsDocument['repeats'] {
  return {
    results,
    tokensEstimated: tokens,
    calls: calls.map(({ tokens: ofCall, ...call }) => ({ ...call, tokensEstimated: ofCall })),
  };
}

function groupsDocument({ groups }: StatsReport, usageOf: UsageOf): StatsDocument['groups'] {
  if (groups === null) return null;
  const rows = groups.rows.map(({ key, sessions, usage, toolCalls, toolErrors, tokens }) => {
    return { key, sessions, toolCalls, toolErrors, usageRecorded: usageOf(usage), tokensEstimated: tokens };
  });
  return { by: groups.by, rows };
}

function usageDocument(sums: UsageSums, isCostRecorded: boolean): UsageDocument {
  return {
    ...sums,
    total: tokensUsed(sums),
    cost: isCostRecorded ? sums.cost : null,
    costListed: sums.costListed > 0 ? sums.costListed : null,
  };
}

function sessionDocument(stats: SessionStats): StatsDocument['sessions'][number] {
  const { file, id, cwd, title, entries, problems } = stats;
  return {
    file,
    id,
    cwd,
    title,
    first: timeText(stats.first),
    last: timeText(stats.last),
    entries,
    usageRecorded: usageDocument(stats.usage, stats.isCostRecorded),
    tokensEstimated: breakdownTotal(stats.ledger),
    contextTokensEstimated: breakdownTotal(stats.context.ledger),
    contextTokens: stats.size.tokens,
    contextTokensSource: stats.size.isRecorded ? 'recorded' : 'estimated',
    sharedEntries: stats.shared.entries,
    tokenizer: stats.method,
    preambleKnown: stats.isPreambleKnown,
    problems,
  };
}

function namedDocument({ name, tokens }: NamedTokens): StatsDocument['systemParts'][number] {
  return { name, tokensEstimated: tokens };
}

function toolDocument(tool: ToolSummary, usageRecorded: UsageDocument): StatsDocument['tools'][number] {
  const { name, calls, errors, results, sum, p50, p95, max } = tool;
  return { name, calls, errors, results, resultTokensEstimated: { sum, p50, p95, max }, usageRecorded };
}

function largeDocument({ tokens, ...entry }: LargeEntry): StatsDocument['largest'][number] {
  return { ...entry, tokensEstimated: tokens };
}

function calibrationDocument({ calibration }: StatsReport): StatsDocument['calibration'] {
  if (calibration === null) return null;
  const { requests, median, p10, p90, medianError } = calibration;
  return { requests, recordedPerEstimated: { median, p10, p90 }, medianError };
}
