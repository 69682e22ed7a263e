import { toShellWord } from '#base/shell.js';
import { hashSource } from '#change/bytes/hash-source.js';
import type { Plan } from '#change/plan/plan.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { toNewFile } from '../new-session.js';
import type { DraftedPlan, SessionToPlan } from '../session-to-plan.js';

/** Saves a plan as JSON, for `ctx apply`. */
export async function savePlan(
  { files }: Pick<Io, 'files'>,
  file: string,
  { session, plan }: Pick<DraftedPlan, 'session' | 'plan'>,
  force = false,
): Promise<void> {
  const { options } = toNewFile(file, [], plan.session.file, force);
  const json = JSON.stringify(nameOriginal(plan, session), null, 2);
  await writeNewFile(files.createNew, file, `${json}\n`, options);
}

/** The plan names the file itself, also where the session lacks records of it. */
function nameOriginal(plan: Plan, session: SessionToPlan): Plan {
  if (!session.copier) return plan;
  const { original } = session;
  return { ...plan, session: { ...plan.session, size: original.size, sha256: hashSource(original) } };
}

export function describeSavedPlan(file: string, flags = ''): readonly string[] {
  return [`the plan is in ${file}`, `ctx apply ${toShellWord(file)}${flags} writes it`];
}
