import { CtxError } from '#base/errors.js';
import { shellWord } from '#base/visible.js';
import { plural } from '#base/words.js';
import { isOld, planMigration } from '#change/migrate/plan-migration.js';
import { importedSource, refuseForeignFile } from '#change/migrate/stock-entries.js';
import { assertAppendable } from '#change/plan/draft.js';
import { type OpenSession, ready } from '#context/open.js';
import { readSession } from '#session/session.js';
import type { Opener } from '../define.js';
import type { FlagValues } from '../flags.js';
import { openFile } from '../session.js';
import type { PLANNING_FLAGS } from './plan.js';

/** A session that entries are planned for. */
export interface SessionToPlan extends OpenSession {
  /** Notes about the conversion in memory; only for a session of an older version or of another agent. */
  readonly migration?: readonly string[];
}

type Target = Partial<Pick<FlagValues<typeof PLANNING_FLAGS>, 'dry-run' | 'output' | 'plan'>>;

/**
 * Opens a session to plan entries for it. One of version 1 or 2 is migrated in memory, as Pi does when it opens it.
 * Throws a CtxError (refused) if the entries would be appended to such a file, now or by a saved plan, and for a
 * session that cannot be appended to.
 */
export async function openToPlan(opener: Opener, file: string, target: Target): Promise<SessionToPlan> {
  const session = await openFile(opener, file);
  const planned = await inCurrentFormat(session, target);
  assertAppendable(planned);
  return planned;
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
  if (!(isDry || output !== undefined) || plan !== undefined) refuseForeignFile(session);
  const { close, file, problems } = session;
  const source = importedSource(session);
  const migration = [`the session of ${foreign.title} was imported in memory`];
  return { ...(await ready(readSession(source, file), source)), foreign, close, problems, migration };
}

/** The problems stay those of the file, whose lines they name. */
async function migrated(session: OpenSession, { 'dry-run': isDry, output, plan }: Target): Promise<SessionToPlan> {
  const isCopy = isDry || output !== undefined;
  if (!isCopy || plan !== undefined) throw neverAppendedTo(session);
  const { result, lost } = planMigration(session, { compactions: null });
  const { close, file, header, problems } = session;
  const migration = [
    `the session is of version ${header.version}, and was migrated to version 3 in memory`,
    ...(lost.length > 0 ? [`${plural(lost.length, 'damaged line')} of it cannot be migrated: see ctx check`] : []),
  ];
  return { ...(await ready(readSession(result, file), result)), close, problems, migration };
}

function neverAppendedTo({ file, header }: OpenSession): CtxError {
  const output = file === '-' ? 'NEW.jsonl' : `${file.replace(/\.jsonl$/, '')}.v3.jsonl`;
  return new CtxError('refused', `a session of version ${header.version} is never appended to`, {
    where: file,
    hint: `migrate it first: ctx migrate ${shellWord(file)} --output ${shellWord(output)}`,
  });
}
