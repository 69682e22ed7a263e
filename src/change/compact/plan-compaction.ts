import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import { type AgentMessage, toLlm } from '#context/replay/convert.js';
import type { Session } from '#session/session.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import { type Draft, draftOf, redraft } from '../plan/draft.js';
import type { Freshness } from '../plan/entries.js';
import { freshnessOf, type PlannedChange, type PlanOptions, plannedOf } from '../plan/planned.js';
import { readsTransforms } from '../plan/reader.js';
import { type Compaction, compactionEntries, type CompactionForm } from './entries.js';
import { listsOf } from './file-ops.js';
import { type Preparation, prepareCompaction } from './prepare.js';
import { type CompactionSettings, compactionSettings } from './settings.js';
import type { SummaryTask, WrittenSummary } from './summarizers/define.js';
import { extracted } from './summarizers/extract.js';

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
  const { settings = compactionSettings([], null), summarize = extracted, instructions, form } = options;
  const at = resolveRevision(session, options.revision ?? 'HEAD');
  const path = at ? pathTo(session.tree, at) : [];
  const { keepRecentTokens } = settings;
  const { readPatch } = session;
  const preparation = prepareCompaction(session, { path, keepRecentTokens, readPatch, keepsPairs: true });
  if (!preparation) return null;
  const written = await summarize(summaryTask(preparation, settings, instructions));
  const summary = typeof written === 'string' ? { text: written } : written;
  const draft = draftCompaction(session, { path, preparation, summary }, { form, ...freshnessOf(options) });
  return { ...plannedOf(draft, 'compact'), preparation };
}

interface DraftOptions extends Freshness {
  /** undefined: both where the session has a transform, else stock. */
  readonly form: CompactionForm | undefined;
}

/** Drafts a compaction. Throws a CtxError (refused) where a stock entry alone is asked for and cannot say what is kept. */
export function draftCompaction(
  session: Session,
  compaction: Omit<Compaction, 'form'>,
  { form, now, newId }: DraftOptions,
): Draft {
  const time = now();
  const entriesAs = (as: CompactionForm): readonly JsonObject[] =>
    compactionEntries(session, { ...compaction, form: as }, { now: () => time, newId });
  const { path } = compaction;
  const draft = draftOf(session, entriesAs(form ?? (readsTransforms(session, path) ? 'both' : 'compaction')));
  const isStockAlone = draft.entries.every(({ type }) => type === 'compaction');
  if (!isStockAlone || path.every(({ type }) => type !== 'context_transform')) return draft;
  if (draft.predicted().sha256 === redraft(draft, entriesAs('context_transform')).predicted().sha256) return draft;
  if (form === undefined) return redraft(draft, entriesAs('both'));
  throw new CtxError(
    'refused',
    'transforms have changed messages, so a compaction entry alone cannot say what is kept',
    { where: session.file, hint: 'leave --as out, which writes both forms' },
  );
}

/** The largest share of the reserved tokens for a summary, as in older versions of Pi. */
const SHARE_OF_RESERVE = 0.8;

/** The task of a summariser for a prepared compaction. */
export function summaryTask(
  preparation: Preparation,
  { reserveTokens }: Pick<CompactionSettings, 'reserveTokens'>,
  instructions?: string,
): SummaryTask {
  return {
    messages: sent(preparation.messagesToSummarize),
    turnPrefix: sent(preparation.turnPrefixMessages),
    previousSummary: preparation.previousSummary,
    instructions: instructions ?? null,
    files: listsOf(preparation.fileOps),
    maxTokens: Math.floor(reserveTokens * SHARE_OF_RESERVE),
  };
}

function sent(messages: readonly AgentMessage[]): readonly LlmMessage[] {
  return messages.flatMap((message) => toLlm(message) ?? []);
}
