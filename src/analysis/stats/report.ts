import { ascending, type Calibration, calibrationOf, quantile } from './calibration.js';
import { addUp, type StatsGroup, groupsOf } from './groups.js';
import type { Grouping } from './names.js';
import type { SessionCounts, SessionStats } from './session-stats.js';
import type { Repeat, ToolUsage } from './tool-tally.js';
import { costKnown, tokensUsed, type UsageSums } from './usage-sums.js';

/** A file that could not be counted. */
export interface Unreadable {
  readonly file: string;
  readonly error: string;
}

/** Everything that is said of one session or of many. */
export interface StatsReport {
  readonly sessions: readonly SessionStats[];
  readonly unreadable: readonly Unreadable[];
  readonly total: SessionCounts;
  /** Of one session. */
  readonly context: SessionStats['context'] | null;
  /** How tokens were counted. */
  readonly methods: readonly string[];
  readonly models: readonly (readonly [model: string, sums: UsageSums])[];
  readonly tools: readonly ToolSummary[];
  readonly repeats: { readonly results: number; readonly tokens: number; readonly calls: readonly Repeat[] };
  readonly calibration: Calibration | null;
  readonly groups: { readonly by: Grouping; readonly rows: readonly StatsGroup[] } | null;
}

/** A tool with what its results weigh, in estimated tokens. */
export interface ToolSummary extends ToolUsage {
  readonly results: number;
  readonly sum: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

export function statsReport(
  sessions: readonly SessionStats[],
  unreadable: readonly Unreadable[],
  by: Grouping | undefined,
): StatsReport {
  const total = addUp(sessions);
  const [only, ...others] = sessions;
  return {
    sessions,
    unreadable,
    total,
    context: only && others.length === 0 ? only.context : null,
    methods: [...new Set(sessions.map(({ method }) => method))],
    models: [...total.byModel]
      .filter(([, sums]) => sums.cost > 0 || tokensUsed(sums) > 0)
      .toSorted(([, a], [, b]) => costKnown(b) - costKnown(a)),
    tools: total.tools.map(summaryOf).toSorted((a, b) => b.sum - a.sum || b.calls - a.calls),
    repeats: {
      results: total.repeats.reduce((sum, { repeats }) => sum + repeats, 0),
      tokens: total.repeats.reduce((sum, { tokens }) => sum + tokens, 0),
      calls: total.repeats.toSorted((a, b) => b.tokens - a.tokens).slice(0, MOST_REPEATS),
    },
    calibration: calibrationOf(total.samples),
    groups: by === undefined ? null : { by, rows: groupsOf(sessions, by) },
  };
}

const MOST_REPEATS = 20;

function summaryOf(use: ToolUsage): ToolSummary {
  const sorted = ascending(use.resultTokens);
  return {
    ...use,
    results: sorted.length,
    sum: sorted.reduce((sum, tokens) => sum + tokens, 0),
    p50: quantile(sorted, 0.5) ?? 0,
    p95: quantile(sorted, 0.95) ?? 0,
    max: sorted.at(-1) ?? 0,
  };
}
