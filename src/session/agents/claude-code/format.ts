import { join } from 'node:path';
import type { Problem } from '#base/errors.js';
import { asCount, asObject, type JsonObject } from '#base/json.js';
import { formatHexId } from '../../heads/id-index.js';
import { VALUE_KIND, valueKindOf } from '../../scan/field-layout.js';
import type { LineSpan } from '../../scan/lines.js';
import { buildPiHeader, buildSpanProblem } from '../blocks.js';
import { type AgentFormat, type AgentLines, type AgentSession, type SessionWindow } from '../define.js';
import { buildEntries } from './build.js';
import { findFirstRead, LiveChain } from './chain.js';
import { buildClaudeAnswer } from './content.js';
import type { ClaudeEntry } from './entries.js';
import { Answers } from './families.js';
import { type Boundary, CLAUDE_FIELD, CLAUDE_LAYOUT, KNOWN_TEXT, KNOWN_TEXTS, RECORD_TYPE } from './fields.js';
import { TreeGrowth } from './grow.js';
import { NONE } from './links.js';
import { findNotices } from './notices.js';
import { ClaudeRecords } from './records.js';
import { Shape } from './shape.js';
import { Writer } from './writer.js';

/** Reads a session file of Claude Code, or one of its subagents. */
function read(lines: AgentLines, file: string): AgentSession {
  const valueOf = (span: LineSpan): JsonObject => lines.valueAt(span);
  const records = new ClaudeRecords(lines.table(CLAUDE_LAYOUT, KNOWN_TEXTS), valueOf);
  const start = findFirstRead(records);
  const live = new LiveChain(records, start);
  const shape = new Shape(records, new Answers(records, start), live.activeLines(), start);
  const growth = new TreeGrowth(records, shape, new Writer(records, valueOf));
  const { leaf, problems } = findActiveLeaf(growth, records, live);
  const { entries } = growth.writer;
  return {
    header: headerIn(records, file),
    isSubagent: records.agentId !== null,
    ...(file.endsWith('.jsonl') ? { subagentFolder: join(file.slice(0, -'.jsonl'.length), 'subagents') } : {}),
    version: records.version,
    contextWindow: windowIn(records, valueOf),
    clientTotals: records.clientTotals,
    entries: buildEntries(entries),
    hasMessageTimes: true,
    leafId: leaf && formatHexId(leaf.id),
    unusedLines: records.table.objects - entries.countUsedLines(),
    problems: [
      ...problems,
      ...problemsAt(records, records.collapses, 'collapsed'),
      ...problemsAt(records, [...records.lateReports.keys()], 'late-report'),
      ...problemsAt(records, [...new Set(growth.writer.leftOut)], 'left-out-call'),
    ],
    parts: partsOf(growth, records),
  };
}

const SUBAGENT = /^(.*?)([^/\\]+)[/\\]subagents[/\\](agent-[^/\\]+)\.jsonl$/;

function headerIn({ agentId, sessionId, originId, cwd, firstTimestamp }: ClaudeRecords, file: string): JsonObject {
  const [, folder, parent, agent] = SUBAGENT.exec(file) ?? [];
  const id = agent ?? (agentId === null ? sessionId : `agent-${agentId}`);
  const origin = agentId === null ? originId : sessionId;
  const parentSession = parent === undefined ? origin && `${origin}.jsonl` : `${folder}${parent}.jsonl`;
  return buildPiHeader({ id, timestamp: firstTimestamp, cwd, parentSession });
}

const PROBLEMS = {
  // The summaries with which the client replaces some messages (context collapse) are not replayed.
  collapsed: ['warning', 'the model saw a summary of some messages here, which are shown as they were before'],
  'late-report': [
    'warning',
    'the answer before this report is on no chain of parents: Claude Code sent it, and leaves it out once it resumes the session',
  ],
  'left-out-call': ['note', 'Claude Code leaves out a call without a result, or a result without a call before it'],
  'restated-context': [
    'note',
    'the kept messages are in an order that no path of the file has, so the context is repeated at the end',
  ],
} as const;

