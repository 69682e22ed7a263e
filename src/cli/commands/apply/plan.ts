import { breakEven, lastRequest } from '#analysis/cache/break-even.js';
import { reportDiff } from '#analysis/diff/report.js';
import { auditLoss } from '#analysis/loss/audit.js';
import { documentOf } from '#analysis/loss/document.js';
import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import { shellWord } from '#base/shell-word.js';
import { count, plural } from '#base/words.js';
import { extended } from '#change/plan/extended.js';
import { linesOf } from '#change/plan/lines.js';
import { beforeAndAfter } from '#change/plan/make.js';
import { refuseParting } from '#change/plan/pairs.js';
import type { Plan } from '#change/plan/plan.js';
import { ignoredByStock, readsTransforms } from '#change/plan/reader.js';
import { undoRevision } from '#change/plan/undo-revision.js';
import type { Written } from '#change/plan/written.js';
import { type Applied, type ApplyOptions, applyPlan } from '#change/write/append.js';
import type { DryRun } from '#cli/schemas.js';
import type { OpenSession } from '#context/open.js';
import { readPatch } from '#context/ops/read-patch.js';
import { writeWhole } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import type { Report } from '#ui/doc/define.js';
import type { Doc } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import type { Compared } from '../diff/view.js';
import { text, toggle } from '../flags.js';
import { confirmAppend } from './confirm.js';
import type { SessionToPlan } from './open.js';
import type { PlanEffects } from './plan-effects-view.js';
import { planDoc } from './plan-view.js';

/** The flags of every command that writes. */
export const WRITING_FLAGS = {
  'dry-run': toggle('print the plan, what it costs and what is lost by it, and write nothing'),
  output: text('FILE', 'write the session with the new entries to a new file, and leave the session as it is'),
  force: toggle('replace a file that is there, and do what is refused otherwise, where the refusal names --force'),
  yes: { ...toggle('append without asking first on a terminal'), short: 'y' },
};

/** And of those that make a plan that can be saved. */
export const PLANNING_FLAGS = {
  ...WRITING_FLAGS,
  plan: text('FILE', 'save the plan, to be written by ctx apply --plan FILE'),
};

interface Wanted {
  readonly 'dry-run'?: boolean | undefined;
  readonly plan?: string | undefined;
  readonly output?: string | undefined;
  readonly force?: boolean | undefined;
  /** The flag that writes what stock Pi honours, where the command has one. */
  readonly honouredBy?: string | undefined;
  readonly yes?: boolean | undefined;
  /** It brings back what was there, whatever that was. */
  readonly mayPart?: boolean;
  /** Sentences that the user should read, whatever is done. */
  readonly remarks?: readonly string[];
  /** What the command has to say of its plan: for readers, and for programs under a key of its own. */
  readonly about?: { readonly key: string; readonly data: unknown; readonly doc: Doc };
}

/** Does what a plan says, or shows it, or saves it, as the flags want. */
export async function carryOut(io: Io, session: SessionToPlan, plan: Plan, flags: Wanted): Promise<Outcome> {
  const end = { problems: session.problems, file: session.file };
  const compared = compare(session, plan);
  const { 'dry-run': isDry, plan: saved, output, force = false } = flags;
  const { migration = [] } = session;
  const remarks = [
    ...migration,
    ...titleRemark(session),
    ...(flags.remarks ?? []),
    ...remarksOn(plan, compared),
    ...ignoredRemark(plan.entries, flags.honouredBy),
    ...differenceRemark(session, plan),
  ];
  if (!force && !flags.mayPart) refuseParting(compared.before, compared.after, session.file);
  if (saved !== undefined && output !== undefined)
    throw new CtxError('usage', '--plan and --output exclude one another', {
      hint: 'save the plan, and name the output when it is applied',
    });
  if (saved !== undefined) await save(io, saved, plan, force);
  if (isDry || saved !== undefined) {
    const title = titleOf(plan, 'would append', output ?? plan.session.file);
    const notes =
      saved === undefined
        ? remarks
        : [...remarks, `the plan is in ${saved}`, `ctx apply --plan ${shellWord(saved)} writes it`];
    const effects = effectsOf(session, { plan, compared, now: io.now() });
    const doc = planDoc({ entries: plan.entries, title, compared, effects, about: flags.about?.doc, notes });
    const data = flags.about ? { ...effects.data, [flags.about.key]: flags.about.data } : effects.data;
    return { kind: 'report', report: { data, doc: () => doc }, ...end };
  }
  const isInPlace = output === undefined && plan.entries.length > 0;
  const seen = isInPlace && !flags.yes ? await confirmAppend(io, { session, plan, remarks }) : [];
  const undo = isInPlace ? undoLine(session, plan) : null;
  const size = { before: compared.before.meta.size, after: compared.after.meta.size };
  const applied = await apply(io, plan, { output, force, source: migration.length > 0 ? session.source : undefined });
  const { file, oldSize, newSize } = applied;
  const notes = [...remarks, ...applied.notes];
  const unseen = notes.filter((note) => !seen.includes(note));
  const title = titleOf(plan, 'appended', file);
  const about = flags.about?.doc;
  const doc = planDoc({ entries: plan.entries, title, compared, effects: null, about, notes: unseen, undo });
  return { kind: 'report', report: written({ plan, file, oldSize, newSize, size, notes, undo }, doc), ...end };
}

