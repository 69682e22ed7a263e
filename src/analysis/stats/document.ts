import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { CONTENT_KINDS } from '#context/contents/kinds.js';
import { CATEGORIES } from '#context/size/categories.js';
import { cheaper } from './cheaper.js';
import { COST_PARTS } from './cost-parts.js';
import { USAGE_SOURCES } from './usage-sources.js';

/*
 * The tokens of this document are counted in three ways:
 *
 * - Usage is as providers reported it, and never estimated.
 * - `tokensEstimated`, and names that end in `TokensEstimated`, are counts of the tokenizer that `tokenizer` names.
 * - `contextTokens`, and `tokens` of a named share, follow the provider's count of the whole context: the estimates of
 *   its parts are scaled until they add up to it.
 *
 * Costs are in dollars. The docstring of a key is its description in `docs/schema/stats.json`.
 */

/** The groupings of `--by`. */
export const GROUPINGS = [
  'day',
  'week',
  'month',
  'hour',
  'project',
  'model',
  'branch',
  'session',
  'agent',
  'subagent',
  'tool',
] as const;

export type Grouping = (typeof GROUPINGS)[number];

/** Usage as providers reported it, added up as in Pi. */
const usage = z.object({
  /** Calls with a reported usage. */
  calls: z.int(),
  /** Prompt tokens that were neither read from a cache nor written to one. */
  input: z.number(),
  /** Tokens of the answers, with their thinking. */
  output: z.number(),
  /** Prompt tokens that were read from a cache. */
  cacheRead: z.number(),
  /** Prompt tokens that were written to a cache. */
  cacheWrite: z.number(),
  /** The sum of all four. */
  total: z.number(),
  /** In dollars; null if no call records a cost. */
  cost: z.nullable(z.number()),
  /** Dollars of the calls without a recorded cost, at the prices of Pi's list; null if it prices none of them. */
  costListed: z.nullable(z.number()),
});

export type UsageDocument = z.infer<typeof usage>;

/**
 * The parts of a cost, by what was paid for, which add up to `cost` and `costListed` of the usage. Parts without
 * tokens and dollars are left out.
 */
const costParts = z.array(
  z.object({
    /** `cacheWrite` is a write without a recorded lifetime; `other` is searches, and sums whose parts are unknown. */
    part: z.enum(COST_PARTS),
    /** Recorded. */
    tokens: z.number(),
    /** Dollars: recorded, else at listed prices. */
    dollars: z.number(),
  }),
);

/**
 * A part of the context with its share of the size, which rounds so that all add up, and as the tokenizer counts it.
 */
const namedShare = z.object({ name: z.string(), tokens: z.int(), tokensEstimated: z.int() });

export type NamedShare = z.infer<typeof namedShare>;

/** The figures of one session. What an earlier session also has is counted there only. */
export type StatsSession = z.infer<typeof sessionFigures>;

const sessionFigures = z.object({
  file: z.string(),
  id: z.string(),
  /** The working directory; null if it is not recorded. */
  cwd: z.nullable(z.string()),
  /** The name, else the first words of the user. */
  title: z.string(),
  /** UTC, as ISO 8601. */
  first: z.nullable(z.string()),
  /** The time of the newest entry of all branches, like `first`; null if no entry has a time. */
  last: z.nullable(z.string()),
  /** Counted here: entries that an earlier session also has are omitted. */
  entries: z.int(),
  usageRecorded: usage,
  /** Of the counted entries of all branches. */
  tokensEstimated: z.int(),
  /** The context of the next request, as the tokenizer counts. */
  contextTokensEstimated: z.int(),
  /** The size of that context: a provider's count, plus a calibrated estimate of later entries. */
  contextTokens: z.int(),
  /** `estimated` if a provider did not count all of it. */
  contextTokensSource: z.enum(['recorded', 'estimated']),
  /** Entries that were omitted, since an earlier session has them. */
  sharedEntries: z.int(),
  /** The tokenizer of the estimates, such as `chars/4`. */
  tokenizer: z.string(),
  /** Whether the system prompt and tools are recorded or supplied; if not, estimates exclude them. */
  preambleKnown: z.boolean(),
  /** The number of damaged places in the file. */
  problems: z.int(),
  /**
   * The figure of the client itself, for all calls of the session and of its subagents; null if it records none.
   */
  client: z.nullable(
    z.object({
      /** Recorded, in dollars. */
      cost: z.number(),
      /**
       * Calls that are in no file, such as those of other models for titles; `usageRecorded` includes them.
       * `calls` is 0, since their number is not recorded.
       */
      notInFile: usage,
    }),
  ),
});

/** The usage of the subagents that the counted sessions started. */
export type SubagentFigures = z.infer<typeof subagentFigures>;

