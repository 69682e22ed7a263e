import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { GROUPINGS, CATEGORIES, SOURCES } from './session-stats.js';

/** Usage as providers reported it, added up as in Pi. */
const usage = z.object({
  /** Calls with a reported usage. */
  calls: z.int(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** The sum of all four. */
  total: z.number(),
  /** In dollars; null if no call records a cost. */
  cost: z.nullable(z.number()),
  /** Dollars of the calls without a recorded cost, at the prices of Pi's list; null if it prices none of them. */
  costListed: z.nullable(z.number()),
});

const named = z.object({ name: z.string(), tokensEstimated: z.int() });

/** The output of `ctx stats --json`. Names that end in `Recorded` are reported by providers, `Estimated` counted by ctx. */
export const statsDocument = jsonDocument('ctx/stats', {
  /** The tokenizer of the estimates: one name for all sessions, or several. */
  tokenizer: z.array(z.string()),
  sessions: z.array(
    z.object({
      file: z.string(),
      id: z.string(),
      cwd: z.nullable(z.string()),
      title: z.string(),
      /** UTC, as ISO 8601. */
      first: z.nullable(z.string()),
      last: z.nullable(z.string()),
      /** Counted here: entries that an earlier session also has are omitted. */
      entries: z.int(),
      usageRecorded: usage,
      tokensEstimated: z.int(),
      /** The context of the next request, as the tokenizer counts. */
      contextTokensEstimated: z.int(),
      /** The size of that context: a provider's count, plus a calibrated estimate of later entries. */
      contextTokens: z.int(),
      /** `estimated` if a provider did not count all of it. */
      contextTokensSource: z.enum(['recorded', 'estimated']),
      sharedEntries: z.int(),
      tokenizer: z.string(),
      /** Whether the system prompt and tools are recorded or supplied; if not, estimates exclude them. */
      preambleKnown: z.boolean(),
      /** The number of damaged places in the file. */
      problems: z.int(),
    }),
  ),
  /** Files that could not be counted. */
  unreadable: z.array(z.object({ file: z.string(), error: z.string() })),
  entries: z.int(),
  /** Messages of all branches, as Pi counts them. */
  messages: z.object({
    user: z.int(),
    assistant: z.int(),
    toolResults: z.int(),
    total: z.int(),
    toolCalls: z.int(),
  }),
  usageRecorded: usage,
  usageRecordedBySource: z.array(z.object({ source: z.enum(SOURCES), ...usage.shape })),
  /** Pi's cost breakdown: the most expensive first. */
  usageRecordedByModel: z.array(z.object({ model: z.string(), ...usage.shape })),
  usageRecordedByDay: z.array(z.object({ day: z.nullable(z.string()), ...usage.shape })),
  /** Tokens that entries of all branches add, and those in the context at the leaf; null for several sessions. */
  ledger: z.array(
    z.object({
      category: z.enum(CATEGORIES),
      tokensEstimated: z.int(),
      contextTokensEstimated: z.nullable(z.int()),
    }),
  ),
  tokensEstimated: z.int(),
  contextTokensEstimated: z.nullable(z.int()),
  /** Of the context at the leaf; empty for several sessions. */
  systemParts: z.array(named),
  toolDefinitions: z.array(named),
  entryTypes: z.array(
    z.object({
      type: z.string(),
      role: z.nullable(z.string()),
      entries: z.int(),
      bytes: z.int(),
      tokensEstimated: z.int(),
    }),
  ),
  tools: z.array(
    z.object({
      name: z.string(),
      calls: z.int(),
      errors: z.int(),
      results: z.int(),
      resultTokensEstimated: z.object({ sum: z.int(), p50: z.int(), p95: z.int(), max: z.int() }),
      usageRecorded: usage,
    }),
  ),
  largest: z.array(
    z.object({
      file: z.string(),
      entryId: z.nullable(z.string()),
      line: z.int(),
      type: z.string(),
      role: z.nullable(z.string()),
      tokensEstimated: z.int(),
      preview: z.string(),
    }),
  ),
  /** Results that are equal to an earlier one of the same call. */
  repeats: z.object({
    results: z.int(),
    tokensEstimated: z.int(),
    calls: z.array(
      z.object({
        tool: z.string(),
        arguments: z.string(),
        repeats: z.int(),
        tokensEstimated: z.int(),
        /** The place of the first result. */
        line: z.int(),
      }),
    ),
  }),
  /** Recorded prompt tokens per estimated one, over the requests of active paths; null if none can be compared. */
  calibration: z.nullable(
    z.object({
      requests: z.int(),
      recordedPerEstimated: z.object({ median: z.number(), p10: z.number(), p90: z.number() }),
      /** The median error: half of the estimates are off by less than this share. */
      medianError: z.number(),
    }),
  ),
  /** Omitted because an earlier session has the same entries. */
  shared: z.object({ entries: z.int(), tokensEstimated: z.int(), usageRecorded: usage }),
  groups: z.nullable(
    z.object({
      by: z.enum(GROUPINGS),
      rows: z.array(
        z.object({
          key: z.string(),
          sessions: z.int(),
          usageRecorded: usage,
          toolCalls: z.nullable(z.int()),
          toolErrors: z.nullable(z.int()),
          tokensEstimated: z.nullable(z.int()),
        }),
      ),
    }),
  ),
});

export type StatsDocument = z.infer<typeof statsDocument>;
export type UsageDocument = z.infer<typeof usage>;
export type NamedTokens = z.infer<typeof named>;
export type MessageCounts = StatsDocument['messages'];
/** The entries of one type, and for messages of one role. */
export type EntryKind = StatsDocument['entryTypes'][number];
export type LargeEntry = StatsDocument['largest'][number];
export type StatsTool = StatsDocument['tools'][number];
/** A call whose result repeats an earlier one: the same tool and arguments, and the same content. */
export type Repeat = StatsDocument['repeats']['calls'][number];
/** The ratio of the estimate to the counts of providers. */
export type Calibration = NonNullable<StatsDocument['calibration']>;
/** One row of totals of a group. Values that do not exist for a grouping are null. */
export type StatsGroup = NonNullable<StatsDocument['groups']>['rows'][number];
