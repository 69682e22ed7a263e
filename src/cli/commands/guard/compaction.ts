import { auditLoss } from '#analysis/loss/audit.js';
import type { JsonObject } from '#base/json.js';
import { formatBytes, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { formatTime } from '#base/time.js';
import { toVisibleLine } from '#base/visible.js';
import { buildFactsDocument } from '#change/prune/facts-document.js';
import { findCompactionInForce } from '#change/revert/changes-in-force.js';
import { openSession, type OpenSession, withSession } from '#context/open.js';
import { countMessageTokens } from '#context/size/tokens.js';
import type { Io } from '#platform/io.js';
import { isCompaction } from '#session/tree/compaction.js';
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
      input.event === 'PreCompact' ? saveFacts(io, input) : compareAfter(io, input, flags.restore ?? null),
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

async function compareAfter(io: Io, input: HookInput, restore: number | null): Promise<JsonObject | null> {
  const file = findRecordFile(io, input.sessionId);
  const before = file === null ? null : readCompactionRecord(io, file);
  // Most events come without a compaction since, and read nothing more.
  if (file === null || before === null) return null;
  if (before.lost?.length === 0) return null;
  const isCall = input.event === 'PostToolUse';
  if (before.lost === null && isCall && before.checks >= MOST_CHECKS) return null;
  const lost = before.lost ?? (await readSession(io, input, (session) => listLostInstructions(session, before)));
  if (lost === null) {
    if (isCall) await writeCompactionRecord(io, file, { ...before, checks: before.checks + 1 });
    return null;
  }
  const fitting = restore === null || before.isRestored ? [] : chooseFitting(lost, restore);
  const gives = fitting.length > 0 && TAKES_CONTEXT.has(input.event);
  const tells = lost.length > 0 && !before.isTold;
  if (before.lost !== null && !tells && !gives) return null;
  const isTold = before.isTold || tells;
  await writeCompactionRecord(io, file, { ...before, lost, isTold, isRestored: before.isRestored || gives });
  const additionalContext = formatRestored(fitting);
  return {
    ...(tells && { systemMessage: describeLost(lost, input, { restored: fitting.length, isNow: gives }) }),
    ...(gives && { hookSpecificOutput: { hookEventName: input.event, additionalContext } }),
  };
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
  return activePath(session.tree).filter((head) => isCompaction(session, head)).length;
}

/** The instructions of the user that the newest summary does not mention; null if no compaction followed what was saved. */
function listLostInstructions(session: OpenSession, before: CompactionRecord): readonly string[] | null {
  const at = countCompactions(session) > before.compactions ? findCompactionInForce(session) : null;
  if (at === null) return null;
  const { facts } = auditLoss({ session }, at);
  const lost = facts.filter((fact) => LOST_CLASSES.has(fact.class) && fact.mention === 'missing');
  return [...new Set(lost.map(({ text }) => toVisibleLine(text)))];
}

/** The statements that only the user can repeat. */
const LOST_CLASSES: ReadonlySet<string> = new Set(['instructions', 'corrections']);

/** The number of instructions that a message names. */
const MOST_NAMED = 3;

function describeLost(
  lost: readonly string[],
  { transcript }: HookInput,
  { restored, isNow }: { readonly restored: number; readonly isNow: boolean },
): string {
  const named = lost.slice(0, MOST_NAMED).map((text) => `"${text}"`);
  const more = lost.length > MOST_NAMED ? [`${lost.length - MOST_NAMED} more`] : [];
  const when = `back with ${isNow ? 'this' : 'a later'} event`;
  const all = `for all losses: ctx loss ${toShellWord(transcript ?? 'latest')}`;
  const some = `The model gets the newest ${pluralize(restored, 'instruction')} ${when}. Repeat the others that still count`;
  const given = restored === lost.length ? `The model gets them ${when}.` : `${some}; ${all}`;
  const next = restored > 0 ? given : `Repeat those that still count; ${all}`;
  return `ctx: the summary lacks ${pluralize(lost.length, 'instruction')} of yours: ${[...named, ...more].join(', ')}. ${next}`;
}

const INTRODUCTION = 'Earlier instructions of the user, which the summary of the conversation does not mention:';

/** The newest instructions that fit, in their order. */
function chooseFitting(lost: readonly string[], tokens: number): readonly string[] {
  const fits = (texts: readonly string[]): boolean =>
    countMessageTokens({ role: 'user', content: formatRestored(texts), timestamp: 0 }) <= tokens;
  let first = lost.length;
  while (first > 0 && fits(lost.slice(first - 1))) first -= 1;
  return lost.slice(first);
}

function formatRestored(texts: readonly string[]): string {
  return [INTRODUCTION, ...texts.map((text) => `- ${text}`)].join('\n');
}