const subagentFigures = z.object({
  /** Sessions of their own, also of subagents of subagents. */
  sessions: z.int(),
  /** Whether `usageRecorded` of the session includes them. */
  isCounted: z.boolean(),
  usageRecorded: usage,
});

/** The number of messages by role, and of the calls in them. */
export type MessageCounts = z.infer<typeof messageCounts>;

const messageCounts = z.object({
  user: z.int(),
  /** Answers of providers. Those that a program wrote itself are only in `total`. */
  assistant: z.int(),
  toolResults: z.int(),
  /** All messages, with those of extensions, summaries and commands. */
  total: z.int(),
  /** Calls in the assistant messages. */
  toolCalls: z.int(),
});

/** The cost of all calls, and of those of each model, divided by what was paid for. */
export type StatsCostParts = z.infer<typeof statsCostParts>;

const statsCostParts = z.object({
  all: costParts,
  /** The most expensive model first. */
  byModel: z.array(z.object({ model: z.string(), parts: costParts })),
  /** The dollars that are recorded as one sum, and divided in proportion to listed prices. */
  inferred: z.number(),
});

/** The part of the context at the leaf that has one kind of content. */
const partOfContext = {
  /** Its share of `contextTokens` of the session; null for several sessions. */
  contextTokens: z.nullable(z.int()),
  /** As the tokenizer counts; null for several sessions. */
  contextTokensEstimated: z.nullable(z.int()),
};

/** The tokens of a category: in all entries, and in the context at the leaf. */
export type CategoryTokens = z.infer<typeof categoryTokens>;

const categoryTokens = z.object({
  category: z.enum(CATEGORIES),
  tokensEstimated: z.int(),
  ...partOfContext,
});

/** The tokens of a kind of content: in all entries, and in the context at the leaf. */
export type ContentTokens = z.infer<typeof contentTokens>;

const contentTokens = z.object({
  kind: z.enum(CONTENT_KINDS),
  /** Of the entries of all branches. */
  tokensEstimated: z.int(),
  /** The part of them that messages have; the rest is declared: the system prompt and the tools. */
  messageTokensEstimated: z.int(),
  ...partOfContext,
});

/** The entries of one type, and for messages of one role. */
export type EntryKind = z.infer<typeof entryKind>;

const entryKind = z.object({
  type: z.string(),
  /** The role of a message; null for other entries. */
  role: z.nullable(z.string()),
  entries: z.int(),
  /** The bytes of their lines in the file. */
  bytes: z.int(),
  tokensEstimated: z.int(),
});

/** The calls of one tool, and the size of their results. */
export type StatsTool = z.infer<typeof toolFigures>;

const toolFigures = z.object({
  name: z.string(),
  calls: z.int(),
  /** Results that report an error. */
  errors: z.int(),
  /** Results, with those without a call. */
  results: z.int(),
  /** Of single results: the sum, median, 95th percentile and maximum. */
  resultTokensEstimated: z.object({ sum: z.int(), p50: z.int(), p95: z.int(), max: z.int() }),
  /** The usage that the results themselves report, such as that of a subagent. */
  usageRecorded: usage,
});

/** One of the entries with the most tokens, and its place. */
export type LargeEntry = z.infer<typeof largeEntry>;

const largeEntry = z.object({
  file: z.string(),
  entryId: z.nullable(z.string()),
  line: z.int(),
  type: z.string(),
  role: z.nullable(z.string()),
  tokensEstimated: z.int(),
  preview: z.string(),
});

/** A call whose result repeats an earlier one: the same tool and arguments, and the same content. */
export type Repeat = z.infer<typeof repeatedCall>;

const repeatedCall = z.object({
  tool: z.string(),
  /** The arguments of the call, cut if they are long. */
  arguments: z.string(),
  /** Results after the first one. */
  repeats: z.int(),
  tokensEstimated: z.int(),
  /** The place of the first result. */
  line: z.int(),
});

/** The repeated results of all sessions, and the calls that repeat most. */
export type Repeats = z.infer<typeof repeatFigures>;

const repeatFigures = z.object({
  /** The number of repeated results. */
  results: z.int(),
  /** Of the repeated results, without the first of each. */
  tokensEstimated: z.int(),
  calls: z.array(repeatedCall),
});

/** The ratio of the estimate to the counts of providers. */
export type Calibration = z.infer<typeof calibration>;

const calibration = z.object({
  /** The requests with a recorded and an estimated prompt. */
  requests: z.int(),
  /** The factor from estimated to recorded tokens: its median, 10th and 90th percentile. */
  recordedPerEstimated: z.object({ median: z.number(), p10: z.number(), p90: z.number() }),
  /** The median error: half of the estimates are off by less than this share. */
  medianError: z.number(),
});

/** One row of totals of a group. Values that do not exist for a grouping are null. */
export type StatsGroup = z.infer<typeof groupRow>;

