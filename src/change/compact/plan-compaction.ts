import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import type { Session } from '#session/session.js';
import { resolvePath } from '#session/tree/revision.js';
import { buildDraft, type Draft, redraft } from '../plan/draft.js';
import { type EntryStamps, type PlanOptions, toEntryStamps } from '../plan/entry-stamps.js';
import { buildPlannedChange, type PlannedChange } from '../plan/plan-change.js';
import { hasLoneTransform } from '../plan/stock-view.js';
import { buildCompactionEntries, type Compaction, type CompactionForm } from './compaction-entries.js';
import { type Preparation, prepareCompaction } from './prepare.js';
import { type CompactionSettings, compactionSettings } from './settings.js';
import type { SummaryTask, WrittenSummary } from './summarizers/define.js';
import { extractSummary } from './summarizers/extract.js';
import { summaryTask } from './summary-task.js';

/** The options of `planCompaction`. */
export interface CompactionPlanOptions extends PlanOptions {
  readonly settings?: CompactionSettings;
  /** Writes the summary (default: by rules, without a model). */
  readonly summarize?: (task: SummaryTask) => string | WrittenSummary | Promise<string | WrittenSummary>;
  /** More instructions for the summary. */
  readonly instructions?: string;
  /** The entry to compact at, on a new branch (default: the leaf). */
  readonly revision?: string;
  /** The entries to write (default: both where the session has a transform, else stock). */
  readonly form?: CompactionForm;
}

/** A plan that compacts, with what it summarises and what it keeps. */
export interface PlannedCompaction extends PlannedChange {
  readonly preparation: Preparation;
}

/**
 * Plans a compaction at Pi's cut point, as `ctx compact` does. null: there is nothing to compact. Throws a CtxError
 * (refused) for a session that nothing can be appended to, or where the form cannot express it.
 */
export async function planCompaction(
  session: OpenSession,
  options: CompactionPlanOptions = {},
): Promise<PlannedCompaction | null> {
  const { settings = compactionSettings([], null), summarize = extractSummary, instructions, form } = options;
  const { path } = resolvePath(session, options.revision);
  const { keepRecentTokens } = settings;
  const preparation = prepareCompaction(session, { path, keepRecentTokens, keepsPairs: true });
  if (!preparation) return null;
  const written = await summarize(summaryTask(preparation, settings, instructions));
  const summary = typeof written === 'string' ? { text: written } : written;
  const draft = draftCompaction(session, { path, preparation, summary }, { form, ...toEntryStamps(options) });
  return { ...buildPlannedChange(draft, 'compact'), preparation };
}

interface DraftOptions extends EntryStamps {
  /** undefined: both where the session has a transform, else stock. */
  readonly form: CompactionForm | undefined;
}

/**
 * Drafts a compaction. Throws a CtxError (refused) where a stock entry alone is asked for and cannot say what is kept.
 */
export function draftCompaction(
  session: Session,
  compaction: Omit<Compaction, 'form'>,
  { form, now, newId }: DraftOptions,
): Draft {
  const { path } = compaction;
  const time = now();
  const buildAs = (as: CompactionForm): readonly JsonObject[] =>
    buildCompactionEntries(session, { ...compaction, form: as }, { now: () => time, newId });
  const chosen = form ?? (hasLoneTransform(session, path) ? 'both' : 'compaction');
  const draft = buildDraft(session, buildAs(chosen), path.at(-1) ?? null);
  const hasTransforms = path.some(({ type }) => type === 'context_transform');
  if (chosen !== 'compaction' || !hasTransforms) return draft;

  // After transforms a stock entry may keep other messages than were prepared; a transform keeps exactly those.
  const exact = redraft(draft, buildAs('context_transform'));
  if (draft.predicted().sha256 === exact.predicted().sha256) return draft;
  if (form === undefined) return redraft(draft, buildAs('both'));
  throw buildStockRefusal(session);
}

function buildStockRefusal({ agent, file }: Session): CtxError {
  if (agent)
    return new CtxError('refused', `the messages to keep are part of a compaction of ${agent.title}`, {
      where: file,
      hint: 'keep less with --keep-recent N, or go on with the session first',
    });
  return new CtxError(
    'refused',
    'transforms have changed messages, so a compaction entry alone cannot say what is kept',
    { where: file, hint: 'leave --as out, which writes both forms' },
  );
}
