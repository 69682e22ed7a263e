import { auditLoss, auditPath, buildEmptyLoss } from '#analysis/loss/audit.js';
import type { LossDocument, LostEntry } from '#analysis/loss/document.js';
import { isEncryptedSummary } from '#analysis/loss/hollow.js';
import type { InputRule } from '#analysis/loss/input-rule.js';
import { readSentMessage } from '#analysis/loss/lost-facts.js';
import { readSummaryAt } from '#analysis/loss/replacement.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { asString } from '#base/json.js';
import { toShellWord } from '#base/shell.js';
import { findCompactionInForce } from '#change/revert/changes-in-force.js';
import type { OpenSession } from '#context/open.js';
import { previewMessage } from '#context/words/message-text.js';
import { findCopier } from '#session/agents/index.js';
import { formatId, type Head } from '#session/heads/head.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { resolvePath, resolveRevision } from '#session/tree/revision.js';
import { type CommandInput, defineCommand, type Outcome, toOutcome } from '../define.js';
import { textFlag, toggleFlag } from '../flags.js';
import { openNamedSession, sessionArgument } from '../session.js';
import { failOnFlag, isLost } from './fail-on.js';
import { listLosses } from './listed-losses.js';
import { renderQuestions } from './questions-view.js';
import { askQuestions, questionFlags } from './questions.js';
import type { BranchSummary } from './view-parts.js';
import { renderLoss } from './view.js';

const FLAGS = {
  full: toggleFlag('list every entry in no summary, and every missing fact; in JSON, all entries and facts'),
  all: toggleFlag('list what each compaction of the path removed'),
  'fail-on': failOnFlag,
  pi: textFlag('VERSION', 'the version of Pi that compacted (default: from the date of the compaction)'),
  ...questionFlags,
};

export default defineCommand({
  name: 'loss',
  summary: 'Show what a compaction lost',
  description:
    'Accounts for every message before a compaction made by Pi or by ctx: kept, summarised, edited out, or in no ' +
    'summary. Then searches the summary for the instructions, decisions, errors, files and results in the removed messages, ' +
    'by their words, names and paths. Changes no session. With --questions it asks what the summary answers.',
  args: [
    sessionArgument,
    {
      name: 'rev',
      help: 'the compaction, or an entry after it (default: the newest one that was not undone)',
      isRevision: true,
    },
  ],
  flags: FLAGS,
  takesRedact: { excludes: ['questions'] },
  examples: [
    'ctx loss session.jsonl',
    "ctx loss session.jsonl '@{compaction}' --full",
    'ctx loss session.jsonl --all',
    'ctx loss latest --fail-on no-summary,edits',
    "ctx loss session.jsonl --questions questions.jsonl --model-command 'llm -m gpt-5-mini'",
  ],
  async run(input) {
    const { args, flags } = input;
    const session = await openNamedSession(input, args[0]);
    const at = findCompaction(session, args[1]);
    return flags.questions === undefined
      ? showLoss(input, session, at)
      : examineSummary(input, session, at, flags.questions);
  },
});

type Input = CommandInput<typeof FLAGS>;

/** The compaction to look at, or an entry after it; null if there is none that was not undone. */
function findCompaction(session: OpenSession, revision: string | undefined): Head | null {
  if (revision === undefined) return findCompactionInForce(session);
  const head = resolveRevision(session, revision);
  if (head) return head;
  throw new CtxError('usage', 'the session is empty', { where: session.file, hint: 'name another one' });
}

async function examineSummary(
  { io, flags }: Input,
  session: OpenSession,
  at: Head | null,
  questions: string,
): Promise<Outcome> {
  const data = await askQuestions(io, session, at, { ...flags, questions });
  const view = { isFull: flags.full ?? false, boundaryName: nameBoundary(session, data.boundary) };
  return toOutcome({ data, doc: () => renderQuestions(data, view) }, session, data.failed > 0 ? 1 : 0);
}

