import { join } from 'node:path';
import type { JsonObject } from '#base/json.js';
import { formatHexId, NONE } from '../../heads/id-index.js';
import { VALUE_KIND, valueKindOf } from '../../scan/field-layout.js';
import type { LineSpan } from '../../scan/lines.js';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentLines, AgentSession } from '../define.js';
import { doubtParts, isVersionWithin } from '../versions.js';
import { findContextWindow } from './context-window.js';
import { findActiveLeaf } from './entries/active-leaf.js';
import { buildEntries } from './entries/agent-entries.js';
import { EntryTree } from './entries/entry-tree.js';
import { EntryWriter } from './entries/entry-writer.js';
import { findNotices } from './notices.js';
import { listProblemsAt } from './problems.js';
import { CLAUDE_FIELD, CLAUDE_LAYOUT, KNOWN_TEXT, KNOWN_TEXTS, RECORD_TYPE } from './records/fields.js';
import { type FileFacts, readTextUpTo } from './records/file-facts.js';
import { ClaudeRecords } from './records/records.js';
import { claudeRetention } from './retention.js';
import { Answers } from './tree/answers.js';
import { findFirstRead, LiveChain } from './tree/live-chain.js';
import { RecordTree } from './tree/record-tree.js';
import { SentOrder } from './tree/sent-order.js';
import { findClaudeUnportable } from './unportable.js';
import { claudeWriter } from './write/conversation-writer.js';
import { claudeCopier } from './write/copier.js';

/** Reads a session file of Claude Code, or one of its subagents. */
function read(lines: AgentLines, file: string): AgentSession {
  const valueOf = (span: LineSpan): JsonObject => lines.valueAt(span);
  const records = new ClaudeRecords(lines.readFields(CLAUDE_LAYOUT, KNOWN_TEXTS), valueOf);
  const start = findFirstRead(records);
  const live = new LiveChain(records, start);
  const recordTree = new RecordTree(records, live.findTip()?.tip ?? NONE, start);
  const sent = new SentOrder(records, recordTree, new Answers(records, start));
  const writer = new EntryWriter(records, valueOf);
  const tree = new EntryTree(records, recordTree, sent, writer);
  const { leaf, problems } = findActiveLeaf(tree, records, live, sent.answers);
  const { entries } = writer;
  const parts = rateParts(records, sent.answers, writer.requests?.isApproximate === true);
  return {
    header: buildHeader(records.file, file),
    isSubagent: records.file.agentId !== null,
    ...(file.endsWith('.jsonl') ? { subagentFolder: join(file.slice(0, -'.jsonl'.length), 'subagents') } : {}),
    version: records.file.version,
    branchAt: (line) => readTextUpTo(records.fields, line, CLAUDE_FIELD.branch),
    versionAt: (line) => readTextUpTo(records.fields, line, CLAUDE_FIELD.version),
    contextWindow: findContextWindow(records, valueOf),
    clientTotals: records.effects.clientTotals,
    entries: buildEntries(entries),
    hasMessageTimes: true,
    leafId: leaf && formatHexId(leaf.id),
    unusedLines: records.fields.objects - entries.countUsedLines(),
    problems: [
      ...problems,
      ...listProblemsAt(records, records.effects.collapses, 'collapsed'),
      ...listProblemsAt(records, records.effects.contextRefs, 'inherited-context'),
      ...listProblemsAt(records, [...records.lateReports.keys()], 'late-report'),
      ...listProblemsAt(records, [...new Set(writer.leftOut)], 'left-out-call'),
    ],
    parts: isKnown(records.file.version) ? parts : doubtParts(parts),
  };
}

const SUBAGENT = /^(.*?)([^/\\]+)[/\\]subagents[/\\](agent-[^/\\]+)\.jsonl$/;

function buildHeader({ agentId, sessionId, originId, cwd, firstTimestamp }: FileFacts, file: string): JsonObject {
  const [, folder, parent, agent] = SUBAGENT.exec(file) ?? [];
  const id = agent ?? (agentId === null ? sessionId : `agent-${agentId}`);
  const origin = agentId === null ? originId : sessionId;
  const parentSession = parent === undefined ? origin && `${origin}.jsonl` : `${folder}${parent}.jsonl`;
  return buildPiHeader({ id, timestamp: firstTimestamp, cwd, parentSession });
}

