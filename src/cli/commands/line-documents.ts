import * as z from 'zod/mini';
import { checkedFileDocument, findingDocument } from '#analysis/check/checked-file.js';
import { jsonDocument } from '#base/schema.js';

/** One line of `ctx show --each`. */
export const envelopeLine = jsonDocument('ctx/envelope-line', {
  /** The id of the entry; null if it has none. */
  entryId: z.nullable(z.string()),
  /** The line of the entry in the file, from 1. */
  line: z.int(),
  /** The type of the entry; null if it has none. */
  type: z.nullable(z.string()),
  /** The SHA-256 of the context after the entry, in hexadecimal digits. */
  envelopeSha256: z.string(),
  /** Estimated. */
  tokens: z.int(),
  /** How tokens are estimated. */
  tokenMethod: z.string(),
  /** The number of messages after the entry. */
  messages: z.int(),
});

/** One line of `ctx show --json` with a selection of messages. */
export const envelopeMessageLine = jsonDocument('ctx/message', {
  /** Counted from 1 in the order in which the model sees them. */
  number: z.int(),
  /** The entry that it comes from, such as a transform; null if that has no id. */
  entryId: z.nullable(z.string()),
  /** The line of that entry, from 1; null without one. */
  line: z.nullable(z.int()),
  /** The kind of entry that gave the message its content; null if that is unknown. */
  origin: z.nullable(z.enum(['entry', 'edit', 'compaction', 'transform'])),
  /** false: sent with this request only. */
  isCached: z.boolean(),
  /** Its share of the size of the context: see `composition` of the envelope. */
  tokens: z.int(),
  /** Estimated tokens of the message. */
  tokensEstimated: z.int(),
  /** The message as the model sees it. */
  message: z.record(z.string(), z.unknown()),
});

/** The id, parent and line of an entry. */
const placed = {
  /** The id of the entry; null if it has none. */
  entryId: z.nullable(z.string()),
  /** As it is in the file. */
  parentId: z.nullable(z.string()),
  /** The line of the entry in the file, from 1. */
  line: z.int(),
};

/** The type, role and time of an entry. */
const headed = {
  /** The type of the entry; null if it has none. */
  type: z.nullable(z.string()),
  /** The role of its message; null for other entries. */
  role: z.nullable(z.string()),
  /** UTC, as ISO 8601; null if it is not recorded. */
  time: z.nullable(z.string()),
};

/** One line of `ctx tree`: an entry, known by its head alone. Parents come before their children. */
export const treeEntryLine = jsonDocument('ctx/tree-entry', {
  ...placed,
  /** The first byte of the line in the file. */
  offset: z.int(),
  /** The bytes of the line. */
  length: z.int(),
  ...headed,
  /** 1 for a root of the output, one more for each printed ancestor. */
  depth: z.int(),
  /** The children that pass the filter, those included that `--depth` leaves out. */
  children: z.int(),
  /** Whether the entry is on the path to HEAD. */
  isActive: z.boolean(),
  /** Whether the entry is HEAD. */
  isLeaf: z.boolean(),
  /** Its newest label; null without one. */
  label: z.nullable(z.string()),
  /** The entry that a label or edit is about, or the first one that a compaction keeps. */
  target: z.nullable(z.string()),
});

/** Tokens as a provider counted them, and the cost in dollars. */
const recordedUsage = z.object({
  /** Uncached tokens of the prompt. */
  input: z.number(),
  /** Tokens of the answer. */
  output: z.number(),
  /** Tokens of the prompt that were read from the cache. */
  cacheRead: z.number(),
  /** Tokens of the prompt that were written to the cache. */
  cacheWrite: z.number(),
  /** All tokens, as recorded. */
  total: z.number(),
  /** Dollars; null if it is not recorded. */
  cost: z.nullable(z.number()),
  /** No count of the call is recorded: the numbers follow from totals of the session that are. */
  isDerived: z.optional(z.literal(true)),
});