function undoLine(session: OpenSession, plan: Plan): string | null {
  const revision = undoRevision(session, plan);
  return revision === null ? null : `ctx restore ${shellWord(plan.session.file)} ${shellWord(revision)}`;
}

/** A change that changes nothing is most likely not the one that was meant. */
function remarksOn({ entries }: Plan, { report }: Compared): readonly string[] {
  const isChange = entries.some(({ type }) => type === 'context_transform' || type === 'context_edit');
  return isChange && report.same ? ['this changes nothing: the context stays as it is'] : [];
}

/** oh-my-pi writes the title of a session before its header. */
function titleRemark({ problems }: OpenSession): readonly string[] {
  const isTitled = problems.some(({ code }) => code === 'title-before-header');
  return isTitled ? ['stock Pi does not open this file, since a title comes before its header'] : [];
}

/** A plan may have been saved by an older version, so its entries are looked at again. */
function ignoredRemark(entries: Plan['entries'], honouredBy: string | undefined): readonly string[] {
  const ids = ignoredByStock(entries);
  if (ids.length === 0) return [];
  const which = ids.length === 1 ? 'this entry' : 'these entries';
  const names = entries.length === 1 ? '' : `: ${ids.join(', ')}`;
  return [
    `stock Pi ignores ${which}${names}${honouredBy === undefined ? '' : `; ${honouredBy} writes what it honours`}`,
  ];
}

/** After an older dual write, what a compaction keeps may differ for stock Pi: it ignores the transforms. */
function differenceRemark(session: OpenSession, { entries, predicted }: Plan): readonly string[] {
  if (predicted.sha256 === predicted.stockSha256 || ignoredByStock(entries).length > 0) return [];
  if (entries.length === 0 || readsTransforms(session, activePath(session.tree))) return [];
  return ['stock Pi builds another context from this than readers of transforms do'];
}

/** Where there is nothing to write, no file is touched. */
async function apply(io: Io, plan: Plan, options: ApplyOptions): Promise<Applied> {
  if (plan.entries.length > 0) return applyPlan(io, plan, options);
  const { file, size } = plan.session;
  return { file, oldSize: size, newSize: size, notes: [] };
}

function written(
  {
    plan,
    ...facts
  }: Pick<Written, 'file' | 'oldSize' | 'newSize' | 'size' | 'notes' | 'undo'> & { readonly plan: Plan },
  doc: ReturnType<Report['doc']>,
): Report {
  const data: Written = {
    schema: 'ctx/written',
    schemaVersion: 1,
    command: plan.command,
    ...facts,
    ignoredByStock: [...ignoredByStock(plan.entries)],
    entries: plan.entries.map(({ id, type }) => ({ entryId: asString(id) ?? '', type: asString(type) ?? '' })),
    envelopeSha256: plan.predicted.sha256,
    tokens: plan.tokens,
  };
  return { data, doc: () => doc };
}

function titleOf(plan: Plan, verb: string, file: string): string {
  if (plan.entries.length === 0) return `nothing to append to ${file}`;
  const what = plural(plan.entries.length, 'entry', 'entries');
  return `${verb} ${what} (${count(linesOf(plan).length)} bytes) to ${file}`;
}

function compare(session: OpenSession, plan: Plan): Compared {
  const { before, after } = beforeAndAfter(session, plan);
  return { before, after, report: reportDiff(before, after) };
}

async function save(io: Io, file: string, plan: Plan, force: boolean): Promise<void> {
  const like = plan.session.file === '-' ? null : plan.session.file;
  await writeWhole(io.files.createNew, file, `${JSON.stringify(plan, null, 2)}\n`, { force, like });
}

interface Planned {
  readonly plan: Plan;
  readonly compared: Compared;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Effects extends PlanEffects {
  /** The plan with all of them, for programs. */
  readonly data: Plan & Pick<DryRun, 'cache' | 'loss'>;
}

/** What writing a plan costs at the cache, and what a compaction loses. */
function effectsOf(session: Session, { plan, compared, now }: Planned): Effects {
  const last = lastRequest(session, activePath(session.tree));
  const cache = breakEven({ before: compared.before, after: compared.after, last, now });
  const longer = extended(session, plan.entries);
  const boundary = plan.command === 'compact' ? longer.tree.leaf : null;
  // What is appended may be the first transform of the session, which then has no reader for patches yet.
  const loss = boundary && auditLoss({ session: longer, readPatch }, boundary);
  return { cache, loss, data: { ...plan, cache, loss: loss && documentOf(longer, loss) } };
}