/** Some files do not record which version wrote them. */
function isKnown(version: string | null): boolean {
  return version === null || isVersionWithin(version, KNOWN_VERSIONS);
}

/** The first and the last version whose rules for requests are known. */
const KNOWN_VERSIONS = ['0.2', '2.1'] as const;

/** `areUnknownSent`: the messages of some requests are recorded, but not found. */
function rateParts(records: ClaudeRecords, answers: Answers, areUnknownSent: boolean): AgentSession['parts'] {
  const { attachments, others, types } = records;
  const attached = others.filter((line) => types[line] === RECORD_TYPE.attachment);
  const hasSnapshot = attached.some((line) => attachments.useOf(line) === 'snapshot');
  // Earlier versions do not record all that they tell the model, such as the date and the instructions of the project.
  const isExact = attachments.areRendered && !attached.some((line) => attachments.isApproximate(line));
  const { collapses, contextRefs } = records.effects;
  const isApproximate = !isExact || areUnknownSent || collapses.length > 0 || contextRefs.length > 0;
  const prompt = hasSnapshot || records.requests.haveShapes ? 'recorded' : 'missing';
  return {
    system: prompt,
    tools: prompt,
    messages: isApproximate ? 'approximate' : 'recorded',
    compactions: 'recorded',
    usage: haveStopReasons(answers, records) ? 'recorded' : 'approximate',
  };
}

/**
 * Whether every answer of a provider has the reason why it stopped. An answer without it was interrupted, or comes from
 * a version such as 2.1.39. Its usage is then the one that the provider sent at its beginning, with few of its output
 * tokens.
 */
function haveStopReasons(answers: Answers, { fields }: ClaudeRecords): boolean {
  const isMade = (line: number): boolean => fields.textAt(line, CLAUDE_FIELD.model) === KNOWN_TEXT.synthetic;
  const hasReason = (line: number): boolean =>
    valueKindOf(fields.at(line, CLAUDE_FIELD.stopReason)) === VALUE_KIND.text;
  for (let answer = 0; answer < answers.count; answer += 1) {
    if (!answers.lines(answer).some((line) => hasReason(line) || isMade(line))) return false;
  }
  return true;
}

/** Claude Code: one JSON record a line, a tree by `uuid` and `parentUuid`. */
export const claudeCode: AgentFormat = {
  name: 'claude-code',
  title: 'Claude Code',
  detect: (first) => first.some(isRecord),
  folders: (env, home) => [`${env['CLAUDE_CONFIG_DIR'] || `${home}/.claude`}/projects`],
  sessionVariable: 'CLAUDE_CODE_SESSION_ID',
  isSession: (file) => file.endsWith('.jsonl') && !JOURNAL.test(file),
  retention: claudeRetention,
  sideFolders: (session) => (session.endsWith('.jsonl') ? [session.slice(0, -'.jsonl'.length)] : []),
  notices: findNotices,
  read,
  copier: claudeCopier,
  writer: claudeWriter,
  findUnportable: findClaudeUnportable,
};

/** The log of a workflow, beside the sessions of its agents. */
const JOURNAL = /[/\\]workflows[/\\](?:[^/\\]+[/\\])*journal\.jsonl$/;

/** Types of records without a place in the tree that may come first. */
const FIRST_TYPES: ReadonlySet<unknown> = new Set([
  'file-history-snapshot',
  'queue-operation',
  'last-prompt',
  'custom-title',
  'ai-title',
  'agent-name',
  'permission-mode',
  'mode',
]);

function isRecord(line: JsonObject): boolean {
  if ('parentUuid' in line && typeof line['uuid'] === 'string') return true;
  if (line['type'] === 'summary' && typeof line['leafUuid'] === 'string') return true;
  return FIRST_TYPES.has(line['type']) && !('id' in line) && !('payload' in line);
}