/** One line of `ctx log`. */
export const logEntryLine = jsonDocument('ctx/log-entry', {
  ...placed,
  ...headed,
  /** The tool of a tool result; null for other entries, or if it is not recorded. */
  toolName: z.nullable(z.string()),
  /** Whether the call of a tool result failed; null for other entries. */
  isError: z.nullable(z.boolean()),
  /**
   * Of the message that the entry adds, in the unit of `contextTokens`, which grows by them. Where it did not grow by
   * anything like the estimate, and off the path, the scaled estimate.
   */
  tokens: z.nullable(z.int()),
  /** The estimate, at four characters for each token. */
  tokensEstimated: z.nullable(z.int()),
  /** Of the context after the entry: the last recorded request, and a calibrated estimate of what came since; null off the path that is logged. */
  contextTokens: z.nullable(z.int()),
  /** `recorded`: a provider counted all of `contextTokens`. */
  contextTokensSource: z.nullable(z.enum(['recorded', 'estimated'])),
  /** Recorded, of the provider call; null without one. */
  usage: z.nullable(recordedUsage),
  /** Recorded, in dollars, of all calls of the entry; null if none records a cost. */
  cost: z.nullable(z.number()),
  /** Dollars at the prices of Pi's list, of calls without a recorded cost; null without one, or without a known price. */
  costListed: z.nullable(z.number()),
  /** Its newest label; null without one. */
  label: z.nullable(z.string()),
  /** The content on one line, shortened. */
  preview: z.string(),
  /** Whether the entry is on the path to HEAD. */
  isActive: z.boolean(),
});

/** The output of `ctx cat --json`. */
export const entryDocument = jsonDocument('ctx/entry', {
  /** The id of the entry; null if it has none. */
  entryId: z.nullable(z.string()),
  /** The line of the entry in the file, from 1. */
  line: z.int(),
  /** Of the line, in bytes of the file. */
  offset: z.int(),
  /** The bytes of the line. */
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
  /** The type of that entry; null without one. */
  type: z.nullable(z.string()),
  /** The role of its message, else its type; `system` or `tool` for a system part or tool of the context. */
  name: z.string(),
  /** The name of that system part or tool. */
  part: z.nullable(z.string()),
  /** The role of its message; null without one. */
  role: z.nullable(z.string()),
};

/** One line of `ctx grep`. */
export const grepMatchLine = jsonDocument('ctx/grep-match', {
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
  /** The end of the match in `text`, in UTF-16 code units. */
  end: z.int(),
  /** Whether the context contains the match; null if it cannot be replayed. */
  isVisible: z.nullable(z.boolean()),
  /** The entry of the path that hid it from the model; null if none did, or if that is unknown. */
  hiddenBy: z.nullable(z.object({ entryId: z.nullable(z.string()), type: z.nullable(z.string()) })),
  /** With `--context`. */
  before: z.exactOptional(z.array(z.string())),
  /** The lines after it, with `--context`. */
  after: z.exactOptional(z.array(z.string())),
});

/** One line of `ctx grep --count`. */
export const grepCountLine = jsonDocument('ctx/grep-count', {
  ...searched,
  /** The number of matches in the entry, part or tool. */
  matches: z.int(),
});

/** The output of `ctx check --json`. */
export const checkDocument = jsonDocument('ctx/check', {
  /** In the order of the command line. */
  files: z.array(checkedFileDocument),
  /** Sums over all files. */
  totals: z.object({
    /** The number of files. */
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
  ...findingDocument.shape,
});

/** One line of `ctx check --format ndjson`, for each file after its findings. */
export const checkFileLine = jsonDocument('ctx/check-file', {
  ...z.omit(checkedFileDocument, { findings: true }).shape,
});

/** A line of `ctx query --json` for each row. */
export const queryRowLine = jsonDocument('ctx/query-row', {
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
