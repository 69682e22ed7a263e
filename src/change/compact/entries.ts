import { asObject, asString, asText, isObject, type JsonObject } from '#base/json.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { activePath } from '#session/tree/tree.js';
import { type EntryBody, entriesBelow, type Freshness, newTransform } from '../plan/entries.js';
import { listsOf } from './file-ops.js';
import type { Preparation } from './prepare.js';
import { checkpointOf, stockProjection } from './stock-projection.js';

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
export function compactionEntries(
  session: Session,
  compaction: Compaction,
  { now, newId }: Freshness,
): readonly JsonObject[] {
  const time = now();
  const { form, path } = compaction;
  const bodies: readonly EntryBody[] = [
    ...(form === 'compaction' ? [] : [transformBody(compaction, time)]),
    ...(form === 'context_transform' ? [] : [stockBody(session, compaction, time)]),
  ];
  const parentId = idText(path.at(-1)?.id);
  const entries = entriesBelow(session, parentId, bodies, { now: () => time, newId });
  return keepingNothingAsItself(entries);
}

/** Entries with compactions that keep nothing as Pi writes them: they name themselves as the first kept entry. */
export function keepingNothingAsItself(entries: readonly JsonObject[]): readonly JsonObject[] {
  return entries.map((entry) =>
    entry['type'] === 'compaction' ? { ...entry, firstKeptEntryId: entry['firstKeptEntryId'] ?? entry['id'] } : entry,
  );
}

/** The entry of a draft that an extension returns at the leaf. */
export function draftBody(session: Session, draft: JsonObject): EntryBody {
  const { type, summary, firstKeptEntryId, details, usage } = draft;
  if (type !== 'compaction') return draft as EntryBody;
  const path = activePath(session.tree);
  const fields = {
    summary: asText(summary),
    firstKeptEntryId: asString(firstKeptEntryId),
    tokensBefore: stockProjection(session, path).tokens,
    details: asObject(details),
    ...(isObject(usage) ? { usage } : {}),
  };
  return compactionBody(session, path, fields, path.at(-1)?.time ?? 0);
}

function transformBody({ preparation, summary }: Compaction, time: number): EntryBody {
  const { firstKeptMessageIndex, tokensBefore, keptMessages } = preparation;
  const display = {
    title: 'Compaction',
    summary: `${messages(firstKeptMessageIndex)} summarised, ${keptMessages} kept`,
  };
  const applied = { summary: summary.text, timestamp: time, firstKeptMessageIndex, tokensBefore };
  return compactionTransform(applied, { display });
}

/** The transform of a compaction; `applied` are the fields of its op, in Pi's key order. */
export function compactionTransform(
  applied: Readonly<Record<'timestamp' | 'firstKeptMessageIndex' | 'tokensBefore', number>> & {
    readonly summary: string;
  },
  rest: JsonObject = {},
): EntryBody {
  const op = { op: 'compaction_apply', scope: 'cached', ...applied, invalidateCacheReason: 'compaction' };
  return newTransform('compaction', [op], rest);
}

function messages(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}

function stockBody(session: Session, { path, preparation, summary }: Compaction, time: number): EntryBody {
  const { firstKeptEntryId, tokensBefore, fileOps } = preparation;
  const { read, modified } = listsOf(fileOps);
  return compactionBody(
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
export function compactionBody(
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
  const checkpoint = checkpointOf(session, path);
  return {
    type: 'compaction',
    ...fields,
    fromHook: true,
    ...(checkpoint === null ? {} : { systemMessage: { ...checkpoint, timestamp: time } }),
  };
}
