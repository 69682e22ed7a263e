import * as z from 'zod/mini';
import { GROUPINGS, CATEGORIES, SOURCES } from './names.js';

/** As providers reported it, added up as Pi does. */
const usage = z.object({
  /** Calls that reported something. */
  calls: z.int(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** All four together. */
  total: z.number(),
  /** In dollars; null where no call says what it cost. */
  cost: z.nullable(z.number()),
  /** In dollars, of the calls that record no cost: at the prices of Pi's list; null where it prices none of them. */
  costListed: z.nullable(z.number()),
});

const named = z.object({ name: z.string(), tokensEstimated: z.int() });

/** The output of `ctx stats --json`. Names that end in `Recorded` hold what providers reported, `Estimated` what was counted here. */
export const statsDocument = z.object({
  schema: z.literal('ctx/stats'),
  schemaVersion: z.literal(1),
  /** How tokens were estimated: one name for all sessions, or several. */
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
      /** Counted here: those that an earlier session has too are left out. */
      entries: z.int(),
      usageRecorded: usage,
      tokensEstimated: z.int(),
      /** Of what the model would be shown next, as the tokenizer counts. */
      contextTokensEstimated: z.int(),
      /** The size of that context: what providers counted, and a calibrated estimate of what came since. */
      contextTokens: z.int(),
      /** `estimated` where not all of it was counted by a provider. */
      contextTokensSource: z.enum(['recorded', 'estimated']),
      sharedEntries: z.int(),
      tokenizer: z.string(),
      /** The system prompt and tools are recorded or supplied; else estimates are without them. */
      preambleKnown: z.boolean(),
      /** Damaged places of the file. */
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
  /** Tokens that entries of all branches bring in, and those in the context at the leaf; null for several sessions. */
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
  /** Results that are the same as an earlier one of the same call. */
  repeats: z.object({
    results: z.int(),
    tokensEstimated: z.int(),
    calls: z.array(
      z.object({
        tool: z.string(),
        arguments: z.string(),
        repeats: z.int(),
        tokensEstimated: z.int(),
        /** Where the first result stands. */
        line: z.int(),
      }),
    ),
  }),
  /** Recorded prompt tokens for each estimated one, over the requests of active paths; null where none can be compared. */
  calibration: z.nullable(
    z.object({
      requests: z.int(),
      recordedPerEstimated: z.object({ median: z.number(), p10: z.number(), p90: z.number() }),
      /** Half of the estimates are off by less than this share. */
      medianError: z.number(),
    }),
  ),
  /** Left out because an earlier session has the same entries. */
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
/** The entries of one type, and of one role where they are messages. */
export type EntryKind = StatsDocument['entryTypes'][number];
export type LargeEntry = StatsDocument['largest'][number];
export type StatsTool = StatsDocument['tools'][number];
/** A call whose result repeats an earlier one: the same tool and arguments, and the same content. */
export type Repeat = StatsDocument['repeats']['calls'][number];
/** How an estimate compares with what providers counted. */
export type Calibration = NonNullable<StatsDocument['calibration']>;
/** One row of totals that were put in groups. What a grouping cannot tell is null. */
export type StatsGroup = NonNullable<StatsDocument['groups']>['rows'][number];
