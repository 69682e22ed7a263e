import { CtxError } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { readForCopy, type SessionToCopy } from '#change/copy/session-to-copy.js';
import { buildImportSource } from '#change/migrate/import-session.js';
import { isOld, planMigration } from '#change/migrate/plan-migration.js';
import { assertAppendable, refuseAgentFile } from '#change/plan/appendable.js';
import type { Draft } from '#change/plan/draft.js';
import type { Plan } from '#change/plan/plan.js';
import { type OpenSession, toOpenSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Io } from '#platform/io.js';
import type { AgentCopier } from '#session/agents/copier.js';
import { findCopier } from '#session/agents/index.js';
import { readSession } from '#session/read-session.js';
import { describeVersion } from '#session/scan/header.js';
import type { Session } from '#session/session.js';
import type { SessionOpener } from './define.js';
import { readOutputFile, toNewFile } from './new-session.js';
import { openSessionFile } from './session.js';

/** A session that entries are planned for: one in the format of Pi, or that of an agent which resumes copies. */
export type SessionToPlan = PiSession | SessionToCopy;

/**
 * A session in the current format of Pi: the file itself, or what one of an older version or another agent is in
 * memory.
 */
export interface PiSession extends OpenSession {
  readonly copier?: undefined;
  /** Notes about the conversion in memory; only for a session of an older version or of another agent. */
  readonly migration?: readonly string[];
  /**
   * The line of the file that a line of the import comes from; null for a new entry. Only for another agent's session.
   */
  recordedLine?(line: number): number | null;
}

/** A plan and its draft. A saved plan may describe an earlier state of the session. */
export interface DraftedPlan<Planned extends SessionToPlan = SessionToPlan> {
  readonly session: Planned;
  readonly draft: Draft;
  readonly plan: Plan;
}

/** The context with the line of the other agent's file at which it is; null for a new entry. */
export function toRecordedLines(envelope: ContextEnvelope, { recordedLine }: SessionToPlan): ContextEnvelope {
  const { at } = envelope;
  const line = at.line === null ? null : (recordedLine?.(at.line) ?? null);
  return { ...envelope, at: { ...at, line } };
}

/** The flags that say where the entries go. */
interface Target {
  readonly 'dry-run'?: boolean | undefined;
  readonly output?: string | undefined;
  readonly force?: boolean | undefined;
  readonly plan?: string | undefined;
  readonly install?: boolean | undefined;
  /** The form of the entries of Pi. */
  readonly as?: string | undefined;
}

/**
 * Opens a session to plan entries for it. One of version 1 or 2 is migrated in memory, as Pi does when it opens it.
 * Throws a CtxError (refused) if the entries would be appended to such a file, now or by a saved plan, for a session
 * that cannot be appended to, and for a new file that cannot be written.
 */
export async function openToPlan(opener: SessionOpener, file: string, target: Target): Promise<SessionToPlan> {
  const session = await openSessionFile(opener, file);
  const planned = await bringToCurrentFormat(session, target);
  assertAppendable(planned);
  await assertWritable(opener.io, file, target);
  return planned;
}

/** A plan may take long, or pay a model, so a file that it cannot be written to is found before. */
async function assertWritable({ files }: Io, from: string, target: Target): Promise<void> {
  const file = target.plan ?? readOutputFile(target) ?? '-';
  if (file === '-') return;
  const { options } = toNewFile(file, [], from, target.force);
  (await files.createNew(file, options)).abandon();
}

function bringToCurrentFormat(session: OpenSession, target: Target): Promise<SessionToPlan> | SessionToPlan {
  const { agent } = session;
  const copier = findCopier(session);
  if (copier) return openToCopy(session, copier, target);
  if (target.install) throw buildNotInstalledError(session);
  if (agent) return planImport(session, agent, target);
  return isOld(session) ? planMigrated(session, target) : session;
}

/**
 * The error for a copy that no agent looks for: ctx appends to a session of Pi, and writes no copies for some agents.
 */
