import * as z from 'zod/mini';
import { GROUPS } from './checks/define.js';
import { loadRules } from './checks/index.js';
import { knownFindings } from './config/known-file.js';
import { checkConfig, recordedFindings, rulePage, strategyPage } from './config/report-schemas.js';
import { configWith } from './config/schema.js';
import { breakEvenDocument } from './cache/break-even.js';
import { cacheRequestLine, cacheSummary } from './cache/document.js';
import { baseline } from './context/baseline.js';
import { contextEnvelope } from './context/envelope.js';
import { checkReport, checkFindingLine, checkFileLine } from './documents/check.js';
import { compactionCheck } from './documents/compaction.js';
import { candidatesReport, completionReport } from './documents/completion.js';
import { extractionReport } from './documents/extraction.js';
import { migrationReport } from './documents/migration.js';
import { repairReport } from './documents/repair.js';
import { reportWritten } from './documents/report.js';
import { grepMatch, grepCount } from './documents/grep.js';
import { sessionLine } from './documents/sessions.js';
import { diffDocument } from './diff/document.js';
import { assemblyDocument } from './engines/document.js';
import { sessionEntry } from './format/entries.js';
import { sessionHeader } from './format/header.js';
import { engineCheck } from './engines/check-document.js';
import { hookRequest, hookSummary } from './hooks/document.js';
import { patch } from './ops/index.js';
import { ledgerDocument } from './ledger/document.js';
import { lossDocument } from './loss/document.js';
import { plan } from './plan/plan.js';
import { pruneCheck, pruneDocument } from './prune/document.js';
import { gateRelief, gateSummary, gateTurn, statusDocument } from './prune/gate-document.js';
import { strategies } from './prune/strategies/index.js';
import { written } from './plan/written.js';
import { simulation, simulationSummary } from './simulation/document.js';
import { snapshot } from './snapshot/snapshot.js';
import { statsDocument } from './stats/document.js';

/** One line of `ctx show --each`. */
const envelopeLine = z.object({
  schema: z.literal('ctx/envelope-line'),
  schemaVersion: z.literal(1),
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

/** A plan that is not carried out, with what it would cost; it can be applied as one that was saved. */
const dryRun = z.extend(plan, {
  cache: breakEvenDocument,
  /** What a compaction takes out of the context; null for what is none. */
  loss: z.nullable(lossDocument),
  /** What ctx prune does, message by message. */
  prune: z.exactOptional(pruneDocument),
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
  check: checkReport,
  'check-finding': checkFindingLine,
  'check-file': checkFileLine,
  repair: repairReport,
  migration: migrationReport,
  extraction: extractionReport,
  report: reportWritten,
  completion: completionReport,
  candidates: candidatesReport,
  config: configWith({ rules: await loadRules(), groups: GROUPS, strategies }),
  'check-config': checkConfig,
  rule: rulePage,
  'known-findings': knownFindings,
  'recorded-findings': recordedFindings,
  diff: diffDocument,
  'cache-request': cacheRequestLine,
  'cache-summary': cacheSummary,
  loss: lossDocument,
  ledger: ledgerDocument,
  stats: statsDocument,
  simulation,
  'simulation-summary': simulationSummary,
  'compaction-check': compactionCheck,
  'engine-check': engineCheck,
  'hook-request': hookRequest,
  'hook-summary': hookSummary,
  'prune-check': pruneCheck,
  status: statusDocument,
  'gate-turn': gateTurn,
  'gate-relief': gateRelief,
  'gate-summary': gateSummary,
  strategy: strategyPage,
  assembly: assemblyDocument,
  error: errorReport,
  baseline,
  snapshot,
  patch,
  plan,
  'dry-run': dryRun,
  written,
  'session-header': sessionHeader,
  'session-entry': sessionEntry,
};

export type EnvelopeLine = z.infer<typeof envelopeLine>;
export type TreeEntry = z.infer<typeof treeEntry>;
export type LogEntryLine = z.infer<typeof logEntry>;
export type SessionLine = z.infer<typeof sessionLine>;
export type GrepMatch = z.infer<typeof grepMatch>;
export type GrepCount = z.infer<typeof grepCount>;
export type EntryReport = z.infer<typeof entryReport>;
export type RepairReport = z.infer<typeof repairReport>;
export type ExtractionReport = z.infer<typeof extractionReport>;
export type CompletionReport = z.infer<typeof completionReport>;
export type CandidatesReport = z.infer<typeof candidatesReport>;
export type ReportWritten = z.infer<typeof reportWritten>;
export type MigrationReport = z.infer<typeof migrationReport>;
export type CheckReport = z.infer<typeof checkReport>;
export type CheckFindingLine = z.infer<typeof checkFindingLine>;
export type CheckFileLine = z.infer<typeof checkFileLine>;
export type CompactionCheck = z.infer<typeof compactionCheck>;
export type DryRun = z.infer<typeof dryRun>;
export type ErrorReport = z.infer<typeof errorReport>;
