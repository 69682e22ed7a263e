import { asString, isObject, type JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { applyEdit } from '#context/replay/apply-edit.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { type StoredMessage, toMessage } from '#session/entry.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { estimateContext } from './estimate.js';
import type { ProjectedEntry, Projection } from './projection.js';
import { joinSystemMessages } from './system-message.js';

/** The context as Pi projects it, which knows no transforms: its `buildSessionProjection`. */
export function buildStockProjection(session: Session, path: readonly Head[]): Projection {
  const entries = selectEntries(path).map(({ head, edit, isHidden }): ProjectedEntry => ({
    head,
    messages: isHidden ? [] : readProjectedMessages(session, head, edit),
    isMade: false,
  }));
  const [first] = entries;
  const hasSummary = first?.head.type === 'compaction' && first.messages.length > 0;
  const compaction = hasSummary ? session.entry(first.head) : null;
  return {
    entries,
    summaryAt: hasSummary ? 0 : -1,
    previousSummary: asString(compaction?.summary),
    previousDetails: compaction && !compaction.fromHook ? compaction.details : null,
    compacted: path.findLast(({ type }) => type === 'compaction')?.time ?? null,
    tokens: estimateContext({
      entries,
      path,
      isChange: ({ type }) => type === 'context_edit' || type === 'compaction',
    }),
  };
}

/** An entry that Pi selects of a path, with its edit in force. */
interface SelectedEntry {
  readonly head: Head;
  readonly edit: Head | undefined;
  /** A compaction before the newest one. */
  readonly isHidden: boolean;
}

/** The entries that Pi makes messages of; this reads none of them. */
export function selectEntries(path: readonly Head[]): readonly SelectedEntry[] {
  const selected = selectHeads(path);
  const edits = mapEdits(selected);
  return selected.map((head, at) => {
    return { head, edit: edits.get(head.id), isHidden: head.type === 'compaction' && at > 0 };
  });
}

/** The checkpoint that Pi stores with a compaction at the end of a path; null where no system message is in force. */
export function buildCheckpoint(session: Session, path: readonly Head[]): JsonObject | null {
  const selected = selectHeads(path);
  const edits = mapEdits(selected);
  return joinSystemMessages(
    selected.flatMap((head, at) =>
      head.role === 'system' || (head.type === 'compaction' && at === 0)
        ? readProjectedMessages(session, head, edits.get(head.id))
        : [],
    ),
  );
}

/** The newest compaction, the entries that it keeps, and those after it; the whole path if there is no compaction. */
function selectHeads(path: readonly Head[]): readonly Head[] {
  const at = path.findLastIndex(({ type }) => type === 'compaction');
  const compaction = path[at];
  if (!compaction) return path;
  const from = path.findIndex(({ id }, index) => index < at && id === compaction.target);
  const kept = from === -1 ? [] : path.slice(from, at).filter(({ role }) => role !== 'system');
  return [compaction, ...kept, ...path.slice(at + 1)];
}

/** The edit of each target that is in force. */
function mapEdits(selected: readonly Head[]): ReadonlyMap<RawId, Head> {
  const edits = selected.filter(({ type }) => type === 'context_edit');
  return new Map(edits.map((head) => [head.target, head]));
}

const HAVE_MESSAGES: ReadonlySet<string | null> = new Set([
  'message',
  'custom_message',
  'branch_summary',
  'compaction',
]);

/** The messages of an entry with its edit. */
export function readProjectedMessages(session: Session, head: Head, edit: Head | undefined): readonly StoredMessage[] {
  if (!HAVE_MESSAGES.has(head.type)) return [];
  const entry = session.entry(head);
  const replacement = edit && session.entry(edit).replacement;
  if (replacement === null) return [];
  if (head.type === 'compaction') return buildCompactionMessages(entry);
  const message = readEntryMessage(entry);
  if (message === null) return [];
  const shown = isObject(replacement) ? applyEdit(message, replacement) : message;
  return shown === null ? [] : [shown];
}

function buildCompactionMessages({
  systemMessage,
  summary,
  tokensBefore,
  timestamp,
}: JsonObject): readonly StoredMessage[] {
  const message: StoredMessage = {
    role: 'compactionSummary',
    summary,
    tokensBefore,
    timestamp: parseTimestamp(timestamp),
  };
  return isObject(systemMessage) ? [toMessage(systemMessage), message] : [message];
}
