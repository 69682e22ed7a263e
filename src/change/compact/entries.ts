import { CtxError } from '#base/errors.js';
import { asObject, asString, asText, isObject, type JsonObject } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { resolvePath } from '#session/tree/revision.js';
import { activePath } from '#session/tree/tree.js';
import { buildDraft, type Draft, redraft } from '../plan/draft.js';
import { type EntryStamps, type PlanOptions, toEntryStamps } from '../plan/entry-stamps.js';
import { buildEntryChain, buildTransformBody, type EntryBody } from '../plan/new-entries.js';
import { buildPlannedChange, type PlannedChange } from '../plan/plan-change.js';
import { hasLoneTransform } from '../plan/stock-view.js';
import { toFileLists } from './file-ops.js';
import { type Preparation, prepareCompaction, summaryTask } from './prepare.js';
import { type CompactionSettings, compactionSettings } from './settings.js';
import { buildCheckpoint, buildStockProjection } from './stock-projection.js';
import type { SummaryTask, WrittenSummary } from './summarizers/define.js';
import { extractSummary } from './summarizers/extract.js';

/** The form of a compaction in the file: a transform, the entries of stock Pi, or both. */
export const COMPACTION_FORMS = ['both', 'context_transform', 'compaction'] as const;
export type CompactionForm = (typeof COMPACTION_FORMS)[number];

/** A compaction that only has to be written down. */
export interface Compaction {
  readonly path: readonly Head[];
  readonly preparation: Preparation;
  /** `details`: what the extension that made it stores; by default the files that tools read and changed. */
  readonly summary: { readonly text: string; readonly usage?: JsonObject; readonly details?: JsonObject };
  readonly form: CompactionForm;
}

/** The entries of a compaction below the end of a path, as Pi would write them. */
export function buildCompactionEntries(
  session: Session,
  compaction: Compaction,
  { now, newId }: EntryStamps,
): readonly JsonObject[] {
  const time = now();
  const { form, path } = compaction;
  const bodies: readonly EntryBody[] = [
    ...(form === 'compaction' ? [] : [transformBody(compaction, time)]),
    ...(form === 'context_transform' ? [] : [stockBody(session, compaction, time)]),
  ];
  const parentId = formatId(path.at(-1)?.id);
  const entries = buildEntryChain(session, parentId, bodies, { now: () => time, newId });
  return fillFirstKept(entries);
}

/** Entries with compactions that keep nothing as Pi writes them: they name themselves as the first kept entry. */
export function fillFirstKept(entries: readonly JsonObject[]): readonly JsonObject[] {
  return entries.map((entry) =>
    entry['type'] === 'compaction' ? { ...entry, firstKeptEntryId: entry['firstKeptEntryId'] ?? entry['id'] } : entry,
  );
}

/** The entry of a draft that an extension returns at the leaf. */
export function buildDraftBody(session: Session, draft: JsonObject): EntryBody {
  const { type, summary, firstKeptEntryId, details, usage } = draft;
  if (type !== 'compaction') return draft as EntryBody;
  const path = activePath(session.tree);
  const fields = {
    summary: asText(summary),
    firstKeptEntryId: asString(firstKeptEntryId),
    tokensBefore: buildStockProjection(session, path).tokens,
    details: asObject(details),
    ...(isObject(usage) ? { usage } : {}),
  };
  return buildCompactionBody(session, path, fields, path.at(-1)?.time ?? 0);
}

function transformBody({ preparation, summary }: Compaction, time: number): EntryBody {
  const { firstKeptMessageIndex, tokensBefore, keptMessages } = preparation;
  const display = {
    title: 'Compaction',
    summary: `${messages(firstKeptMessageIndex)} summarised, ${keptMessages} kept`,
  };
  const applied = { summary: summary.text, timestamp: time, firstKeptMessageIndex, tokensBefore };
  return buildCompactionTransform(applied, { display });
}

function messages(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}

/** The transform of a compaction; `applied` are the fields of its op, in Pi's key order. */
export function buildCompactionTransform(
  applied: Readonly<Record<'timestamp' | 'firstKeptMessageIndex' | 'tokensBefore', number>> & {
    readonly summary: string;
  },
  rest: JsonObject = {},
): EntryBody {
  const op = { op: 'compaction_apply', scope: 'cached', ...applied, invalidateCacheReason: 'compaction' };
  return buildTransformBody('compaction', [op], rest);
}

function stockBody(session: Session, { path, preparation, summary }: Compaction, time: number): EntryBody {
  const { firstKeptEntryId, tokensBefore, fileOps } = preparation;
  const { read, modified } = toFileLists(fileOps);
  return buildCompactionBody(
    session,
    path,
    {
      summary: summary.text,
      firstKeptEntryId,
      tokensBefore,
      details: summary.details ?? { readFiles: read, modifiedFiles: modified },
      ...(summary.usage === undefined ? {} : { usage: summary.usage }),
    },
    time,
  );
}

/**
 * A stock compaction below the end of a path that is not Pi's own. It declares the prompt and the tools again, since Pi
 * drops the system messages above it. `time` is in milliseconds since 1970.
 */
export function buildCompactionBody(
  session: Session,
  path: readonly Head[],
  fields: {
    readonly summary: string;
    readonly firstKeptEntryId: string | null;
    readonly tokensBefore: number;
    readonly details: JsonObject;
    readonly usage?: JsonObject;
  },
  time: number,
): EntryBody {
  const checkpoint = buildCheckpoint(session, path);
  return {
    type: 'compaction',
    ...fields,
    fromHook: true,
    ...(checkpoint === null ? {} : { systemMessage: { ...checkpoint, timestamp: time } }),
  };
}

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
  const { readPatch } = session;
  const preparation = prepareCompaction(session, { path, keepRecentTokens, readPatch, keepsPairs: true });
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

/** Drafts a compaction. Throws a CtxError (refused) where a stock entry alone is asked for and cannot say what is kept. */
export function draftCompaction(
  session: Session,
  compaction: Omit<Compaction, 'form'>,
  { form, now, newId }: DraftOptions,
): Draft {
  const time = now();
  const entriesAs = (as: CompactionForm): readonly JsonObject[] =>
    buildCompactionEntries(session, { ...compaction, form: as }, { now: () => time, newId });
  const { path } = compaction;
  const entries = entriesAs(form ?? (hasLoneTransform(session, path) ? 'both' : 'compaction'));
  const draft = buildDraft(session, entries, path.at(-1) ?? null);
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
