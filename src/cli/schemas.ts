import type * as z from 'zod/mini';
import { cacheRequest, cacheSummary } from '#analysis/cache/document.js';
import { cacheSessions } from '#analysis/cache/sessions-document.js';
import { RULE_GROUPS } from '#analysis/check/define.js';
import { loadRules } from '#analysis/check/index.js';
import { diffDocument } from '#analysis/diff/document.js';
import { factsDocument } from '#analysis/facts/document.js';
import { lossDocument } from '#analysis/loss/document.js';
import { lossQuestions } from '#analysis/loss/exam-scores.js';
import { questionLine } from '#analysis/loss/question-file.js';
import { whyDocument } from '#analysis/loss/trace.js';
import { overhead } from '#analysis/overhead/document.js';
import { snapshot } from '#analysis/snapshot.js';
import { statsDocument } from '#analysis/stats/document.js';
import { writtenDocument } from '#change/plan/written-document.js';
import { pruneCheck } from '#change/prune/document.js';
import { gateRelief, gateSummary, gateTurn } from '#change/prune/gate/document.js';
import { statusDocument } from '#change/prune/gate/status-document.js';
import { strategies } from '#change/prune/strategies/index.js';
import { sessionEntry } from '#context/format/entries.js';
import { patch } from '#context/ops/index.js';
import { baselineSchema } from '#context/replay/content.js';
import { contextEnvelope } from '#context/replay/envelope.js';
import { assemblyDocument } from '#lab/assembly-document.js';
import { engineCheck } from '#lab/engine-check/document.js';
import { hookRequest, hookSummary } from '#lab/hooks/document.js';
import { simulation, simulationSummary } from '#lab/simulate/document.js';
import { sessionHeader } from '#session/format/entries.js';
import { printedPlan } from './commands/apply/document.js';
import { archiveDocument } from './commands/archive/document.js';
import { entryDocument } from './commands/cat/document.js';
import {
  checkConfig,
  checkDocument,
  checkFileLine,
  checkFindingLine,
  knownFindingsFile,
  recordedFindings,
  rulePage,
} from './commands/check/document.js';
import { compactionCheck } from './commands/compact/document.js';
import { candidatesDocument, completionDocument } from './commands/completion/document.js';
import { importDocument } from './commands/convert/document.js';
import { doctorDocument } from './commands/doctor/document.js';
import { exportDocument, exportFormatList } from './commands/export/document.js';
import { extractionDocument } from './commands/extract/document.js';
import { foundEntryLine } from './commands/find/document.js';
import { grepCountLine, grepMatchLine } from './commands/grep/document.js';
import { configurableWords } from './commands/index.js';
import { logEntryLine } from './commands/log/document.js';
import { sessionLine } from './commands/ls/document.js';
import { migrationDocument } from './commands/migrate/document.js';
import { strategyPage } from './commands/prune/document.js';
import { queryRowLine, tableList } from './commands/query/document.js';
import { redactionDocument } from './commands/redact/document.js';
import { repairDocument } from './commands/repair/document.js';
import { reportDocument } from './commands/report/document.js';
import { rpcAnswer, rpcRequest } from './commands/rpc/document.js';
import { envelopeLine, envelopeMessageLine } from './commands/show/document.js';
import { treeEntryLine } from './commands/tree/document.js';
import { trustDocument } from './commands/trust/document.js';
import { buildConfigSchema } from './config/schema.js';
import { copyDocument } from './copy/document.js';
import { versionDocument } from './help/document.js';
import { cutDocument } from './output/cut-document.js';
import { errorDocument } from './output/error-document.js';

/** The JSON that ctx prints and reads, by the name of its published JSON Schema. */
export const schemas = {
  envelope: contextEnvelope,
  'envelope-line': envelopeLine,
  message: envelopeMessageLine,
  'tree-entry': treeEntryLine,
  'log-entry': logEntryLine,
  session: sessionLine,
  'found-entry': foundEntryLine,
  'grep-match': grepMatchLine,
  'grep-count': grepCountLine,
  entry: entryDocument,
  check: checkDocument,
  'check-finding': checkFindingLine,
  'check-file': checkFileLine,
  doctor: doctorDocument,
  repair: repairDocument,
  migration: migrationDocument,
  extraction: extractionDocument,
  import: importDocument,
  archive: archiveDocument,
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
  config: buildConfigSchema({ rules: await loadRules(), groups: RULE_GROUPS, strategies, commands: configurableWords }),
  'check-config': checkConfig,
  rule: rulePage,
  'known-findings': knownFindingsFile,
  'recorded-findings': recordedFindings,
  diff: diffDocument,
  'cache-request': cacheRequest,
  'cache-sessions': cacheSessions,
  'cache-summary': cacheSummary,
  overhead,
  loss: lossDocument,
  'loss-questions': lossQuestions,
  'loss-question': questionLine,
  why: whyDocument,
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
  error: errorDocument,
  'rpc-request': rpcRequest,
  'rpc-answer': rpcAnswer,
  baseline: baselineSchema,
  snapshot,
  patch,
  plan: printedPlan,
  copy: copyDocument,
  written: writtenDocument,
  'session-header': sessionHeader,
  'session-entry': sessionEntry,
};

/** The JSON of a schema, by its name. */
export type JsonOf<Name extends keyof typeof schemas> = z.infer<(typeof schemas)[Name]>;
