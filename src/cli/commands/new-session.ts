import { CtxError } from '#base/errors.js';
import { formatResumeCommand, toShellWord } from '#base/visible.js';
import { pluralize } from '#base/words.js';
import { buildImportSource } from '#change/migrate/import-session.js';
import { isOld, planMigration } from '#change/migrate/plan-migration.js';
import { assertAppendable, refuseAgentFile } from '#change/plan/appendable.js';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import type { Plan } from '#change/plan/plan.js';
import { applyPlan } from '#change/write/apply-plan.js';
import { type OpenSession, toOpenSession } from '#context/open.js';
import { type FilePart, writeNewFile, writeTogether } from '#platform/files/write-together.js';
import type { Files, Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/bytes.js';
import { describeVersion } from '#session/scan/header.js';
import { readSession } from '#session/session.js';
import { type Block, line } from '#ui/doc/doc.js';
import { startProgress } from '../sessions/progress.js';
import { renderNote } from './apply/plan-view.js';
import type { PLANNING_FLAGS } from './apply/plan.js';
import type { Outcome, SessionOpener } from './define.js';
import type { FlagValues } from './flags.js';
import { openSessionFile } from './session.js';

type PlanningFlags = Partial<FlagValues<typeof PLANNING_FLAGS>>;
type NewSessionFlags = Pick<PlanningFlags, 'output' | 'dry-run' | 'force'>;

/** The new file; null: nothing is written. */
export function outputFile({ output, 'dry-run': isDry }: NewSessionFlags): string | null {
  return isDry ? null : (output ?? null);
}

/** A new file, with the permissions of the session that it comes from. */
export function toNewFile(output: string, bytes: FilePart['bytes'], from: string, force = false): FilePart {
  return { file: output, options: { force, like: from === '-' ? null : from }, bytes };
}

/** Writes the new file that the flags name, if any. `check` throws if no file may appear. */
export async function writeNewSession(
  { files }: Pick<Io, 'files'>,
  flags: NewSessionFlags,
  { bytes, from, check }: { readonly bytes: FilePart['bytes']; readonly from: string; readonly check?: () => void },
): Promise<void> {
  const output = outputFile(flags);
  if (output !== null) await writeTogether(files.createNew, [toNewFile(output, bytes, from, flags.force)], check);
}

/** The new file and its size. */
export function renderOutput({ output, newSize }: { readonly output: string | null; readonly newSize: number }): Block {
  return line(output === null ? 'nothing was written' : `${output}: ${pluralize(newSize, 'byte')}`);
}

/** How Pi continues a new session; nothing for standard output. The line is never wrapped, so that it can be copied. */
export function renderResume(output: string | null): readonly Block[] {
  return output === null || output === '-' ? [] : [{ kind: 'whole', text: `resume: ${formatResumeCommand(output)}` }];
}

/** Returns a function that throws a CtxError (refused) if another program has written to a session since. */
export function createUnchangedCheck({ files }: Pick<Io, 'files'>, file: string): () => void {
  const modified = files.modified(file);
  return () => {
    if (files.modified(file) === modified) return;
    throw new CtxError('refused', 'another process is writing to the session; nothing was written', {
      where: file,
      hint: 'let Pi end first, then try again',
    });
  };
}

/**
 * The file of lost bytes next to a new session; null: nothing is lost. With `--force`, the file of an earlier run is
 * emptied then. Throws a CtxError (usage) if the output is standard output.
 */
export function findDiscardedFile(
  { files }: Pick<Io, 'files'>,
  output: string,
  { lost, force = false }: { readonly lost: readonly unknown[]; readonly force?: boolean | undefined },
): string | null {
  const file = `${output}.lost`;
  if (lost.length === 0) return force && files.exists(file) ? file : null;
  if (output !== '-') return file;
  throw new CtxError('usage', 'damaged bytes are kept in a file next to the new one', {
    where: '--output -',
    hint: 'name a file',
  });
}

/** Whether a file exists and has exactly the bytes of a source. */
export async function hasSameBytes(
  files: Pick<Files, 'exists' | 'open'>,
  file: string,
  source: ByteSource,
): Promise<boolean> {
  if (!files.exists(file)) return false;
  try {
    const there = await files.open(file);
    try {
      return haveEqualBytes(there, source);
    } finally {
      there.close();
    }
  } catch (error) {
    // A folder, say.
    if (error instanceof CtxError) return false;
    throw error;
  }
}

function haveEqualBytes(one: ByteSource, other: ByteSource): boolean {
  if (one.size !== other.size) return false;
  for (let at = 0; at < one.size; at += PIECE_BYTES) {
    const end = Math.min(at + PIECE_BYTES, one.size);
    if (Buffer.compare(one.read(at, end), other.read(at, end)) !== 0) return false;
  }
  return true;
}

const PIECE_BYTES = 1 << 20;

/** The bytes of a source in pieces, each valid until the next one; shows the progress. */
export async function* readWrittenPieces(io: Io, source: ByteSource): AsyncGenerator<Uint8Array> {
  await using progress = startProgress(io, Math.ceil(source.size / PIECE_BYTES), 'MB written');
  for (let at = 0; at < source.size; at += PIECE_BYTES) {
    yield source.read(at, Math.min(at + PIECE_BYTES, source.size));
    progress.step();
  }
}

/** A session that entries are planned for. */
export interface SessionToPlan extends OpenSession {
  /** Notes about the conversion in memory; only for a session of an older version or of another agent. */
  readonly migration?: readonly string[];
  /** The line of the file that a line of the import comes from; null for a new entry. Only for another agent's session. */
  recordedLine?(line: number): number | null;
}

type Target = Pick<PlanningFlags, 'dry-run' | 'output' | 'force' | 'plan'>;

/**
 * Opens a session to plan entries for it. One of version 1 or 2 is migrated in memory, as Pi does when it opens it.
 * Throws a CtxError (refused) if the entries would be appended to such a file, now or by a saved plan, for a session
 * that cannot be appended to, and for a new file that cannot be written.
 */
export async function openToPlan(opener: SessionOpener, file: string, target: Target): Promise<SessionToPlan> {
  const session = await openSessionFile(opener, file);
  const planned = await inCurrentFormat(session, target);
  assertAppendable(planned);
  await assertWritable(opener.io, file, target);
  return planned;
}

/** A plan may take long, or pay a model, so a file that it cannot be written to is found before. */
async function assertWritable({ files }: Io, from: string, target: Target): Promise<void> {
  const file = target.plan ?? outputFile(target) ?? '-';
  if (file === '-') return;
  const { options } = toNewFile(file, [], from, target.force);
  (await files.createNew(file, options)).abandon();
}

/** Saves a plan as JSON, for `ctx apply`. */
export async function savePlan({ files }: Pick<Io, 'files'>, file: string, plan: Plan, force = false): Promise<void> {
  const { options } = toNewFile(file, [], plan.session.file, force);
  await writeNewFile(files.createNew, file, `${JSON.stringify(plan, null, 2)}\n`, options);
}

/**
 * Adds to an outcome of doing nothing the file that the flags name, because a script reads it next: a plan without
 * entries, or a copy of the session. An exit code of 1 already tells the script that there is none.
 */
export async function addRequestedFile(
  io: Io,
  {
    outcome,
    session,
    command,
  }: { readonly outcome: Outcome; readonly session: SessionToPlan; readonly command: string },
  flags: PlanningFlags,
): Promise<Outcome> {
  const { plan: saved, force } = flags;
  const file = saved ?? outputFile(flags);
  if (file === null || outcome.kind !== 'report' || outcome.exitCode === 1) return outcome;
  const plan = buildPlan(buildDraft(session, []), command);
  if (saved !== undefined) await savePlan(io, saved, plan, force);
  else await applyPlan(io, plan, { output: file, force, source: session.migration && session.source });
  const { data, doc } = outcome.report;
  const told = saved === undefined ? `${file} is a copy of the session` : `the plan in ${file} appends nothing`;
  return { ...outcome, report: { data, doc: (view) => [...doc(view), renderNote(told)] } };
}

function inCurrentFormat(session: OpenSession, target: Target): Promise<SessionToPlan> | SessionToPlan {
  const { foreign } = session;
  if (foreign) return imported(session, foreign, target);
  return isOld(session) ? migrated(session, target) : session;
}

async function imported(
  session: OpenSession,
  foreign: NonNullable<OpenSession['foreign']>,
  { 'dry-run': isDry, output, plan }: Target,
): Promise<SessionToPlan> {
  if (!(isDry || output !== undefined) || plan !== undefined) refuseAgentFile(session);
  const { close, file, problems } = session;
  const { source, recordedLine, results } = buildImportSource(session);
  const moved = results.moved === 0 ? '' : `, with ${pluralize(results.moved, 'result')} moved to the calls`;
  const migration = [`the session of ${foreign.title} was imported in memory${moved}`, ...copyRemark(output)];
  return {
    ...(await toOpenSession(readSession(source, file), source)),
    foreign,
    close,
    problems,
    migration,
    recordedLine,
  };
}

/** The problems stay those of the file, whose lines they name. */
async function migrated(session: OpenSession, { 'dry-run': isDry, output, plan }: Target): Promise<SessionToPlan> {
  const isCopy = isDry || output !== undefined;
  if (!isCopy || plan !== undefined) throw neverAppendedTo(session);
  const { result, lost } = planMigration(session, { compactions: null });
  const { close, file, header, problems } = session;
  const migration = [
    `the session is of ${describeVersion(header.version)}, and was migrated to version 3 in memory`,
    ...copyRemark(output),
    ...(lost.length > 0 ? [`${pluralize(lost.length, 'damaged line')} of it cannot be migrated: see ctx check`] : []),
  ];
  return { ...(await toOpenSession(readSession(result, file), result)), close, problems, migration };
}

/** How to write what is planned for a session that is never appended to. */
function copyRemark(output: string | undefined): readonly string[] {
  return output === undefined ? ['the file itself is never appended to: --output NEW.jsonl writes a copy'] : [];
}

function neverAppendedTo({ file, header }: OpenSession): CtxError {
  const output = file === '-' ? 'NEW.jsonl' : `${file.replace(/\.jsonl$/, '')}.v3.jsonl`;
  return new CtxError('refused', `a session of ${describeVersion(header.version)} is never appended to`, {
    where: file,
    hint: `migrate it first: ctx migrate ${toShellWord(file)} --output ${toShellWord(output)}`,
  });
}
