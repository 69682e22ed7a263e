import path from 'node:path';
import type { Problem } from '#base/errors.js';
import { asObject, asString, isObject, type JsonObject } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { buildPiHeader, buildSpanProblem } from '../blocks.js';
import type { AgentFormat, AgentLines, AgentSession, SessionWindow } from '../define.js';
import { codexWriter } from './conversation-writer.js';
import { findCopies } from './copied-records.js';
import { codexCopier } from './copier.js';
import { summarizeCounts } from './counts.js';
import { RolloutEntries } from './entries.js';
import { listDynamicTools } from './messages.js';
import { historyBaseOf, isRolloutHeader } from './record-payload.js';
import { readRecords, type RolloutPart, type RolloutRecord } from './records.js';
import { findParentThread, findSubagentRole, isSpawned } from './threads.js';
import { findCodexUnportable } from './unportable.js';

/** Codex: one record a line, a list whose newest turns can be rolled back. */
export const codex: AgentFormat = {
  name: 'codex',
  title: 'Codex',
  knownVersions: ['0.31', '1.19'],
  detect: (first) => first.some((line) => isRolloutHeader(line) || isRecord(line)),
  folders(env, home) {
    const root = env['CODEX_HOME'] || path.join(home, '.codex');
    return [path.join(root, 'sessions'), path.join(root, 'archived_sessions')];
  },
  sessionVariable: 'CODEX_THREAD_ID',
  copier: codexCopier,
  writer: codexWriter,
  findUnportable: findCodexUnportable,
  isSession: (file) => /^rollout-.*\.jsonl$/.test(path.basename(file)),
  firstPlace(session) {
    const name = path.basename(session);
    const [, year, month, day] = /^rollout-(\d{4})-(\d\d)-(\d\d)T/.exec(name) ?? [];
    return year === undefined || month === undefined || day === undefined
      ? null
      : path.join('sessions', year, month, day, name);
  },
  read,
};

const RECORD_TYPES: ReadonlySet<unknown> = new Set(['response_item', 'event_msg', 'turn_context', 'compacted']);

function isRecord({ type, payload }: JsonObject): boolean {
  return RECORD_TYPES.has(type) && isObject(payload);
}

/** Reads all records before it builds entries: an answer ends at its token count, which is searched for first. */
function read(lines: AgentLines, file: string): AgentSession {
  const { records, parts } = readRecords(lines);
  const [first] = parts;
  const { meta } = parts.at(-1) ?? first;
  const id = asString(meta['id']) ?? readFileId(file);
  const summary = summarizeCounts(records);
  const entries = new RolloutEntries(records, first, summary, id, findCopies(records, parts));
  const used = records.filter((record) => entries.take(record)).length;
  return {
    header: buildPiHeader({
      id,
      timestamp: asString(meta['timestamp']),
      cwd: meta['cwd'],
      parentSession: findParentThread(meta),
    }),
    isSubagent: isSpawned(meta),
    subagentKind: findSubagentRole(meta),
    branchAt: () => asString(asObject(meta['git'])['branch']),
    version: asString(meta['cli_version']),
    contextWindow: findContextWindow(records),
    entries: entries.entries,
    leafId: entries.leafId,
    hasMessageTimes: true,
    unusedLines: records.length - used,
    problems: [...listMissingHistory(first), ...listRedacted(records)],
    parts: {
      system: rateInstructions(parts),
      tools: parts.some((part) => listDynamicTools(part.meta['dynamic_tools']).length > 0) ? 'approximate' : 'missing',
      messages: historyBaseOf(first.meta) ? 'approximate' : 'recorded',
      compactions: 'recorded',
      usage: summary.hasUsage ? 'recorded' : 'missing',
    },
  };
}

/** The window in the newest count or estimate that has one. */
function findContextWindow(records: readonly RolloutRecord[]): SessionWindow | null {
  for (const { content } of records.toReversed()) {
    const isCount = content.kind === 'count' || content.kind === 'estimate';
    if (isCount && content.window !== null) return { tokens: content.window, source: 'recorded' };
  }
  return null;
}

/** The name of a rollout ends with the id of its thread. */
function readFileId(file: string): string {
  const name = path.basename(file).replace(/\.jsonl$/, '');
  return /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.exec(name)?.[0] ?? name;
}

/** Codex may leave out sections of a model's own instructions, such as those for a tool that is off. */
function rateInstructions(parts: readonly RolloutPart[]): AgentSession['parts']['system'] {
  const base = parts.map(({ meta }) => meta['base_instructions']).findLast(isObject);
  if (!base) return 'missing';
  return asObject(base['provenance'])['type'] === 'model' ? 'approximate' : 'recorded';
}

function listMissingHistory({ meta, header }: RolloutPart): readonly Problem[] {
  const base = historyBaseOf(meta);
  if (base === null) return [];
  const rollout = asString(base['thread_id']) ?? 'without an id';
  const message = `this history begins in another rollout, which was not found, or lacks the place: ${rollout}`;
  return [{ code: 'history-elsewhere', severity: 'warning', message, line: header?.line ?? 1, entryId: null }];
}

/** One note for a file that was shared without the encrypted originals of its reasoning. */
function listRedacted(records: readonly RolloutRecord[]): readonly Problem[] {
  const redacted = records.filter(({ content }) => content.kind === 'item' && content.isRedacted);
  const [first] = redacted;
  if (!first) return [];
  const items = `the encrypted original of ${pluralize(redacted.length, 'item')} of reasoning was removed from this file`;
  const message = `${items}: it was sent to the model, and is not counted`;
  return [buildSpanProblem(first, 'redacted-reasoning', 'note', message)];
}
