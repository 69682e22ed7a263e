import * as z from 'zod/mini';
import { breakEvenDocument } from '#analysis/cache/break-even.js';
import { cacheRequest, cacheSummary } from '#analysis/cache/document.js';
import { GROUPS } from '#analysis/check/define.js';
import { loadRules } from '#analysis/check/index.js';
import { diffDocument } from '#analysis/diff/document.js';
import { ledgerDocument } from '#analysis/ledger/ledger.js';
import { lossDocument } from '#analysis/loss/document.js';
import { snapshot } from '#analysis/snapshot.js';
import { statsDocument } from '#analysis/stats/document.js';
import { jsonDocument } from '#base/schema.js';
import { plan, written } from '#change/plan/plan.js';
import { pruneCheck, pruneDocument } from '#change/prune/document.js';
import { gateRelief, gateSummary, gateTurn, statusDocument } from '#change/prune/gate/document.js';
import { strategies } from '#change/prune/strategies/index.js';
import { sessionEntry, sessionHeader } from '#context/format/entries.js';
import { patch } from '#context/ops/index.js';
import { baseline } from '#context/replay/content.js';
import { contextEnvelope } from '#context/replay/envelope.js';
import { assemblyDocument } from '#engines/assembly-document.js';
import { engineCheck } from '#engines/check/check.js';
import { hookRequest, hookSummary } from '#engines/hooks/document.js';
import { simulation, simulationSummary } from '#engines/simulate/document.js';
import { knownFindings } from './commands/check/baseline.js';
import { commandNames } from './commands/index.js';
import {
  checkFileLine,
  checkFindingLine,
  checkReport,
  entryReport,
  envelopeLine,
  envelopeMessage,
  grepCount,
  grepMatch,
  logEntry,
  queryRow,
  tableList,
  treeEntry,
} from './commands/line-documents.js';
import { sessionLine } from './commands/ls/document.js';
import {
  candidatesReport,
  compactionCheck,
  completionReport,
  exportFormatList,
  exportWritten,
  extractionReport,
  importReport,
  migrationReport,
  redactionReport,
  repairReport,
  reportWritten,
  trustDocument,
  versionReport,
} from './commands/report-documents.js';
import { rpcAnswer, rpcRequest } from './commands/rpc/document.js';
import { checkConfig, recordedFindings, rulePage, strategyPage } from './config/report-schemas.js';
import { configWith } from './config/schema.js';
import { cutLine } from './cut-output.js';

/** The keys of `defaults`: names of commands, and the words that subcommands share. */
const COMMAND_WORDS = [...new Set(commandNames.flatMap((name) => [name, name.replace(/ .*/, '')]))];

/** An error, as `--json` prints it on stderr. */
const errorReport = jsonDocument('ctx/error', {
  kind: z.enum(['usage', 'input', 'refused', 'bug']),
  what: z.string(),
  where: z.nullable(z.string()),
  hint: z.nullable(z.string()),
  exitCode: z.int(),
});

/** A plan: as `--plan` saves it, or as a dry run prints it, with its effects. Both can be applied. */
const printedPlan = z.extend(plan, {
  /** Of a dry run: the tokens that the change makes uncached, and those that it saves. */
  cache: z.exactOptional(breakEvenDocument),
  /** Of a dry run: the losses of a compaction; null for other plans. */
  loss: z.exactOptional(z.nullable(lossDocument)),
  /** Of a dry run of `ctx prune`: its decisions, message by message. */
  prune: z.exactOptional(pruneDocument),
  /** Of a dry run: sentences that the user should read. */
  notes: z.exactOptional(z.array(z.string())),
});

/** The JSON that ctx prints and reads, by the name of its published JSON Schema. */
export const schemas = {
  envelope: contextEnvelope,
  'envelope-line': envelopeLine,
  message: envelopeMessage,
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
  import: importReport,
  redaction: redactionReport,
  export: exportWritten,
  'export-formats': exportFormatList,
  cut: cutLine,
  'query-row': queryRow,
  tables: tableList,
  report: reportWritten,
  version: versionReport,
  trust: trustDocument,
  completion: completionReport,
  candidates: candidatesReport,
  config: configWith({ rules: await loadRules(), groups: GROUPS, strategies, commands: COMMAND_WORDS }),
  'check-config': checkConfig,
  rule: rulePage,
  'known-findings': knownFindings,
  'recorded-findings': recordedFindings,
  diff: diffDocument,
  'cache-request': cacheRequest,
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
  'rpc-request': rpcRequest,
  'rpc-answer': rpcAnswer,
  baseline,
  snapshot,
  patch,
  plan: printedPlan,
  written,
  'session-header': sessionHeader,
  'session-entry': sessionEntry,
};

/** The JSON of a schema, by its name. */
export type JsonOf<Name extends keyof typeof schemas> = z.infer<(typeof schemas)[Name]>;
