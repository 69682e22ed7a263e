import { asObject, asString, asText, isObject, type JsonObject } from '#base/json.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import type { EntryStamps } from '../plan/entry-stamps.js';
import { buildEntryChain, buildTransformBody, type EntryBody } from '../plan/new-entries.js';
import { toFileLists } from './file-ops.js';
import type { Preparation } from './prepare.js';
import { buildCheckpoint, buildStockProjection } from './stock-projection.js';

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
    ...(form === 'compaction' ? [] : [buildTransform(compaction, time)]),
    ...(form === 'context_transform' ? [] : [buildStock(session, compaction, time)]),
  ];
  const parentId = formatId(path.at(-1)?.id);
  const entries = buildEntryChain(session, parentId, bodies, { now: () => time, newId });
  return fillFirstKept(entries);
}

/** Entries with compactions that keep nothing as Pi writes them: they name themselves as the first kept entry. */
export function fillFirstKept(entries: readonly JsonObject[]): readonly JsonObject[] {
  return entries.map((entry) =>
    entry.type === 'compaction' ? { ...entry, firstKeptEntryId: entry.firstKeptEntryId ?? entry.id } : entry,
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

function buildTransform({ preparation, summary }: Compaction, time: number): EntryBody {
  const { firstKeptMessageIndex, tokensBefore, keptMessages } = preparation;
  const display = {
    title: 'Compaction',
    summary: `${countMessages(firstKeptMessageIndex)} summarised, ${keptMessages} kept`,
  };
  const applied = { summary: summary.text, timestamp: time, firstKeptMessageIndex, tokensBefore };
  return buildCompactionTransform(applied, { display });
}

function countMessages(count: number): string {
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

function buildStock(session: Session, { path, preparation, summary }: Compaction, time: number): EntryBody {
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
