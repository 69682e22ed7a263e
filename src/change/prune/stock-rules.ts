import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { isSummaryInForce } from './boundary.js';
import type { Rules } from './guard.js';
import type { History, Item } from './history.js';

/** Says why stock Pi has no edit for a change; null where it has one. */
export function whyNotAsEdit(session: Session): Rules['forbids'] {
  return (item, { message }, history) => {
    const made = whyNotOfEntry(session, item);
    if (made !== null) return made;
    if (holdsPrompt(session, item))
      return 'the compaction holds the prompt as well, which an edit would take away with it';
    if (message === null && bareOf(history, item))
      return 'the packet stands at the end, and a request cannot begin with an answer';
    return message !== null && NOT_EDITABLE.has(item.kind) ? ONLY_OUT : null;
  };
}

/** Says why no stock entry makes a change, where a compaction can replace the summary in force. */
export function whyNotInStock(session: Session, path: readonly Head[]): Rules['forbids'] {
  const asEdit = whyNotAsEdit(session);
  return (item, change, history) => {
    if (item.kind === 'packet') return asEdit(item, change, history);
    const isDropped = change.message === null;
    if (isDropped && isSummaryInForce(session, path, item)) return null;
    return whyNotOfEntry(session, item) ?? (!isDropped && NOT_EDITABLE.has(item.kind) ? ONLY_OUT : null);
  };
}

/** Whether an edit that leaves out a message would take the prompt away with it. */
export function holdsPrompt(session: Session, { from }: Item): boolean {
  const head = from.entryId === null ? null : session.tree.heads.find(from.entryId);
  return head?.type === 'compaction' && Boolean(session.entry(head)['systemMessage']);
}

/** Why no entry of stock Pi can be about a message; null where one can. */
function whyNotOfEntry(session: Session, { from }: Item): string | null {
  const head = from.entryId === null ? null : session.tree.heads.find(from.entryId);
  if (!head) return 'its entry has no id';
  return from.origin === 'transform' || head.type === 'context_transform'
    ? 'a transform has made it, which stock Pi does not know'
    : null;
}

/** Whether an answer would be the first message, without a summary and all like it around it. */
function bareOf({ items }: History, { kind, at }: Item): boolean {
  const first = STANDS_FOR.has(kind) ? items.findIndex((item) => !STANDS_FOR.has(item.kind)) : -1;
  return at < first && items[first]?.message.role !== 'user';
}

/** What may go without what follows it. */
const STANDS_FOR: ReadonlySet<string> = new Set(['branch-summary', 'compaction-summary', 'packet']);

const NOT_EDITABLE: ReadonlySet<string> = new Set(['bash', 'branch-summary', 'compaction-summary']);

const ONLY_OUT = 'Pi can only leave such a message out';
