import type { JsonObject } from '#base/json.js';
import { formatBytes } from '#base/numbers.js';
import { formatTime } from '#base/time.js';
import { buildFactsDocument } from '#change/prune/facts-document.js';
import { openSession, type OpenSession, withSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { listCompactions } from '#session/tree/compaction.js';
import { activePath } from '#session/tree/tree.js';
import { defineCommand } from '../define.js';
import { positiveFlag } from '../flags.js';
import { answerHook } from './answer-hook.js';
import {
  type CompactionRecord,
  findRecordFile,
  readCompactionRecord,
  writeCompactionRecord,
} from './compaction-record.js';
import type { HookInput } from './hook-input.js';
import { chooseFitting, describeLost, formatRestored, listLostInstructions } from './lost-instructions.js';

const FLAGS = {
  restore: positiveFlag(
    'TOKENS',
    'give the lost instructions back to the model, in at most this many tokens, estimated',
  ),
};

export default defineCommand({
  name: 'guard compaction',
  summary: 'Save facts before a compaction, and name lost instructions',
  description:
    'A hook of Claude Code and Codex for the events PreCompact, PostCompact, SessionStart, UserPromptSubmit and PostToolUse. ' +
    'Before a compaction it saves the goal, constraints, decisions and tasks of the session in a file of yours. After it, the ' +
    'first event with the summary in the session names the instructions that the summary does not mention. With --restore ' +
    'the model gets them back, once. If the session cannot be read, the agent goes on.',
  args: [],
  flags: FLAGS,
  hasOneForm: true,
  examples: ['ctx guard compaction', 'ctx guard compaction --restore 500'],
  run({ io, flags }) {
    return answerHook(io, 'guard compaction', (input) =>
      input.event === 'PreCompact' ? saveFacts(io, input) : reportLosses(io, input, flags.restore ?? null),
    );
  },
});

/** The largest session that is read, in bytes: an agent waits for its hooks. */
const LARGEST_BYTES = 200e6;

async function saveFacts(io: Io, input: HookInput): Promise<null> {
  const file = findRecordFile(io, input.sessionId);
  if (file === null) throw new Error('there is no folder for the facts of this session');
  const record = await readSession(io, input, (session): CompactionRecord => {
    const compactions = countCompactions(session);
    const facts = buildFactsDocument(session);
    const savedAt = formatTime(io.now()) ?? '';
    return { savedAt, facts, compactions, checks: 0, lost: null, isTold: false, isRestored: false };
  });
  await writeCompactionRecord(io, file, record);
  return null;
}

/** Names the instructions that a compaction lost, and gives them back. null: there is nothing to say. */
async function reportLosses(io: Io, input: HookInput, restore: number | null): Promise<JsonObject | null> {
  const file = findRecordFile(io, input.sessionId);
  const record = file === null ? null : readCompactionRecord(io, file);
  if (file === null || record === null || !mayHaveLosses(record, input)) return null;
  const lost = record.lost ?? (await readSession(io, input, (session) => findLostSince(session, record)));
  if (lost === null) {
    if (isToolCall(input)) await writeCompactionRecord(io, file, { ...record, checks: record.checks + 1 });
    return null;
  }
  const restored = restore === null || record.isRestored ? [] : chooseFitting(lost, restore);
  const restoresNow = restored.length > 0 && TAKES_CONTEXT.has(input.event);
  const tellsNow = lost.length > 0 && !record.isTold;
  if (record.lost !== null && !tellsNow && !restoresNow) return null;
  const isTold = record.isTold || tellsNow;
  const isRestored = record.isRestored || restoresNow;
  await writeCompactionRecord(io, file, { ...record, lost, isTold, isRestored });
  const answer: Record<string, unknown> = {};
  if (tellsNow)
    answer.systemMessage = describeLost(lost, input.transcript, { restored: restored.length, isNow: restoresNow });
  if (restoresNow)
    answer.hookSpecificOutput = { hookEventName: input.event, additionalContext: formatRestored(restored) };
  return answer;
}

/** Whether to look for losses: most events come without a compaction since, and read nothing more. */
function mayHaveLosses({ lost, checks }: CompactionRecord, input: HookInput): boolean {
  if (lost !== null) return lost.length > 0;
  return !isToolCall(input) || checks < MOST_CHECKS;
}

function isToolCall({ event }: HookInput): boolean {
  return event === 'PostToolUse';
}

/** After a compaction that failed or was cancelled, no more calls of tools than these read the session for it. */
const MOST_CHECKS = 20;

/** The events after which an agent adds a text of a hook to the context. */
const TAKES_CONTEXT: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse']);

async function readSession<Result>(
  io: Io,
  { transcript }: HookInput,
  work: (session: OpenSession) => Result,
): Promise<Result> {
  if (transcript === null) throw new Error('the agent saves no session');
  if (io.files.isPipe(transcript)) throw new Error('the session is a pipe');
  const source = await io.files.open(transcript);
  source.close();
  if (source.size > LARGEST_BYTES) throw new Error(`the session is larger than ${formatBytes(LARGEST_BYTES)}`);
  return withSession(openSession(transcript, io.files), work);
}

function countCompactions(session: OpenSession): number {
  return listCompactions(session, activePath(session.tree)).length;
}

/** The instructions that were lost since a record was written; null if no compaction followed. */
function findLostSince(session: OpenSession, { compactions }: CompactionRecord): readonly string[] | null {
  return countCompactions(session) > compactions ? listLostInstructions(session) : null;
}
