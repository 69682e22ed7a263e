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
  const bodies: EntryBody[] = [];
  if (form !== 'compaction') bodies.push(buildTransform(compaction, time));
  if (form !== 'context_transform') bodies.push(buildStock(session, compaction, time));
  const parentId = formatId(path.at(-1)?.id);
  return fillFirstKept(buildEntryChain(session, parentId, bodies, { now: () => time, newId }));
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
  const summarised = firstKeptMessageIndex === 1 ? '1 message' : `${firstKeptMessageIndex} messages`;
  const display = { title: 'Compaction', summary: `${summarised} summarised, ${keptMessages} kept` };
  const fields = { summary: summary.text, timestamp: time, firstKeptMessageIndex, tokensBefore };
  return buildCompactionTransform(fields, { display });
}

/** The fields of the op of a compaction, in Pi's key order. */
interface CompactionFields {
  readonly summary: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly firstKeptMessageIndex: number;
  readonly tokensBefore: number;
}

/** The transform of a compaction. `rest`: its display and details. */
export function buildCompactionTransform(fields: CompactionFields, rest: JsonObject = {}): EntryBody {
  const op = { op: 'compaction_apply', scope: 'cached', ...fields, invalidateCacheReason: 'compaction' };
  return buildTransformBody('compaction', [op], rest);
}

function buildStock(session: Session, { path, preparation, summary }: Compaction, time: number): EntryBody {
  const { firstKeptEntryId, tokensBefore, fileOps } = preparation;
  const { text, usage } = summary;
  const { read, modified } = toFileLists(fileOps);
  const details = summary.details ?? { readFiles: read, modifiedFiles: modified };
  const fields = { summary: text, firstKeptEntryId, tokensBefore, details, ...(usage && { usage }) };
  return buildCompactionBody(session, path, fields, time);
}

/**
 * A stock compaction below the end of a path that is not Pi's own. It declares the prompt and the tools again, since Pi
 * drops the system messages above it. `time` is in milliseconds since 1970.
 */
export function buildCompactionBody(
  session: Session,
  path: readonly Head[],
  fields: StockFields,
  time: number,
): EntryBody {
  const body = { type: 'compaction', ...fields, fromHook: true };
  const checkpoint = buildCheckpoint(session, path);
  return checkpoint === null ? body : { ...body, systemMessage: { ...checkpoint, timestamp: time } };
}

/** The fields of a stock compaction, in Pi's key order. */
interface StockFields {
  readonly summary: string;
  readonly firstKeptEntryId: string | null;
  readonly tokensBefore: number;
  readonly details: JsonObject;
  readonly usage?: JsonObject;
}
