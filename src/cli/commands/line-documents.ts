import * as z from 'zod/mini';
import { checkedFile, reportedFinding } from '#analysis/check/checked-file.js';
import { jsonDocument } from '#base/schema.js';

/** One line of `ctx show --each`. */
export const envelopeLine = jsonDocument('ctx/envelope-line', {
  entryId: z.nullable(z.string()),
  line: z.int(),
  type: z.nullable(z.string()),
  envelopeSha256: z.string(),
  /** Estimated. */
  tokens: z.int(),
  /** How tokens are estimated. */
  tokenMethod: z.string(),
  messages: z.int(),
});

/** One line of `ctx show --json` with a selection of messages. */
export const envelopeMessage = jsonDocument('ctx/message', {
  /** Counted from 1 in the order in which the model sees them. */
  number: z.int(),
  /** The entry that it comes from; null for a message that a transform made. */
  entryId: z.nullable(z.string()),
  line: z.nullable(z.int()),
  origin: z.nullable(z.enum(['entry', 'edit', 'compaction', 'transform'])),
  /** false: sent with this request only. */
  isCached: z.boolean(),
  tokensEstimated: z.int(),
  message: z.record(z.string(), z.unknown()),
});

/** One line of `ctx tree`: an entry, known by its head alone. Parents come before their children. */
export const treeEntry = jsonDocument('ctx/tree-entry', {
  entryId: z.nullable(z.string()),
  /** As it is in the file. */
  parentId: z.nullable(z.string()),
  line: z.int(),
  offset: z.int(),
  length: z.int(),
  type: z.nullable(z.string()),
  role: z.nullable(z.string()),
  time: z.nullable(z.string()),
  /** 1 for a root of the output, one more for each printed ancestor. */
  depth: z.int(),
  /** The children that pass the filter, those included that `--depth` leaves out. */
  children: z.int(),
  isActive: z.boolean(),
  isLeaf: z.boolean(),
  label: z.nullable(z.string()),
  /** The entry that a label or edit is about, or the first one that a compaction keeps. */
  target: z.nullable(z.string()),
});

/** Tokens as a provider counted them, and the cost in dollars. */
const recordedUsage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  total: z.number(),
  cost: z.nullable(z.number()),
});

/** One line of `ctx log`. */
export const logEntry = jsonDocument('ctx/log-entry', {
  entryId: z.nullable(z.string()),
  /** As it is in the file. */
  parentId: z.nullable(z.string()),
  line: z.int(),
  type: z.nullable(z.string()),
  role: z.nullable(z.string()),
  time: z.nullable(z.string()),
  /** Estimated, of the message that the entry adds. */
  tokens: z.nullable(z.int()),
  /** Of the context after the entry: the last recorded request, and a calibrated estimate of what came since; null off the path that is logged. */
  contextTokens: z.nullable(z.int()),
  /** `recorded`: a provider counted all of `contextTokens`. */
  contextTokensSource: z.nullable(z.enum(['recorded', 'estimated'])),
  usage: z.nullable(recordedUsage),
  label: z.nullable(z.string()),
  preview: z.string(),
  isActive: z.boolean(),
});

/** The output of `ctx cat --json`. */
export const entryReport = jsonDocument('ctx/entry', {
  entryId: z.nullable(z.string()),
  line: z.int(),
  /** Of the line, in bytes of the file. */
  offset: z.int(),
  length: z.int(),
  /** As version 3 has it, whatever the version of the file. */
  entry: z.record(z.string(), z.unknown()),
});

/** Where a text was found: an entry; of a system part or tool, the entry that declared it. */
const searched = {
  /** In a search of many sessions: the file, as it was passed. */
  file: z.exactOptional(z.string()),
  /** null for a system part or tool that no single entry declared. */
  entryId: z.nullable(z.string()),
  /** Of the file. */
  line: z.nullable(z.int()),
  type: z.nullable(z.string()),
  /** The role of its message, else its type; `system` or `tool` for a system part or tool of the context. */
  name: z.string(),
  /** The name of that system part or tool. */
  part: z.nullable(z.string()),
  role: z.nullable(z.string()),
};