function showLoss({ args, flags }: Input, session: OpenSession, at: Head | null): Outcome {
  const [sessionName = 'latest', revision] = args;
  const { full: isFull = false, all: isAll = false } = flags;
  const audit = { session, rule: flags.pi === undefined ? undefined : readInputRule(flags.pi) };
  const ofCompaction = at ? auditLoss(audit, at) : buildEmptyLoss(session);
  const { path } = resolvePath(session, revision);
  const isOfPath = revision === undefined || isAll;
  const loss = isOfPath ? { ...ofCompaction, path: auditPath(audit, path, isAll) } : ofCompaction;

  const failed = (flags['fail-on'] ?? []).filter((name) => isLost(loss, name));
  const isEncrypted = hasEncryptedSummary(session, loss);
  const view = {
    isFull,
    previewOf: (entry: Place) => previewEntry(session, entry),
    name: toShellWord(sessionName),
    failed,
    isEncrypted,
    undoable: isUndoable(session) ? (loss.boundary?.entryId ?? null) : null,
    boundaryName: loss.boundary === null ? '' : nameBoundary(session, loss.boundary),
    branchSummaries: listBranchSummaries(session, path),
  };
  const item = { data: isFull ? loss : listLosses(loss), doc: () => renderLoss(loss, view) };
  const problems = isEncrypted ? [...session.problems, ENCRYPTED] : session.problems;
  // Other commands have details only of problems of the file.
  const file = session.problems.length === 0 ? undefined : session.file;
  return { kind: 'single', item, problems, file, exitCode: failed.length > 0 ? 1 : 0 };
}

function listBranchSummaries(session: OpenSession, path: readonly Head[]): readonly BranchSummary[] {
  return path.flatMap((head) => {
    if (head.type !== 'branch_summary') return [];
    const fromId = asString(session.entry(head)['fromId']);
    return [{ entryId: formatId(head.id), fromId: session.tree.heads.has(fromId) ? fromId : null }];
  });
}

/** Since 0.63.1, Pi includes the retained tail of the previous compaction in the summary. */
function readInputRule(version: string): InputRule {
  const [, major, minor, patch] = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?/.exec(version) ?? [];
  if (major === undefined) {
    throw new CtxError('usage', `"${version}" is not a version`, { hint: 'write it as 0.58.3 or 1.5' });
  }
  const number = Number(major) * 1e12 + Number(minor) * 1e6 + Number(patch ?? 0);
  return number < 63e6 + 1 ? 'after-compaction' : 'kept-boundary';
}

/** `context_transform` is a word of Pi's format, by which other agents have compactions. */
function nameBoundary({ agent }: OpenSession, { type }: { readonly type: string | null }): string {
  return agent || type === 'compaction' ? 'compaction' : 'transform';
}

/** Whether `ctx revert` takes back a compaction: in a session of Pi, or in a copy that the agent resumes. */
function isUndoable(session: OpenSession): boolean {
  return !session.agent || (!session.agent.isSubagent && findCopier(session) !== null);
}

const ENCRYPTED: Problem = buildWarning(
  'encrypted-summary',
  'the summary is encrypted: whether it has the facts is unknown, and JSON has them as missing',
);

function hasEncryptedSummary(session: OpenSession, { boundary }: LossDocument): boolean {
  const head = session.agent && boundary ? findHeadAtLine(session, boundary.line) : null;
  return head ? isEncryptedSummary(readSummaryAt(session, head)) : false;
}

type Place = Pick<LostEntry, 'line' | 'entryId'>;

function previewEntry(session: OpenSession, { line: place, entryId }: Place): string {
  const head = findHeadAtLine(session, place, entryId);
  if (!head) return '';
  const message = readSentMessage(session, head);
  return message ? previewMessage(message) : (asString(session.entry(head).summary) ?? head.type ?? '');
}
