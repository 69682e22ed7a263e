import type { LedgerFact, ResumeCause } from '#analysis/ledger/document.js';
import { holdsPacket } from '#context/replay/batches.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { answersRequest } from '#session/tree/tree.js';
import { historyOf } from './history.js';
import type { Whereabouts } from './packet.js';
import { standingIn } from './whereabouts.js';

/**
 * The compaction or the move in the tree that no request has followed yet, so that the next one needs a packet. null: the
 * next request goes on where the last one ended.
 */
export function resumeCause(session: Session, path: readonly Head[]): ResumeCause | null {
  const last = path.at(-1);
  if (!last) return null;
  const entries = path.slice(path.findLastIndex(answersRequest) + 1);
  const compaction = entries.findLast((head) => head.type === 'compaction' && !holdsPacket(session.entry(head)));
  if (compaction) return causeOf('compaction', compaction);
  const isMove = (head: Head): boolean => head.type === 'branch_summary' || head.index !== indexAfterParent(path, head);
  const move = entries.findLast(isMove) ?? (last.index < session.tree.heads.length - 1 ? last : null);
  return move && causeOf('move', move);
}

/** The position of an entry that was written right after its parent. */
function indexAfterParent(path: readonly Head[], head: Head): number {
  const at = path.indexOf(head);
  return at === 0 ? head.index : (path[at - 1]?.index ?? -1) + 1;
}

function causeOf(by: ResumeCause['by'], { id, line }: Head): ResumeCause {
  return { by, entryId: idText(id), line };
}

/** Tells which facts a packet for resuming needs: all but those of messages in the context, without raw summaries. */
export function resumeWhereabouts(
  session: Session,
  envelope: ContextEnvelope,
  at: Head | null,
): (fact: LedgerFact) => Whereabouts {
  const { items } = historyOf(session, envelope, at);
  const stays = standingIn({ items: items.filter(({ kind }) => !kind.endsWith('-summary')) });
  return (fact) => (stays(fact) ? 'stays' : 'leaves');
}
