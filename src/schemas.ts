import * as z from 'zod/mini';
import { baseline } from './context/baseline.js';
import { contextEnvelope } from './context/envelope.js';
import { patch } from './ops/index.js';

/** One line of `ctx show --each`. */
const envelopeLine = z.object({
  schema: z.literal('ctx/envelope-line'),
  schemaVersion: z.literal(1),
  entryId: z.nullable(z.string()),
  line: z.int(),
  type: z.nullable(z.string()),
  envelopeSha256: z.string(),
  tokens: z.int(),
  messages: z.int(),
});

/** One line of `ctx tree`: an entry, known by its head alone. Parents come before their children. */
const treeEntry = z.object({
  schema: z.literal('ctx/tree-entry'),
  schemaVersion: z.literal(1),
  entryId: z.nullable(z.string()),
  /** As it stands in the file. */
  parentId: z.nullable(z.string()),
  line: z.int(),
  offset: z.int(),
  length: z.int(),
  type: z.nullable(z.string()),
  role: z.nullable(z.string()),
  time: z.nullable(z.string()),
  /** 1 for a root of what is shown, one more for each entry above it that is shown. */
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
const logEntry = z.object({
  schema: z.literal('ctx/log-entry'),
  schemaVersion: z.literal(1),
  entryId: z.nullable(z.string()),
  /** As it stands in the file. */
  parentId: z.nullable(z.string()),
  line: z.int(),
  type: z.nullable(z.string()),
  role: z.nullable(z.string()),
  time: z.nullable(z.string()),
  /** Estimated, of the message that the entry adds. */
  tokens: z.nullable(z.int()),
  /** Estimated, of all messages in the context after the entry; null off the path that is logged. */
  contextTokens: z.nullable(z.int()),
  usage: z.nullable(recordedUsage),
  label: z.nullable(z.string()),
  preview: z.string(),
  isActive: z.boolean(),
});

/** One line of `ctx ls`. */
const sessionLine = z.union([
  z.object({
    schema: z.literal('ctx/session'),
    schemaVersion: z.literal(1),
    file: z.string(),
    id: z.string(),
    version: z.nullable(z.number()),
    name: z.nullable(z.string()),
    /** The name, else the first words of the user. */
    title: z.string(),
    cwd: z.nullable(z.string()),
    modified: z.string(),
    /** In bytes. */
    size: z.int(),
    entries: z.int(),
    model: z.nullable(z.object({ provider: z.optional(z.string()), modelId: z.optional(z.string()) })),
    contextTokens: z.number(),
    contextTokensSource: z.enum(['recorded', 'estimated']),
    /** Recorded, in dollars, of all branches. */
    cost: z.nullable(z.number()),
    parentSession: z.nullable(z.string()),
    /** How many places of the file are damaged. */
    problems: z.int(),
  }),
  z.object({
    schema: z.literal('ctx/session'),
    schemaVersion: z.literal(1),
    file: z.string(),
    modified: z.string(),
    size: z.int(),
    /** Why it cannot be listed. */
    error: z.string(),
  }),
]);

/** Where a text was found: an entry; of a system part or tool, the entry that declared it. */
const searched = {
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
const grepMatch = z.object({
  schema: z.literal('ctx/grep-match'),
  schemaVersion: z.literal(1),
  ...searched,
  /** Inside the entry or its message: `content[0].text`, `sections.rules`, `summary`. */
  place: z.string(),
  /** From 1, in the text at that place. */
  lineInText: z.int(),
  /** That line; of a line of more than 1000 characters, what is around the match. */
  text: z.string(),
  /** Where `text` begins in its line. */
  textStart: z.int(),
  /** Of the match in `text`, in UTF-16 code units. */
  start: z.int(),
  end: z.int(),
  /** Whether the context holds what was found; null where it cannot be replayed. */
  isVisible: z.nullable(z.boolean()),
  /** The entry of the path that took it out of sight; null where none did, or nobody can say. */
  hiddenBy: z.nullable(z.object({ entryId: z.nullable(z.string()), type: z.nullable(z.string()) })),
  /** With `--context`. */
  before: z.exactOptional(z.array(z.string())),
  after: z.exactOptional(z.array(z.string())),
});

/** One line of `ctx grep --count`. */
const grepCount = z.object({
  schema: z.literal('ctx/grep-count'),
  schemaVersion: z.literal(1),
  ...searched,
  matches: z.int(),
});

/** What `ctx cat --json` prints. */
const entryReport = z.object({
  schema: z.literal('ctx/entry'),
  schemaVersion: z.literal(1),
  entryId: z.nullable(z.string()),
  line: z.int(),
  /** Of the line, in bytes of the file. */
  offset: z.int(),
  length: z.int(),
  /** As version 3 has it, whatever the version of the file. */
  entry: z.record(z.string(), z.unknown()),
});

/** An error, as `--json` prints it on stderr. */
export const errorReport = z.object({
  schema: z.literal('ctx/error'),
  schemaVersion: z.literal(1),
  kind: z.enum(['usage', 'input', 'refused', 'bug']),
  what: z.string(),
  where: z.nullable(z.string()),
  hint: z.nullable(z.string()),
  exitCode: z.int(),
});

/** The JSON that ctx prints and reads, by the name of its published JSON Schema. */
export const schemas = {
  envelope: contextEnvelope,
  'envelope-line': envelopeLine,
  'tree-entry': treeEntry,
  'log-entry': logEntry,
  session: sessionLine,
  'grep-match': grepMatch,
  'grep-count': grepCount,
  entry: entryReport,
  error: errorReport,
  baseline,
  patch,
};

export type EnvelopeLine = z.infer<typeof envelopeLine>;
export type TreeEntry = z.infer<typeof treeEntry>;
export type LogEntryLine = z.infer<typeof logEntry>;
export type SessionLine = z.infer<typeof sessionLine>;
export type GrepMatch = z.infer<typeof grepMatch>;
export type GrepCount = z.infer<typeof grepCount>;
export type EntryReport = z.infer<typeof entryReport>;
export type ErrorReport = z.infer<typeof errorReport>;