export function buildNotInstalledError({ agent, file }: Pick<Session, 'agent' | 'file'>): CtxError {
  if (!agent) {
    return new CtxError('usage', '--install is for sessions of Claude Code and Codex, and this one is of Pi', {
      where: file,
      hint: 'leave it out: ctx appends to a session of Pi, and --output FILE writes a new one',
    });
  }
  return new CtxError('refused', `ctx writes no sessions of ${agent.title}, only those of Claude Code, Codex and Pi`, {
    where: file,
    hint: `make a session of Pi, which can be changed: ctx convert ${toShellWord(file)} --to pi --output NEW.jsonl`,
  });
}

/**
 * Opens another agent's session to plan a copy of it. Throws a CtxError: refused if no place is named, since the file is never
 * changed, and for a subagent, whose session no client resumes; usage for the form of entries of Pi.
 */
export function openToCopy(session: OpenSession, copier: AgentCopier, target: Target): Promise<SessionToCopy> {
  assertCopied(session, target);
  return readForCopy(session, copier);
}

/**
 * Throws a CtxError (refused) if no new file is wanted, since the file of another agent is never changed, and for a subagent,
 * whose session no client resumes.
 */
export function assertCopied(session: OpenSession, target: Target): void {
  const { agent, file } = session;
  const title = agent?.title ?? 'the agent';
  if (agent?.isSubagent) {
    throw new CtxError('refused', `${title} does not resume the session of a subagent`, {
      where: file,
      hint: 'name the session that started it',
    });
  }
  if (target.as !== undefined) {
    throw new CtxError('usage', `--as has no meaning for a session of ${title}`, {
      where: file,
      hint: 'leave it out: a copy has the records of its agent',
    });
  }
  const { 'dry-run': isDry, install, output, plan } = target;
  if (isDry || install || output !== undefined || plan !== undefined) return;
  throw new CtxError('refused', `a session of ${title} is never written to`, {
    where: file,
    hint: `write a copy of it: --install puts it where ${title} looks for sessions, --output FILE elsewhere`,
  });
}

async function planImport(
  session: OpenSession,
  agent: NonNullable<OpenSession['agent']>,
  { 'dry-run': isDry, output, plan }: Target,
): Promise<PiSession> {
  if (!(isDry || output !== undefined) || plan !== undefined) refuseAgentFile(session);
  const { close, file, problems } = session;
  const { source, recordedLine, results } = buildImportSource(session);
  const moved = results.moved === 0 ? '' : `, with ${pluralize(results.moved, 'result')} moved to the calls`;
  const migration = [`the session of ${agent.title} was imported in memory${moved}`, ...copyRemark(output)];
  return {
    ...(await toOpenSession(readSession(source, file))),
    agent,
    close,
    problems,
    migration,
    recordedLine,
  };
}

/** The problems stay those of the file, whose lines they name. */
async function planMigrated(session: OpenSession, { 'dry-run': isDry, output, plan }: Target): Promise<PiSession> {
  const isCopy = isDry || output !== undefined;
  if (!isCopy || plan !== undefined) throw buildNeverAppendedToError(session);
  const { result, lost } = planMigration(session, { compactions: null });
  const { close, file, header, problems } = session;
  const migration = [
    `the session is of ${describeVersion(header.version)}, and was migrated to version 3 in memory`,
    ...copyRemark(output),
    ...(lost.length > 0 ? [`${pluralize(lost.length, 'damaged line')} of it cannot be migrated: see ctx check`] : []),
  ];
  return { ...(await toOpenSession(readSession(result, file))), close, problems, migration };
}

/** How to write what is planned for a session that is never appended to. */
function copyRemark(output: string | undefined): readonly string[] {
  return output === undefined ? ['the file itself is never appended to: --output NEW.jsonl writes a copy'] : [];
}

function buildNeverAppendedToError({ file, header }: OpenSession): CtxError {
  const output = file === '-' ? 'NEW.jsonl' : `${file.replace(/\.jsonl$/, '')}.v3.jsonl`;
  return new CtxError('refused', `a session of ${describeVersion(header.version)} is never appended to`, {
    where: file,
    hint: `migrate it first: ctx migrate ${toShellWord(file)} --output ${toShellWord(output)}`,
  });
}