/** One line of `ctx grep`. */
export const grepMatch = jsonDocument('ctx/grep-match', {
  ...searched,
  /** Inside the entry or its message: `content[0].text`, `sections.rules`, `summary`. */
  place: z.string(),
  /** From 1, in the text at that place. */
  lineInText: z.int(),
  /** That line, or the surroundings of the match in a line of more than 1000 characters. */
  text: z.string(),
  /** Where `text` begins in its line. */
  textStart: z.int(),
  /** Of the match in `text`, in UTF-16 code units. */
  start: z.int(),
  end: z.int(),
  /** Whether the context contains the match; null if it cannot be replayed. */
  isVisible: z.nullable(z.boolean()),
  /** The entry of the path that hid it from the model; null if none did, or if that is unknown. */
  hiddenBy: z.nullable(z.object({ entryId: z.nullable(z.string()), type: z.nullable(z.string()) })),
  /** With `--context`. */
  before: z.exactOptional(z.array(z.string())),
  after: z.exactOptional(z.array(z.string())),
});

/** One line of `ctx grep --count`. */
export const grepCount = jsonDocument('ctx/grep-count', {
  ...searched,
  matches: z.int(),
});

/** The output of `ctx check --json`. */
export const checkReport = jsonDocument('ctx/check', {
  /** In the order of the command line. */
  files: z.array(checkedFile),
  totals: z.object({
    files: z.int(),
    /** Files that could not be checked. */
    unreadable: z.int(),
    /** Files in which something was found. */
    withFindings: z.int(),
    errors: z.int(),
    warnings: z.int(),
    notes: z.int(),
  }),
});

/** One line of `ctx check --format ndjson`, for each finding. */
export const checkFindingLine = jsonDocument('ctx/check-finding', {
  file: z.string(),
  ...reportedFinding.shape,
});

/** One line of `ctx check --format ndjson`, for each file after its findings. */
export const checkFileLine = jsonDocument('ctx/check-file', {
  ...z.omit(checkedFile, { findings: true }).shape,
});

/** A line of `ctx query --json` for each row. */
export const queryRow = jsonDocument('ctx/query-row', {
  /** By the names of the columns. Whole numbers that are not safe in JSON are texts; times are UTC, as DuckDB writes them. */
  row: z.record(z.string(), z.unknown()),
});

/** The output of `ctx query --tables --json`. */
export const tableList = jsonDocument('ctx/tables', {
  /** The version of the tables, which is `ctx.tablesVersion` in every Parquet file. */
  tablesVersion: z.int(),
  tables: z.array(
    z.object({
      name: z.string(),
      /** The meaning of a row. */
      about: z.string(),
      columns: z.array(
        z.object({
          name: z.string(),
          /** As SQL calls it. */
          type: z.enum(['VARCHAR', 'BIGINT', 'DOUBLE', 'DECIMAL(18,9)', 'TIMESTAMP', 'BOOLEAN']),
          nullable: z.boolean(),
          about: z.string(),
        }),
      ),
    }),
  ),
});

/** A session that can be read. */
const listedSession = jsonDocument('ctx/session', {
  file: z.string(),
  id: z.string(),
  /** Of the format, 1 to 3; null for a value that is no number. */
  version: z.nullable(z.number()),
  /** The name that the user gave; null without one. */
  name: z.nullable(z.string()),
  /** The name, else the first words of the user. */
  title: z.string(),
  /** The working directory; null if it is not recorded. */
  cwd: z.nullable(z.string()),
  /** The last change of the file: UTC, as ISO 8601. */
  modified: z.string(),
  /** In bytes. */
  size: z.int(),
  /** Of all branches. */
  entries: z.int(),
  /** The newest model of the active path; null if none is recorded. */
  model: z.nullable(z.object({ provider: z.optional(z.string()), modelId: z.optional(z.string()) })),
  /** The size of the context at the active leaf. */
  contextTokens: z.number(),
  /** `recorded` if a provider counted all of it. */
  contextTokensSource: z.enum(['recorded', 'estimated']),
  /** Recorded, in dollars, of all branches. */
  cost: z.nullable(z.number()),
  /** Of calls without a recorded cost, at the listed prices of their models. */
  costListed: z.nullable(z.number()),
  /** The file or id of the session that it was forked from; null without one. */
  parentSession: z.nullable(z.string()),
  /** The agent that wrote it, such as `claude-code`, if it is not Pi. */
  agent: z.optional(z.string()),
  /** The number of damaged places in the file. */
  problems: z.int(),
});

export type ListedSession = z.infer<typeof listedSession>;

/** One line of `ctx ls`. */
export const sessionLine = z.union([
  listedSession,
  jsonDocument('ctx/session', {
    file: z.string(),
    modified: z.string(),
    size: z.int(),
    /** The reason why it cannot be listed. */
    error: z.string(),
  }),
]);
