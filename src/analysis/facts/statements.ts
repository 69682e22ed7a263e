import { asString, listObjects } from '#base/json.js';
import { applyEdit, type EditReplacement, readEditReplacement } from '#context/replay/apply-edit.js';
import { findBatches } from '#context/replay/batches.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { hasPacket } from '#context/replay/ctx-entries.js';
import type { Entry, StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** The text of an entry that may contain facts. */
export type Statement =
  | { readonly kind: 'message'; readonly message: LlmMessage }
  | { readonly kind: 'compaction' | 'branch'; readonly summary: string };

export interface PlacedStatement {
  readonly head: Head;
  /** The time in milliseconds since 1970. An entry without a time has that of the previous entry. */
  readonly time: number;
  readonly statement: Statement;
}

/** The number of entries of a path that were read, and the time of the last of them. */
export interface ReadPosition {
  readonly read: number;
  readonly time: number;
}

/**
 * The statements along a path, entry by entry, even if they are no longer in the context: in the version of their
 * newest edit, without omitted messages. Pruned messages still count.
 */
export function* listStatements(
  session: Session,
  path: readonly Head[],
  { read, time: start }: ReadPosition = { read: 0, time: 0 },
): Generator<PlacedStatement> {
  const edits = findEdits(session, path);
  let time = start;
  for (const head of path.slice(read)) {
    if (Number.isFinite(head.time)) ({ time } = head);
    if (!HAVE_STATEMENTS.has(head.type)) continue;
    const edit = edits.get(head.index);
    const replacement = edit && readEditReplacement(session.entry(edit));
    if (replacement === null) continue;
    const statement = readStatement(session.entry(head), replacement);
    if (statement) yield { head, time, statement };
  }
}

/** Entries of these types contain statements; messages of extensions do not. */
const HAVE_STATEMENTS: ReadonlySet<string | null> = new Set([
  'message',
  'branch_summary',
  'compaction',
  'context_transform',
]);

/** The edit in force for each entry, by its index in the file, except edits of a prune or its restore. */
function findEdits(session: Session, path: readonly Head[]): ReadonlyMap<number, Head> {
  const { heads } = session.tree;
  const ofPrunes = findBatches(session, path);
  const edits = new Map<number, Head>();
  for (const [at, head] of path.entries()) {
    if (head.type === 'context_edit' && !ofPrunes.has(at)) edits.set(heads.targetAt(head.index), head);
  }
  return edits;
}

function readStatement(entry: Entry, replacement: EditReplacement | undefined): Statement | null {
  if (entry.type === 'compaction') return hasPacket(entry) ? null : toSummary('compaction', entry.summary);
  if (entry.type === 'context_transform') {
    const compacts = listObjects(entry.patch).findLast(({ op }) => op === 'compaction_apply');
    return compacts ? toSummary('compaction', compacts.summary) : null;
  }
  const contribution = readEntryMessage(entry);
  const message = contribution && replacement ? applyEdit(contribution, replacement) : contribution;
  return message && toStatement(message);
}

/** The statement of a message; null for one that is not from the user, the model or a tool. */
export function toStatement(message: StoredMessage): Statement | null {
  switch (message.role) {
    case 'user':
    case 'assistant':
    case 'toolResult':
      // The role confirms the type.
      return { kind: 'message', message };
    case 'branchSummary':
      return toSummary('branch', message.summary);
    case 'compactionSummary':
      return toSummary('compaction', message.summary);
    default:
      return null;
  }
}

function toSummary(kind: 'compaction' | 'branch', value: unknown): Statement | null {
  const text = asString(value);
  return text === null ? null : { kind, summary: text };
}