const groupRow = z.object({
  /** Of several groupings, the keys joined by ` · `. */
  key: z.string(),
  /** A key for each grouping; empty if it is not recorded. */
  keys: z.array(z.string()),
  /** Sessions with an entry in the group. */
  sessions: z.int(),
  usageRecorded: usage,
  /** null for a grouping that does not tell calls apart. */
  toolCalls: z.nullable(z.int()),
  toolErrors: z.nullable(z.int()),
  tokensEstimated: z.nullable(z.int()),
});

/** The rows of `--by`, with what they are grouped by. */
export type StatsGroups = z.infer<typeof groupedRows>;

const groupedRows = z.object({
  /** The first of `--by`. */
  by: z.enum(GROUPINGS),
  /** All of them. */
  groupings: z.array(z.enum(GROUPINGS)),
  /** The zone of days and hours, such as `Europe/Berlin`. */
  timezone: z.string(),
  /** Sessions in no row, such as those without calls, which are in the totals. */
  sessionsOutside: z.int(),
  rows: z.array(groupRow),
});

/**
 * The output of `ctx stats --json`. Names that end in `Recorded` are reported by providers, `Estimated` counted by
 * ctx.
 */
export const statsDocument = jsonDocument('ctx/stats', {
  /** The tokenizer of the estimates: one name for all sessions, or several. */
  tokenizer: z.array(z.string()),
  sessions: z.array(sessionFigures),
  /**
   * The subagents of the session; null without any. For several sessions, those of which only results of tools record
   * the usage.
   */
  subagents: z.nullable(subagentFigures),
  /** Files that could not be counted. */
  unreadable: z.array(z.object({ file: z.string(), error: z.string() })),
  /** Of all sessions and branches, each entry counted once. */
  entries: z.int(),
  /** Messages of all branches, as Pi counts them. */
  messages: messageCounts,
  usageRecorded: usage,
  /** By the purpose of the calls, such as answers, tools and compactions. */
  usageRecordedBySource: z.array(z.object({ source: z.enum(USAGE_SOURCES), ...usage.shape })),
  /** Pi's cost breakdown: the most expensive first. */
  usageRecordedByModel: z.array(z.object({ model: z.string(), ...usage.shape })),
  /**
   * The parts of the cost of `usageRecorded`: cache reads, cache writes by their lifetime, uncached input, output.
   */
  costParts: statsCostParts,
  /** The answer of `--cheaper`, as simulated; null without it. */
  cheaper: z.nullable(cheaper),
  /** By date, in order: UTC, or that of `--timezone`. `day` is null for entries without a time. */
  usageRecordedByDay: z.array(z.object({ day: z.nullable(z.string()), ...usage.shape })),
  /** Tokens that entries of all branches add, and those in the context at the leaf; null for several sessions. */
  ledger: z.array(categoryTokens),
  /**
   * Tokens by kind of content, as `ctx show` has them: a finer division than `ledger`, with the same sums. Kinds
   * without tokens are left out.
   */
  contents: z.array(contentTokens),
  /** The sum of the ledger. */
  tokensEstimated: z.int(),
  /** The sum of the ledger in the context at the leaf; null for several sessions. */
  contextTokensEstimated: z.nullable(z.int()),
  /**
   * The part of `contextTokens` that is in no category, since the session does not record it; null if there is none.
   */
  contextTokensNotItemised: z.nullable(z.int()),
  /**
   * Tokens of the provider for each estimated one, in the context at the leaf; null for several sessions. The screen
   * multiplies the estimates of all entries by it.
   */
  scale: z.nullable(z.object({ declared: z.number(), messages: z.number() })),
  /** Tool results in that context by tool; they add up to the category `tool results`. Empty for several sessions. */
  contextResults: z.array(namedShare),
  /** Of the context at the leaf; empty for several sessions. */
  systemParts: z.array(namedShare),
  /** The tools of that context; empty for several sessions. */
  toolDefinitions: z.array(namedShare),
  /** By the type of the entry, and for messages by role, of all branches. */
  entryTypes: z.array(entryKind),
  /** By the name of the called tool, of all branches. */
  tools: z.array(toolFigures),
  /** The largest entries of all branches, by tokens. */
  largest: z.array(largeEntry),
  /** Results that are equal to an earlier one of the same call. */
  repeats: repeatFigures,
  /** Recorded prompt tokens per estimated one, over the requests of active paths; null if none can be compared. */
  calibration: z.nullable(calibration),
  /** Omitted because an earlier session has the same entries. */
  shared: z.object({ entries: z.int(), tokensEstimated: z.int(), usageRecorded: usage }),
  /** The rows of `--by`; null without it. */
  groups: z.nullable(groupedRows),
});

export type StatsDocument = z.infer<typeof statsDocument>;
