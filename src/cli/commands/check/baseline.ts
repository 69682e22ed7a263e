import type { Settings } from '#analysis/check/check.js';
import { type CheckedFile, isUnreadable, type KnownFindings } from '#analysis/check/checked-file.js';
import { type Problem, warning } from '#base/errors.js';
import { plural } from '#base/words.js';
import { keyFor, knownText, readKnown } from '#cli/config/known-file.js';
import type { RecordedFindings } from '#cli/config/report-schemas.js';
import { writeWhole } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { line } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';

/** The findings of a session that do not count, by how the command line names it. */
export type KnownOf = (session: string) => KnownFindings;

/** Reads a file of known findings. Throws a CtxError (usage) if the file is something else. */
export async function knownIn(io: Io, file: string): Promise<KnownOf> {
  const known = await readKnown(io, file);
  return (session) => known.get(keyFor(io, file, session)) ?? {};
}

/** Files that were checked with their findings recorded. */
interface Recording {
  readonly io: Io;
  readonly checked: AsyncIterable<readonly CheckedFile[]>;
  readonly settings: Settings;
}

/** Records the findings of a run in a file, and keeps those of other sessions and of rules that did not run. */
export async function written(file: string, { io, checked, settings }: Recording): Promise<Outcome> {
  const known = new Map(io.files.exists(file) ? await readKnown(io, file) : []);
  const ran = new Set(settings.rules.map(({ name }) => name));
  const problems: Problem[] = [];
  let [sessions, findings] = [0, 0];
  for await (const batch of checked) {
    for (const session of batch) {
      if (isUnreadable(session)) problems.push(notRecorded(session));
      const { recorded } = session;
      if (!recorded) continue;
      const key = keyFor(io, file, session.file);
      known.set(key, { ...without(known.get(key) ?? {}, ran), ...recorded });
      sessions += 1;
      findings += countOf(recorded);
    }
  }
  await writeWhole(io.files.createNew, file, knownText(known), { force: true, like: null });
  const total = [...known.values()].reduce((sum, one) => sum + countOf(one), 0);
  const data: RecordedFindings = { schema: 'ctx/recorded-findings', schemaVersion: 1, file, findings, sessions, total };
  const others = total === findings ? '' : `, which holds ${plural(total, 'finding')} now`;
  const said = `${plural(findings, 'finding')} of ${plural(sessions, 'session')} recorded in ${file}${others}`;
  return { kind: 'report', report: { data, doc: () => [line(said)] }, problems };
}

function without(findings: KnownFindings, rules: ReadonlySet<string>): KnownFindings {
  return Object.fromEntries(Object.entries(findings).filter(([rule]) => !rules.has(rule)));
}

function countOf(findings: KnownFindings): number {
  const counts = Object.values(findings).flatMap((keys) => Object.values(keys));
  return counts.reduce((sum, count) => sum + count, 0);
}

function notRecorded({ file, findings: [first] }: CheckedFile): Problem {
  return warning('unreadable', `${file} was not recorded: ${first?.message ?? 'it cannot be read'}`);
}
