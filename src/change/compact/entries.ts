import type { JsonObject } from '#base/json.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { type EntryBody, entriesBelow, type Freshness } from '../plan/entries.js';
import { listsOf } from './file-ops.js';
import type { Preparation } from './prepare.js';
import { checkpointOf } from './stock-projection.js';

/** How a compaction stands in the file: as a transform, as what stock Pi writes, or as both. */
export const COMPACTION_FORMS = ['both', 'context_transform', 'compaction'] as const;
export type CompactionForm = (typeof COMPACTION_FORMS)[number];

/** A compaction that only has to be written down. */
export interface Compaction {
  readonly path: readonly Head[];
  readonly preparation: Preparation;
  readonly summary: { readonly text: string; readonly usage?: JsonObject };
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
  return entries.map((entry) => (entry['type'] === 'compaction' ? keepingNothingAsItself(entry) : entry));
}

/** Pi says that nothing is kept by the compaction's own id. */
function keepingNothingAsItself(entry: JsonObject): JsonObject {
  return { ...entry, firstKeptEntryId: entry['firstKeptEntryId'] ?? entry['id'] };
}

function transformBody({ preparation, summary }: Compaction, time: number): EntryBody {
  const { firstKeptMessageIndex, tokensBefore, keptMessages } = preparation;
  const op = {
    op: 'compaction_apply',
    scope: 'cached',
    summary: summary.text,
    timestamp: time,
    firstKeptMessageIndex,
    tokensBefore,
    invalidateCacheReason: 'compaction',
  };
  return {
    type: 'context_transform',
    schemaVersion: 1,
    transformerName: 'compaction',
    patch: [op],
    display: { title: 'Compaction', summary: `${messages(firstKeptMessageIndex)} summarised, ${keptMessages} kept` },
  };
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
      details: { readFiles: read, modifiedFiles: modified },
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