function problemsAt(
  { table }: ClaudeRecords,
  lines: readonly number[],
  code: keyof typeof PROBLEMS,
): readonly Problem[] {
  const [severity, message] = PROBLEMS[code];
  return lines.map((line) => buildSpanProblem(table.span(line), code, severity, message));
}

function partsOf({ writer: { sent }, shape }: TreeGrowth, records: ClaudeRecords): AgentSession['parts'] {
  const { attachments, others, types } = records;
  const attached = others.filter((line) => types[line] === RECORD_TYPE.attachment);
  const hasSnapshot = attached.some((line) => attachments.useOf(line) === 'snapshot');
  // Earlier versions do not record all that they tell the model, such as the date and the instructions of the project.
  const isExact = attachments.areRendered && !attached.some((line) => attachments.isApproximate(line));
  const isApproximate = !isExact || sent?.isApproximate === true;
  const prompt = hasSnapshot || records.requests.haveShapes ? 'recorded' : 'missing';
  return {
    system: prompt,
    tools: prompt,
    messages: isApproximate || records.collapses.length > 0 ? 'approximate' : 'recorded',
    compactions: 'recorded',
    usage: haveStopped(shape.answers, records) ? 'recorded' : 'approximate',
  };
}

/**
 * Whether every answer of a provider has the reason why it stopped. One without it was interrupted, or is of a version such
 * as 2.1.39, and has the usage that the provider sent at its beginning, with few of its output tokens.
 */
function haveStopped(answers: Answers, { table }: ClaudeRecords): boolean {
  const isMade = (line: number): boolean => table.textAt(line, CLAUDE_FIELD.model) === KNOWN_TEXT.synthetic;
  const hasReason = (line: number): boolean => valueKindOf(table.at(line, CLAUDE_FIELD.stopReason)) === VALUE_KIND.text;
  for (let answer = 0; answer < answers.count; answer += 1)
    if (!answers.lines(answer).some((line) => hasReason(line) || isMade(line))) return false;
  return true;
}

/** The active leaf, null if there is none. Its messages are those that the client reads when it resumes the session. */
function findActiveLeaf(
  growth: TreeGrowth,
  records: ClaudeRecords,
  live: LiveChain,
): { readonly leaf: ClaudeEntry | null; readonly problems: readonly Problem[] } {
  const { entries } = growth.writer;
  const found = live.tip();
  if (!found) return { leaf: entries.all.findLast(({ isReset }) => isReset) ?? null, problems: [] };
  const leaf = growth.findParent(found.tip, Infinity);
  const expected = listFirstRecords(records, live.messages(found.leaf, growth.shape.answers));
  if (haveSameMessages(records, listMessages(leaf), expected)) return { leaf, problems: [] };
  return { leaf: restate(growth, leaf, expected), problems: problemsAt(records, [found.leaf], 'restated-context') };
}

/** The records of the messages in the context at an entry. */
function listMessages(leaf: ClaudeEntry | null): readonly number[] {
  const path: ClaudeEntry[] = [];
  for (let entry = leaf; entry; entry = entry.parent) path.push(entry);
  path.reverse();
  const at = path.findLastIndex(({ isReset }) => isReset);
  const reset = path[at];
  const start = reset?.kept ? path.indexOf(reset.kept) : at;
  const kept = reset ? path.slice(start, at).filter(({ isReset }) => !isReset) : [];
  const inside = reset ? [reset, ...kept, ...path.slice(at + 1)] : path;
  return [...new Set(inside.map(({ message }) => message).filter((record) => record !== NONE))];
}

/** The messages among records, without the later lines of an answer, which are parts of its message. */
function listFirstRecords(records: ClaudeRecords, lines: readonly number[]): readonly number[] {
  const seen = new Set<number>();
  return lines.filter((line) => {
    if (!records.isMessage(line)) return false;
    const answer = records.answer(line);
    if (answer !== 0 && seen.has(answer)) return false;
    seen.add(answer);
    return true;
  });
}

