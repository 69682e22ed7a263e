import * as z from 'zod/mini';
import { breakEvenDocument } from '#analysis/cache/break-even.js';
import { cacheRequest, cacheSummary } from '#analysis/cache/document.js';
import { RULE_GROUPS } from '#analysis/check/define.js';
import { loadRules } from '#analysis/check/index.js';
import { diffDocument } from '#analysis/diff/document.js';
import { factsDocument } from '#analysis/facts/facts.js';
import { lossDocument } from '#analysis/loss/document.js';
import { snapshot } from '#analysis/snapshot.js';
import { statsDocument } from '#analysis/stats/document.js';
import { jsonDocument } from '#base/schema.js';
import { planDocument, writtenDocument } from '#change/plan/plan.js';
import { pruneCheck, pruneDocument } from '#change/prune/document.js';
import { gateRelief, gateSummary, gateTurn, statusDocument } from '#change/prune/gate/document.js';
import { strategies } from '#change/prune/strategies/index.js';
import { sessionEntry } from '#context/format/entries.js';
import { sessionHeader } from '#session/format/entries.js';
import { patch } from '#context/ops/index.js';
import { baselineSchema } from '#context/replay/content.js';
import { contextEnvelope } from '#context/replay/envelope.js';
import { assemblyDocument } from '#engines/assembly-document.js';
import { engineCheck } from '#engines/check/check.js';
import { hookRequest, hookSummary } from '#engines/hooks/document.js';
import { simulation, simulationSummary } from '#engines/simulate/document.js';
import { knownFindingsFile } from './commands/check/baseline.js';
import { commandNames } from './commands/index.js';
import {
  checkDocument,
  checkFileLine,
  checkFindingLine,
  entryDocument,
  envelopeLine,
  envelopeMessageLine,
  grepCountLine,
  grepMatchLine,
  logEntryLine,
  queryRowLine,
  tableList,
  treeEntryLine,
} from './commands/line-documents.js';
import { sessionLine } from './commands/ls/document.js';
import {
  candidatesDocument,
  compactionCheck,
  completionDocument,
  exportDocument,
  exportFormatList,
  extractionDocument,
  importDocument,
  migrationDocument,
  redactionDocument,
  repairDocument,
  reportDocument,
  trustDocument,
  versionDocument,
} from './commands/report-documents.js';
import { rpcAnswer, rpcRequest } from './commands/rpc/document.js';
import { checkConfig, recordedFindings, rulePage, strategyPage } from './config/report-schemas.js';
import { buildConfigSchema } from './config/schema.js';
import { cutDocument } from './cut-output.js';

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
const printedPlan = z.extend(planDocument, {
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
  message: envelopeMessageLine,
  'tree-entry': treeEntryLine,
  'log-entry': logEntryLine,
  session: sessionLine,
  'grep-match': grepMatchLine,
  'grep-count': grepCountLine,
  entry: entryDocument,
  check: checkDocument,
  'check-finding': checkFindingLine,
  'check-file': checkFileLine,
  repair: repairDocument,
  migration: migrationDocument,
  extraction: extractionDocument,
  import: importDocument,
  redaction: redactionDocument,
  export: exportDocument,
  'export-formats': exportFormatList,
  cut: cutDocument,
  'query-row': queryRowLine,
  tables: tableList,
  report: reportDocument,
  version: versionDocument,
  trust: trustDocument,
  completion: completionDocument,
  candidates: candidatesDocument,
  config: buildConfigSchema({ rules: await loadRules(), groups: RULE_GROUPS, strategies, commands: COMMAND_WORDS }),
  'check-config': checkConfig,
  rule: rulePage,
  'known-findings': knownFindingsFile,
  'recorded-findings': recordedFindings,
  diff: diffDocument,
  'cache-request': cacheRequest,
  'cache-summary': cacheSummary,
  loss: lossDocument,
  ledger: factsDocument,
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
  baseline: baselineSchema,
  snapshot,
  patch,
  plan: printedPlan,
  written: writtenDocument,
  'session-header': sessionHeader,
  'session-entry': sessionEntry,
};

/** The JSON of a schema, by its name. */
export type JsonOf<Name extends keyof typeof schemas> = z.infer<(typeof schemas)[Name]>;
