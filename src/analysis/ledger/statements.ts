import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { batchesOn, holdsPacket } from '#context/replay/batches.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { AgentMessage } from '#context/replay/convert.js';
import { messageOfEntry, edited, type EditReplacement } from '#context/replay/entry-message.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';

/** The words of an entry that may hold facts. */
export type Statement =
  | { readonly kind: 'message'; readonly message: LlmMessage }
  | { readonly kind: 'compaction' | 'branch'; readonly summary: string };

export interface PlacedStatement {
  readonly head: Head;
  /** Milliseconds since 1970; that of the entry before where this one says nothing. */
  readonly time: number;
  readonly statement: Statement;
}

/**
 * The statements along a path, entry by entry, whether the model is still shown it or not: as the newest edit of it has
 * it, and nothing of what an edit left out. What a prune set aside was said all the same.
 */
export function* statementsAlong(session: Session, path: readonly Head[]): Generator<PlacedStatement> {
  const edits = editsOn(session, path);
  let time = 0;
  for (const head of path) {
    if (Number.isFinite(head.time)) ({ time } = head);
    if (!SPEAKS.has(head.type)) continue;
    const edit = edits.get(head.index);
    const replacement = edit && replacementIn(session.entry(edit));
    if (replacement === null) continue;
    const saying = statementOf(session.entry(head), replacement);
    if (saying) yield { head, time, statement: saying };
  }
}

/** Of all that an entry can be, what says something; messages of extensions are nobody's words. */
const SPEAKS: ReadonlySet<string | null> = new Set(['message', 'branch_summary', 'compaction', 'context_transform']);

/** The edit in force of each entry, by its place in the file; but for those that a prune, or the restore of one, made. */
function editsOn(session: Session, path: readonly Head[]): ReadonlyMap<number, Head> {
  const { heads } = session.tree;
  const ofPrunes = batchesOn(session, path);
  const edits = new Map<number, Head>();
  for (const [at, head] of path.entries())
    if (head.type === 'context_edit' && !ofPrunes.has(at)) edits.set(heads.targetAt(head.index), head);
  return edits;
}

function replacementIn({ replacement }: JsonObject): EditReplacement | undefined {
  return replacement === null || isObject(replacement) ? replacement : undefined;
}

function statementOf(entry: JsonObject, replacement: EditReplacement | undefined): Statement | null {
  if (entry['type'] === 'compaction') return holdsPacket(entry) ? null : summary('compaction', entry['summary']);
  if (entry['type'] === 'context_transform') {
    const compacts = objectsIn(entry['patch']).findLast(({ op }) => op === 'compaction_apply');
    return compacts ? summary('compaction', compacts['summary']) : null;
  }
  const contribution = messageOfEntry(entry);
  const message = contribution && replacement ? edited(contribution, replacement) : contribution;
  return message && statementOfMessage(message);
}

/** The statement of a message; null for one that neither user, model nor tool wrote. */
export function statementOfMessage(message: AgentMessage): Statement | null {
  switch (message['role']) {
    case 'user':
    case 'assistant':
    case 'toolResult':
      // The role says that it is one.
      return { kind: 'message', message: message as LlmMessage };
    case 'branchSummary':
      return summary('branch', message['summary']);
    case 'compactionSummary':
      return summary('compaction', message['summary']);
    default:
      return null;
  }
}

function summary(kind: 'compaction' | 'branch', value: unknown): Statement | null {
  const text = asString(value);
  return text === null ? null : { kind, summary: text };
}
