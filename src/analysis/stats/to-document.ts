import { timeText } from '#base/time.js';
import type { StatsDocument, UsageDocument } from './document.js';
import { CATEGORIES, ledgerTotal, type Named } from './ledger.js';
import type { StatsReport, ToolSummary } from './report.js';
import type { LargeEntry, SessionStats } from './session-stats.js';
import { tokensUsed, type UsageSums } from './usage-sums.js';

/** What `--json` prints. */
export function statsDocumentOf(report: StatsReport): StatsDocument {
  const { total, context, groups } = report;
  const sums = (of: UsageSums): UsageDocument => usageDocument(of, total.isCostRecorded);
  return {
    schema: 'ctx/stats',
    schemaVersion: 1,
    tokenizer: [...report.methods],
    sessions: report.sessions.map(sessionDocument),
    unreadable: [...report.unreadable],
    entries: total.entries,
    messages: { ...total.messages },
    usageRecorded: sums(total.usage),
    usageRecordedBySource: [...total.bySource].map(([source, of]) => ({ source, ...sums(of) })),
    usageRecordedByModel: report.models.map(([model, of]) => ({ model, ...sums(of) })),
    usageRecordedByDay: [...total.byDay]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, of]) => ({ day: day === '' ? null : day, ...sums(of) })),
    ledger: CATEGORIES.map((category) => ({
      category,
      tokensEstimated: total.ledger[category],
      contextTokensEstimated: context && context.ledger[category],
    })),
    tokensEstimated: ledgerTotal(total.ledger),
    contextTokensEstimated: context && ledgerTotal(context.ledger),
    systemParts: (context?.parts ?? []).map(namedDocument),
    toolDefinitions: (context?.tools ?? []).map(namedDocument),
    entryTypes: total.kinds.map(({ tokens, ...kind }) => ({ ...kind, tokensEstimated: tokens })),
    tools: report.tools.map((tool) => toolDocument(tool, sums(tool.usage))),
    largest: total.largest.map(largeDocument),
    repeats: {
      results: report.repeats.results,
      tokensEstimated: report.repeats.tokens,
      calls: report.repeats.calls.map(({ tokens, ...call }) => ({ ...call, tokensEstimated: tokens })),
    },
    calibration: calibrationDocument(report),
    shared: {
      entries: total.shared.entries,
      tokensEstimated: total.shared.tokens,
      usageRecorded: sums(total.shared.usage),
    },
    groups: groups && {
      by: groups.by,
      rows: groups.rows.map(({ usage, tokens, ...row }) => ({
        ...row,
        usageRecorded: sums(usage),
        tokensEstimated: tokens,
      })),
    },
  };
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
    tokensEstimated: ledgerTotal(stats.ledger),
    contextTokensEstimated: ledgerTotal(stats.context.ledger),
    contextTokens: stats.size.tokens,
    contextTokensSource: stats.size.isRecorded ? 'recorded' : 'estimated',
    sharedEntries: stats.shared.entries,
    tokenizer: stats.method,
    preambleKnown: stats.isPreambleKnown,
    problems,
  };
}

function namedDocument({ name, tokens }: Named): StatsDocument['systemParts'][number] {
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