function haveSameMessages(records: ClaudeRecords, one: readonly number[], other: readonly number[]): boolean {
  const keyOf = (line: number): number => records.answer(line) || records.uuid(line);
  return one.length === other.length && one.every((line, at) => keyOf(line) === keyOf(other[at] ?? NONE));
}

/**
 * Repeats the messages at the end, for a file whose boundaries keep messages in an order that no path of the tree has.
 */
function restate(
  { writer, shape }: TreeGrowth,
  leaf: ClaudeEntry | null,
  expected: readonly number[],
): ClaudeEntry | null {
  const { entries } = writer;
  const [first] = expected;
  const last = entries.all.reduce((line, { lines }) => Math.max(line, lines[0] ?? NONE), NONE);
  if (first === undefined || last === NONE) return leaf;
  entries.moveTo(last);
  let tail = writer.reset(leaf, first);
  for (const record of expected) {
    const answer = shape.answerOf(record);
    tail = writer.write(tail, record, answer === NONE ? undefined : shape.answers.lines(answer)) ?? tail;
  }
  return tail;
}

/** The two context windows that models of Claude have, in tokens. */
const LARGE_WINDOW = 1_000_000;
const SMALL_WINDOW = 200_000;

/** The context window, if a file reveals it: by a model's name, or by the size at which a compaction began. */
function windowIn(records: ClaudeRecords, valueOf: (span: LineSpan) => JsonObject): SessionWindow | null {
  if (modelsIn(records).some((model) => model.endsWith('[1m]'))) return { tokens: LARGE_WINDOW, source: 'recorded' };
  const boundaries = [...records.boundaries.values()];
  const isAbove = ({ tokensBefore }: Boundary): boolean => (tokensBefore ?? 0) > SMALL_WINDOW;
  if (boundaries.some(isAbove)) return { tokens: LARGE_WINDOW, source: 'assumed' };
  const isFull = boundaries.some(({ isAutomatic, tokensBefore }) => isAutomatic && tokensBefore);
  const isSmall = isFull || (isSmallByDefault(records) && lastTokens(records, valueOf) <= SMALL_WINDOW);
  return isSmall ? { tokens: SMALL_WINDOW, source: 'assumed' } : null;
}

/** Whether a version uses the small window for every model of Claude, unless the user chose the large one: before 2.1.75. */
function isSmallByDefault(records: ClaudeRecords): boolean {
  const [major = NaN, minor = NaN, patch = NaN] = (records.version || '-').split('.').map(Number);
  const isEarly = major < 2 || (major === 2 && (minor < 1 || (minor === 1 && patch < 75)));
  return isEarly && modelsIn(records).every((model) => model.includes('claude'));
}

/** The recorded size after the last answer of a provider; 0 if there is none. */
function lastTokens(records: ClaudeRecords, valueOf: (span: LineSpan) => JsonObject): number {
  const { table, types } = records;
  const last = types.findLastIndex((_, line) => records.isAnswer(line));
  if (last === NONE) return 0;
  const usage = asObject(buildClaudeAnswer([valueOf(table.span(last))])['usage']);
  return asCount(usage['totalTokens']) ?? 0;
}

function modelsIn({ models, table }: ClaudeRecords): readonly string[] {
  return Array.from(models, (model) => table.text(model));
}

/** Claude Code: one JSON record a line, a tree by `uuid` and `parentUuid`. */
export const claudeCode: AgentFormat = {
  name: 'claude-code',
  title: 'Claude Code',
  detect: (first) => first.some(isRecord),
  folders: (env, home) => [`${env['CLAUDE_CONFIG_DIR'] || `${home}/.claude`}/projects`],
  isSession: (file) => file.endsWith('.jsonl') && !JOURNAL.test(file),
  notices: findNotices,
  read,
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
