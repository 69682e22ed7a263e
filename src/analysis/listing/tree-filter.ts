import { readEntryMessage } from '#context/replay/convert.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { Session } from '#session/session.js';

export const TREE_FILTERS = ['default', 'no-tools', 'user-only', 'labeled-only', 'all'] as const;

export type TreeFilter = (typeof TREE_FILTERS)[number];

/** Types of entries that only set settings, names and notes, without an effect on the context. */
const BOOKKEEPING: ReadonlySet<string | null> = new Set([
  'label',
  'custom',
  'model_change',
  'thinking_level_change',
  'session_info',
  'usage',
  'ephemeral',
]);

/**
 * Whether a filter of Pi's `/tree` includes an entry. The leaf is always included. `labelled` contains the indices of
 * entries with a label. Only assistant messages have to be parsed, under `default` and `no-tools`.
 */
export function buildTreeFilter(
  session: Session,
  filter: TreeFilter,
  labelled: ReadonlyMap<number, string>,
): (index: number) => boolean {
  const isListed = buildPassing(session, filter, labelled);
  const leaf = session.tree.leaf?.index;
  return (index) => index === leaf || isListed(index);
}

function buildPassing(
  session: Session,
  filter: TreeFilter,
  labelled: ReadonlyMap<number, string>,
): (index: number) => boolean {
  const { heads } = session.tree;
  switch (filter) {
    case 'all':
      return () => true;
    case 'labeled-only':
      return (index) => labelled.has(index);
    case 'user-only':
      return (index) => heads.roleAt(index) === 'user';
    case 'no-tools':
      return (index) => heads.roleAt(index) !== 'toolResult' && isOfConversation(session, index);
    case 'default':
      return (index) => isOfConversation(session, index);
  }
}

function isOfConversation(session: Session, index: number): boolean {
  const { heads } = session.tree;
  if (BOOKKEEPING.has(heads.typeAt(index))) return false;
  return heads.roleAt(index) !== 'assistant' || hasWords(session, index);
}

/** Answers with only tool calls are omitted, since their results are listed, unless they failed or were truncated. */
function hasWords(session: Session, index: number): boolean {
  const head = session.tree.heads.at(index);
  const message = head ? readEntryMessage(session.entry(head)) : null;
  if (!message) return false;
  const { stopReason } = message;
  if (Boolean(stopReason) && stopReason !== 'stop' && stopReason !== 'toolUse') return true;
  return listBlocks(message).some(
    ({ type, text }) => type === 'text' && typeof text === 'string' && text.trim() !== '',
  );
}
